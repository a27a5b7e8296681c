#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stdin goes to rank 0, the environment and the folder to all.
. "$(dirname "$0")/launcher_lib.sh"

printf 'one\ntwo\n' >lines
timeout $hang_s "$corunna" run -n 3 --tag-output cat <lines >out 2>err
label='stdin from a file'
expect_out "$(printf '[0] one\n[0] two')"

# 4 MiB through a pipe, compared.
awk 'BEGIN { for (i = 0; i < 65536; i++) printf "%063d\n", i }' >big
label='stdin from a pipe'
timeout $hang_s cat big | timeout $hang_s "$corunna" run -n 2 cat >out 2>err
cmp -s big out || fail "stdin from a pipe: what came out is not what went in"

# Only what rank 0 reads is taken away.
label='shared stdin'
{
    timeout $hang_s "$corunna" run -n 1 sh -c 'read -r line; echo "rank read $line"'
    read -r line
    echo "shell read $line"
} <lines >out 2>err
expect_out "$(printf 'rank read one\nshell read two')"

# A terminal: what is typed reaches rank 0, a prompt without newline is shown, and its end is an end.
if command -v script >/dev/null; then
    label='stdin from a terminal'
    cat >dialogue.sh <<'END'
if [ "$PMI_RANK" = 0 ]; then printf 'name? '; read -r name; echo "hello $name"; cat >/dev/null; echo "end of input"; fi
END
    : >out
    {
        await_lines out 'name? ' && printf 'corunna\n'
        await_lines out 'hello corunna' && printf '\004'
        await_lines out 'end of input'
    } |
        timeout $hang_s script -qec "$corunna run -n 2 sh dialogue.sh" /dev/null >out 2>err
    for words in 'name? ' 'hello corunna' 'end of input'; do
        grep -q "$words" out || fail "$label: \"$words\" was not shown: $(cat out)"
    done
fi

run env GREETING=hello "$corunna" run -n 2 -x GREETING -x PLACE='here and there' -genv THIRD 3 \
    sh -c 'echo "$GREETING $PLACE $THIRD"'
expect_status 0
expect_out "$(printf 'hello here and there 3\nhello here and there 3')"

run "$corunna" run -n 1 --tune sm.eager_max=8k --dev smdev sh -c 'echo $CORUNNA_SM_EAGER_MAX $CORUNNA_DEV'
expect_status 0
expect_out '8k smdev'

# What --tune says in a list counts more than a variable for one of its names; what it says of one, most.
# shellcheck disable=SC2016
shown='echo "$CORUNNA_COLL_BCAST,$CORUNNA_COLL_REDUCE,${CORUNNA_COLL_SCATTER-none}"; exec "$0" info coll.force'
run env CORUNNA_COLL_BCAST=chain "$corunna" run -n 1 --tune coll.force=bcast:mst,reduce:chain sh -c "$shown" "$corunna"
expect_status 0
[ "$(head -n 1 out)" = mst,chain,none ] || fail "$label: $(cat out)"
grep -q 'bcast:mst,reduce:chain' out || fail "$label: $(cat out)"
run env CORUNNA_COLL_BCAST=chain "$corunna" run -n 1 --tune coll.bcast=bde --tune coll.force=bcast:mst,reduce:chain \
    sh -c "$shown" "$corunna"
[ "$(head -n 1 out)" = bde,chain,none ] || fail "$label: $(cat out)"
run "$corunna" run -n 1 --tune coll.force=bcast:mst,bcast:chain true
expect_status 2
expect_sentence 'corunna run: coll.force has two values for "bcast"; leave one of them out'

# Another launcher's words do not reach our ranks.
run env PMI_PORT=nowhere:1 PMI_RANK=9 PMIX_NAMESPACE=x "$corunna" run -n 1 \
    sh -c 'echo "$PMI_RANK ${PMI_PORT-none} ${PMIX_NAMESPACE-none}"'
expect_status 0
expect_out '0 none none'

mkdir -p deep/er
run "$corunna" run -n 2 --wdir deep/er pwd
expect_status 0
[ "$(sort -u out)" = "$(cd deep/er && pwd -P)" ] || fail "$label: $(cat out)"

# Bound ranks may use one processor each.
run "$corunna" run -n 2 --bind hwthread:overload-allowed sh -c 'grep Cpus_allowed_list /proc/self/status'
expect_status 0
grep -q '[-,]' out && fail "$label: a rank may use several processors: $(cat out)"

finish
