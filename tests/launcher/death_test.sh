#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A rank that dies ends the job soon, with one sentence.
. "$(dirname "$0")/launcher_lib.sh"

run "$corunna" run -n 4 sh -c "test \$PMI_RANK = 2 && kill -9 \$\$; sleep $forever"
expect_status 137
expect_sentence "corunna run: rank 2 on host $host was killed by signal 9 (Killed); ending the job"
expect_soon

# Ranks that ignore SIGTERM are killed a second later. Rank 0 dies once the others are deaf.
mkfifo deaf
cat >deaf.sh <<'END'
trap "" TERM
if [ "$PMI_RANK" = 0 ]; then
    exec 3<>deaf
    read -r one <&3 && read -r two <&3 && kill -11 $$
fi
echo "$PMI_RANK" >deaf
sleep "$1"
END
run "$corunna" run -n 3 sh deaf.sh "$forever"
expect_status 139
expect_err "rank 0 on host $host was killed by signal 11 (Segmentation fault)"
[ "$took" -ge 1000 ] || fail "$label: took $took ms, the deaf ranks had less than a second"
expect_soon

run "$corunna" run -n 4 "$probe" die 3 6
expect_status 134
expect_err "rank 3 on host $host was killed by signal 6 (Aborted)"
expect_soon

run "$corunna" run -n 4 "$probe" desert 1
expect_status 1
expect_sentence "corunna run: rank 1 on host $host exited with status 0 after MPI_Init but before MPI_Finalize; \
ending the job"
expect_soon

run "$corunna" run -n 4 "$probe" abort 3 7
expect_status 7
expect_sentence "corunna run: rank 3 on host $host aborted the job with status 7: the probe was told to; \
ending the job"
expect_soon

# 256 is 0 in a shell's eyes; an abort must not look like success.
run "$corunna" run -n 2 "$probe" abort 0 256
expect_status 1

# A rank that never boots must not keep the others waiting.
run "$corunna" run -n 3 sh -c 'test $PMI_RANK = 1 || exec "$0"' "$probe"
expect_status 1
expect_sentence "corunna run: rank 1 on host $host has ended while other ranks wait for it in MPI_Init; ending the job"
expect_soon

# What the dying rank wrote comes before the sentence, whole.
run "$corunna" run -n 2 sh -c "test \$PMI_RANK = 1 && { echo last words >&2; kill -9 \$\$; }; sleep $forever"
expect_status 137
[ "$(head -n 1 err)" = "last words" ] && [ "$(wc -l <err)" -eq 2 ] || fail "$label: $(cat err)"

run "$corunna" run --timeout 0.5 -n 2 sleep $forever
expect_status 124
expect_sentence "corunna run: the job has run for 0.5 s (--timeout); ending the job"
expect_soon

run "$corunna" run --timeout $hang_s -n 2 true
expect_status 0
expect_quiet

finish
