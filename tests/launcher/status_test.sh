#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exit statuses, and what is said about wrong command lines.
. "$(dirname "$0")/launcher_lib.sh"

run "$corunna" run -n 4 true
expect_status 0
expect_quiet

run "$corunna" run -n 3 sh -c 'echo rank $PMI_RANK of $PMI_SIZE id $PMI_ID'
expect_status 0
[ "$(sort out)" = "$(printf 'rank 0 of 3 id 0\nrank 1 of 3 id 1\nrank 2 of 3 id 2')" ] || fail "$label: $(cat out)"

run "$corunna" run -n 4 sh -c 'exit $((PMI_RANK == 2 ? 3 : 0))'
expect_status 3
expect_sentence "corunna run: rank 2 on host $host exited with status 3; ending the job"

run "$corunna" run -n 4 sh -c "test \$PMI_RANK != 1 && sleep $forever; exit 77"
expect_status 77
expect_sentence "corunna run: rank 1 on host $host exited with status 77; ending the job"
expect_soon

run "$corunna" run -n 4 ./nope
expect_status 127
expect_sentence "corunna run: cannot run ./nope: No such file or directory"

run "$corunna" run -n 4 surely-no-such-program
expect_status 127
expect_sentence "corunna run: cannot run surely-no-such-program: No such file or directory"

echo 'not a program' >plain
run "$corunna" run -n 2 ./plain
expect_status 126
expect_sentence "corunna run: cannot run ./plain: Permission denied \
(hint: it is not executable; if it is a program: chmod +x ./plain)"

# Files without an end do not fill the memory.
room='ulimit -v 2000000; exec "$@"'
sh -c "$room" sh "$corunna" --version >/dev/null 2>&1 || room='exec "$@"' # a sanitizer takes more by itself
endless() {
    run sh -c "$room" sh "$@"
    expect_soon
}
for option in --hostfile --rankfile --machinefile; do
    endless "$corunna" run $option /dev/zero true
    expect_status 2
    expect_sentence "corunna run: /dev/zero, line 1: contains a zero byte; the file must be text"
    endless sh -c 'tr "\0" a </dev/zero | "$@"' sh "$corunna" run $option /dev/stdin true
    expect_status 2
    expect_sentence "corunna run: /dev/stdin, line 1: has more than 1048576 bytes"
done
endless "$corunna" run --app /dev/zero
expect_status 2
expect_sentence "corunna run: /dev/zero, line 1: contains a zero byte; the file must be text"
endless sh -c 'yes host | "$@"' sh "$corunna" run --hostfile /dev/stdin true
expect_status 2
expect_sentence "corunna run: /dev/stdin, line 3355444: the file is too long"
endless "$corunna" bench --plan /dev/zero
expect_status 2
expect_sentence "corunna bench: /dev/zero, line 1: contains a zero byte; the file must be text"

run "$corunna" run -n 2 --wdir ./nowhere true
expect_status 1
expect_sentence "corunna run: cannot change to the directory ./nowhere: No such file or directory"

run "$corunna" run --tagoutput -n 2 true
expect_status 2
expect_err 'unknown option --tagoutput; did you mean --tag-output?'

for words in '-n 0 true' '-n -3 true' '-n 2x true' '-n' '-n 2' '' '--timeout soon true' '--timeout 0 true' \
    '--bind-to planet true' '-x =1 true' '--tag-output=1 true' '-n 99999999999 true' '--xml true' \
    '--hostfile /nonexistent true' '-n 2 true :' ': true' '-n 2 : true' '--app /nonexistent' '--stdin some true' \
    '--stdin 2 -n 2 true' '--output nonsense true' '--display nonsense true' '-prepend-pattern %z true' \
    '-launcher sge true' '-rmk lsf true' '--xterm one true' '--partition p true' '-n 1 true : --hosts a -n 1 true'; do
    # shellcheck disable=SC2086
    run "$corunna" run $words
    expect_status 2
    expect_err '^corunna run: '
done

run "$corunna" run -n 2 --tune sm.eagre_max=8k true
expect_status 2
expect_err 'unknown setting "sm.eagre_max"; did you mean sm.eager_max?'

run "$corunna" run -n 2 --tune sm.eager_max=much true
expect_status 2
expect_err 'sm.eager_max is "much"; it must be a size'

run "$corunna" run -n 2 --dev warpdrive true
expect_status 2
expect_err 'dev is "warpdrive"'

run "$corunna" runn
expect_status 2
expect_err 'unknown command "runn"; did you mean run?'

run "$corunna"
expect_status 2
expect_err '^corunna: '

run "$corunna" --version
expect_status 0
grep -q '^Corunna [0-9]' out || fail "$label: $(cat out)"

run "$corunna" help
expect_status 0
for command in run mpjrun info; do
    grep -q "^  $command " out || fail "help does not know $command"
done

run "$corunna" info --help
mv out expected
run "$corunna" help info
expect_status 0
cmp -s out expected || fail "$label: $(cat out)"
run "$corunna" help infos
expect_status 2
expect_err 'unknown command "infos"; did you mean info?'

run "$corunna" run --help
expect_status 0
grep -q -- '--timeout SECONDS' out || fail "$label lacks --timeout"

# As users of other launchers type it.
run "$bin/mpirun" -np 2 --oversubscribe --allow-run-as-root --bind-to core --map-by slot sh -c 'echo $PMI_SIZE'
expect_status 0
expect_out "$(printf '2\n2')"
echo "localhost slots=4 # this one" >machines
run "$bin/mpiexec" --np 2 --hostfile machines --host "localhost:2,$host" sh -c 'echo $PMI_SIZE'
expect_status 0
expect_out "$(printf '2\n2')"
run "$bin/mpirun" -n 5 --hostfile machines true
expect_status 2
expect_sentence "corunna run: 5 ranks do not fit the 4 slots of the hosts; --oversubscribe allows more"
run "$bin/mpirun" --oversubscribe -n 5 --hostfile machines sh -c 'echo $PMI_SIZE'
expect_status 0
# Without a number: every slot one rank.
run "$bin/mpirun" --hostfile machines sh -c 'echo $PMI_SIZE'
expect_out "$(printf '4\n4\n4\n4')"

finish
