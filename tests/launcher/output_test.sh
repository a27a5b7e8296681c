#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Output comes line by line, whole and complete.
. "$(dirname "$0")/launcher_lib.sh"

# check_lines COUNT LENGTH: out holds COUNT whole lines of each of 4 ranks, each rank's in order.
check_lines() {
    awk -F: -v count="$1" -v length_wanted="$2" '
        NF != 3 || $2 != next_index[$1] + 0 || length($3) != length_wanted { bad++ }
        { letter = substr("ABCD", $1 + 1, 1); rest = $3; gsub(letter, "", rest); if (rest != "") bad++ }
        { next_index[$1]++ }
        END { for (rank = 0; rank < 4; rank++) if (next_index[rank] != count) bad++; exit bad > 0 }
    ' out || fail "$label: lines are mixed, missing or out of order"
}

run "$corunna" run -n 4 "$rank_probe" lines 2000 1500
expect_status 0
check_lines 2000 1500

# Longer than any pipe or buffer.
run "$corunna" run -n 4 "$rank_probe" lines 3 300000
expect_status 0
check_lines 3 300000

# Into a pipe whose reader is slow: it begins when ranks and launcher sleep, since the pipe is full.
ln -s "$rank_probe" "slow-$$"
(timeout $hang_s "$corunna" run -n 4 "./slow-$$" lines 500 5000; echo $? >slow_status) |
    (wait_until asleep "slow-$$" 7 && cat >out)
label='slow reader'
[ "$(cat slow_status)" = 0 ] || fail "slow reader: status $(cat slow_status)"
check_lines 500 5000

# Unfinished last lines of several ranks do not run into each other; nothing is added to a single one.
run "$corunna" run -n 3 "$rank_probe" partial 5
expect_status 0
[ "$(sort out)" = "$(printf '00000\n11111\n22222')" ] || fail "$label: $(cat out)"
run "$corunna" run -n 1 "$rank_probe" partial 200001
expect_status 0
[ "$(wc -c <out)" -eq 200001 ] || fail "$label: $(wc -c <out) bytes instead of 200001"

# Any bytes.
run "$corunna" run -n 1 "$rank_probe" bytes
expect_status 0
"$rank_probe" bytes >wanted
cmp -s out wanted || fail "$label: bytes were changed"

# Tags.
run "$corunna" run --tag-output -n 2 sh -c 'echo one; echo two >&2; printf three'
expect_status 0
[ "$(sort out)" = "$(printf '[0] one\n[0] three\n[1] one\n[1] three')" ] || fail "$label: stdout $(cat out)"
[ "$(sort err)" = "$(printf '[0] two\n[1] two')" ] || fail "$label: stderr $(cat err)"

# stdout and stderr keep apart.
run "$corunna" run -n 2 sh -c 'echo out; echo err >&2'
[ "$(sort -u out)" = out ] && [ "$(sort -u err)" = err ] || fail "$label: stdout and stderr are mixed up"

# A reader that has gone ends the job without a word.
started=$(now_ms)
(timeout $hang_s "$corunna" run -n 4 yes 2>err; echo $? >gone_status) | head -n 1 >out
took=$(($(now_ms) - started))
label='closed pipe'
expect_quiet
expect_soon
[ "$(cat gone_status)" = 141 ] || fail "closed pipe: status $(cat gone_status) instead of 141"

# A full disk is told.
timeout $hang_s "$corunna" run -n 2 yes >/dev/full 2>err
status=$?
label='full disk'
expect_status 1
expect_sentence "corunna run: cannot write the ranks' output: No space left on device; ending the job"

# A launcher started without stdin, stdout and stderr.
timeout $hang_s "$corunna" run -n 2 sh -c 'echo x; cat' <&- >&- 2>&-
status=$?
label='no standard files'
: >err
expect_status 0

# Grandchildren that hold the pipes do not hold the launcher.
run "$corunna" run -n 2 sh -c "sleep $forever.$$ & echo started"
expect_status 0
expect_out "$(printf 'started\nstarted')"
expect_soon
await "$forever.$$" 0 || fail "$label: a grandchild was left behind"
run "$corunna" run -n 2 sh -c "setsid sleep $forever.0$$ & echo started"
expect_status 0
await "$forever.0$$" 0 || fail "$label: a grandchild in its own session was left behind"

# Nor do grandchildren that never stop writing, to a reader that reads all, and to one that reads nothing.
run "$corunna" run -n 2 sh -c 'yes & echo started'
expect_status 0
expect_soon
(timeout $hang_s "$corunna" run -n 2 sh -c 'yes & kill -9 $$' 2>err; echo $? >endless_status) |
    wait_until test -s endless_status
label='endless grandchildren'
[ "$(cat endless_status)" = 137 ] || fail "$label: status $(cat endless_status)"

finish
