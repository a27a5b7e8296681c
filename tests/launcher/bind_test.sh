#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Mapping, ranking and binding: what ranks may use is what the launcher reports, on this machine; and on machines that
# hwloc describes, the report alone.
. "$(dirname "$0")/launcher_lib.sh"

unset HWLOC_SYNTHETIC HWLOC_XMLFILE OMP_NUM_THREADS CORUNNA_RUN_BIND SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE
may_use='sed -n "s/^Cpus_allowed_list:.//p" /proc/self/status'
mine=$(sh -c "$may_use")
cpus=$(nproc)
cores=$(cat /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list 2>/dev/null | sort -u | wc -l)
two_sockets='package:2 l3:1 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)'

# expect_all TEXT: every rank may use these CPUs.
expect_all() {
    [ "$(sort -u out)" = "$1" ] || fail "$label: ranks may use \"$(cat out)\" instead of \"$1\""
}

# reports WORDS...: the report of a job, without its beginning, in lines of rank and CPUs.
reports() {
    run "$corunna" run "$@" true
    expect_status 0
    reported=$(sed -n 's/^corunna run: rank \([0-9]*\) on host \([^:]*\): /\1 /p' err | sort -n)
}

expect_reported() {
    [ "$reported" = "$1" ] || fail "$label: reported \"$reported\" instead of \"$1\"; stderr: $(cat err)"
}

# ---- without hwloc --------------------------------------------------------------------------------------------------
mkdir without
: >without/libhwloc.so.15
run env LD_LIBRARY_PATH="$PWD/without" "$corunna" run -n 1 --bind-to core --report-bindings sh -c "$may_use"
expect_status 0
expect_err 'rank 0 on host .*: \[.*B.*\] CPUs '
run env LD_LIBRARY_PATH="$PWD/without" "$corunna" run -n 2 --bind-to numa sh -c "$may_use"
expect_status 0
expect_err '^corunna run: on host .*: NUMA nodes cannot be found, so ranks are not bound: .*hwloc'
expect_all "$mine"
run env LD_LIBRARY_PATH="$PWD/without" "$corunna" run --map-by ppr:1:l3 true
expect_status 2
expect_err '^corunna run: .*hwloc'

# ---- this machine ---------------------------------------------------------------------------------------------------
run "$corunna" run -n 3 --bind-to none --report-bindings sh -c "$may_use"
expect_status 0
expect_all "$mine"
[ "$(grep -c 'on host .*: \[[./~[]*\] not bound$' err)" -eq 3 ] || fail "$label: $(cat err)"
run "$corunna" run -n 3 --bind-to core:overload-allowed --report-bindings --tag-output sh -c "$may_use"
expect_status 0
told=$(sed -n 's/^corunna run: rank \([0-9]*\) on host .* CPUs /[\1] /p' err | sort)
[ "$(sort out)" = "$told" ] || fail "$label: ranks may use \"$(cat out)\", and the report is \"$(cat err)\""
[ "$(wc -l <out)" -eq 3 ] || fail "$label: $(cat out)"
first=$(echo "$mine" | sed 's/[-,].*//')
run "$corunna" run -n 2 --cpu-set "$first" sh -c "$may_use"
expect_status 0
expect_quiet
expect_all "$first"

# Without an option: a core each, if C ranks fit and nothing has bound us; all CPUs for one rank, Java, a script,
# OpenMP.
ln -s /bin/sh java
run "$corunna" run -n 1 sh -c "$may_use"
expect_all "$mine"
run "$corunna" run -n 2 ./java -c "$may_use"
expect_all "$mine"
printf '#!/bin/sh\n%s\n' "$may_use" >script
chmod +x script
run "$corunna" run -n 2 ./script
expect_all "$mine"
run env OMP_NUM_THREADS=2 "$corunna" run -n 2 sh -c "$may_use"
expect_all "$mine"
run "$corunna" run -n 2 -x OMP_NUM_THREADS=4 sh -c "$may_use"
expect_all "$mine"
run env CORUNNA_RUN_BIND=none "$corunna" run -n 2 sh -c "$may_use"
expect_all "$mine"
run env CORUNNA_RUN_BIND=hwthread:overload-allowed "$corunna" run -n 1 ./java -c "$may_use"
expect_all "$first"
run "$corunna" run -n $((cpus + 1)) sh -c "$may_use"
expect_all "$mine"
expect_quiet
run taskset -c "$first" "$corunna" run -n 2 sh -c "$may_use"
expect_all "$first"
if [ "$cores" -gt 1 ] && [ "$(nproc --all)" -eq "$cpus" ]; then
    run "$corunna" run -n 2 sh -c "$may_use"
    [ "$(sort -u out | wc -l)" -eq 2 ] || fail "$label: two ranks share a core: $(cat out)"
    expect_quiet
    run env OMP_NUM_THREADS=1 "$corunna" run -n 2 sh -c "$may_use"
    [ "$(sort -u out | wc -l)" -eq 2 ] || fail "$label: two ranks share a core: $(cat out)"
fi

# ---- sentences before anything starts -------------------------------------------------------------------------------
# refused WORDS... : status 2, one line, no rank.
refused() {
    rm -f started
    run "$corunna" run "$@" sh -c ': >started'
    expect_status 2
    [ ! -e started ] || fail "$label: a rank was started"
}
refused -n 2 --bind-to scoket
places='none, auto, core, socket, numa, l3, l2, l1, hwthread or board'
expect_sentence "corunna run: --bind-to is \"scoket\"; did you mean socket? Else it must be $places"
refused -n $((cpus + 1)) --bind-to hwthread
expect_err "^corunna run: $((cpus + 1)) ranks do not fit this host, where $cpus can have hardware threads \
of their own; --bind-to hwthread:overload-allowed"
refused -n 1 --map-by slot:PE=$((cores + 1))
expect_err "^corunna run: PE=$((cores + 1)): a board has only "
refused -n 1 --cpu-set 1023
expect_sentence 'corunna run: --cpu-set: CPU 1023 is not there or may not be used'
refused -n 1 --cpu-set one
expect_err '^corunna run: --cpu-set is "one"; it must be a list such as 0-3,8$'
refused -n 1 --map-by sokcet
expect_err 'did you mean socket?'
refused -n 1 --rank-by nonsense
expect_err '^corunna run: --rank-by is "nonsense"; it must be slot, node, fill, span'
CORUNNA_RUN_BIND=sideways refused -n 1
expect_err '^corunna run: the setting run.bind: .*"sideways"'
printf 'rank 0=localhost slot=0\nrank 5=localhost slot=0\n' >ranks
refused -n 2 --rankfile ranks
expect_sentence 'corunna run: ranks, line 2: there is no rank 5; the job has 2 ranks (-n)'
refused --hosts localhost:2 --rankfile missing
expect_sentence 'corunna run: cannot read missing: No such file or directory'
printf 'rank 0=elsewhere slot=0\n' >ranks
refused --hosts localhost:2 --rankfile ranks
expect_sentence 'corunna run: ranks, line 1: host "elsewhere" is not among those that --hosts or --hostfile give'
printf 'rank 0=localhost slot=1000\n' >ranks
refused --rankfile ranks
expect_err '^corunna run: slot=1000: the last of the cores of this host is .*, there is no 1000$'
refused --rankfile ranks --map-by core
expect_sentence 'corunna run: --rankfile places every rank, so --map-by does not go with it'

# ---- a rank file ----------------------------------------------------------------------------------------------------
printf 'rank 1=localhost slot=*\nrank 0=localhost slot=0\n' >ranks
if [ "$first" = 0 ]; then
    run "$corunna" run --rankfile ranks --tag-output sh -c "$may_use"
    expect_status 0
    grep -qx "\[1\] $mine" out || fail "$label: $(cat out)"
    [ "$(wc -l <out)" -eq 2 ] || fail "$label: $(cat out)"
fi

# ---- other machines -------------------------------------------------------------------------------------------------
LD_LIBRARY_PATH='' HWLOC_SYNTHETIC='core:1 pu:1' "$corunna" run -n 1 --bind-to numa true 2>err
if grep -q 'cannot be found' err; then
    [ "${CI:-}" = true ] && fail "hwloc is missing: $(cat err)"
    echo "the rest is skipped: $(cat err)"
    finish
fi
export HWLOC_SYNTHETIC="$two_sockets"
reports -n 2 --bind-to core --report-bindings
expect_reported "$(printf '0 [BB/../../..][../../../..] CPUs 0,8\n1 [../BB/../..][../../../..] CPUs 1,9')"
grep -q "^corunna run: on host $host: hwloc's variables describe another machine, so ranks are not bound" err ||
    fail "$label: $(cat err)"
run "$corunna" run -n 2 --bind-to core sh -c "$may_use"
expect_all "$mine"
reports -n 2 --map-by socket --report-bindings
expect_reported "$(printf '0 [BB/BB/BB/BB][../../../..] CPUs 0-3,8-11\n1 [../../../..][BB/BB/BB/BB] CPUs 4-7,12-15')"
reports -n 3 --map-by socket --rank-by fill --bind-to core --report-bindings
expect_reported '0 [BB/../../..][../../../..] CPUs 0,8
1 [../BB/../..][../../../..] CPUs 1,9
2 [../../../..][BB/../../..] CPUs 4,12'
reports -n 1 --bind-to hwthread --report-bindings
expect_reported '0 [B./../../..][../../../..] CPUs 0'
reports -n 1 --use-hwthread-cpus --map-by slot:PE=3 --report-bindings
expect_reported '0 [BB/B./../..][../../../..] CPUs 0-1,8'
# As many ranks as the machine says.
reports --map-by ppr:1:socket --report-bindings
expect_reported "$(printf '0 [BB/BB/BB/BB][../../../..] CPUs 0-3,8-11\n1 [../../../..][BB/BB/BB/BB] CPUs 4-7,12-15')"
run "$corunna" run --map-by ppr:3:node sh -c 'echo $PMI_SIZE'
expect_out "$(printf '3\n3\n3')"
refused -n 5 --map-by ppr:2:socket
expect_err '^corunna run: 5 ranks are more than the 4 that ppr:2:socket allows: this host has 2 sockets for them$'
# What changes nothing says so.
run "$corunna" run -n 2 --map-by socket --bind-to none true
expect_status 0
expect_err 'map-by and --rank-by change nothing inside a host, because ranks are not bound$'
run "$corunna" run -n 9 --oversubscribe --map-by core true
expect_status 0
expect_err '9 ranks do not fit this host, where 8 can have cores of their own; .*; ranks are not bound$'

# ---- two hosts, each by its own processors --------------------------------------------------------------------------
cat >reach <<'END'
#!/bin/sh
# reach HOST COMMAND...: b is another machine than a.
[ "$1" = b ] && export HWLOC_SYNTHETIC='package:1 core:2 pu:1'
shift
exec "$@"
END
chmod +x reach
export CORUNNA_RUN_LAUNCHER="$PWD/reach {host}"
reports -n 4 --hosts a:2,b:2 --bind-to core --report-bindings
expect_reported '0 [BB/../../..][../../../..] CPUs 0,8
1 [../BB/../..][../../../..] CPUs 1,9
2 [B/.] CPUs 0
3 [./B] CPUs 1'
grep -q '^corunna run: rank 2 on host b: ' err || fail "$label: $(cat err)"
run "$corunna" run -n 5 --hosts a:2,b:3 --bind-to core true
expect_status 2
grep -q '^corunna run: on host b: 3 ranks do not fit this host, where 2 can have cores of their own' err ||
    fail "$label: $(cat err)"
# What was counted here does not hold there: with more objects it is told, with fewer the ranks do not fit.
run "$corunna" run --hosts a,b --map-by ppr:2:core true
expect_status 2
grep -q '^corunna run: on host b: 16 ranks are more than the 4 that ppr:2:core allows: this host has 2 cores' err ||
    fail "$label: $(cat err)"
sed -i "s/package:1 core:2 pu:1/package:4 core:1 pu:1/" reach
run "$corunna" run --hosts a,b --map-by ppr:1:socket sh -c 'echo $PMI_SIZE'
expect_status 0
expect_out "$(printf '4\n4\n4\n4')"
sentence="the launcher's host has 2 sockets for ranks and this one 4, but ranks were divided"
grep -q "^corunna run: on host b: .*$sentence" err ||
    fail "$label: $(cat err)"
grep -q 'on host a: .*the launcher' err && fail "$label: $(cat err)"
sed -i "s/package:4 core:1 pu:1/package:1 core:2 pu:1/" reach
cat >ranks <<'END'
rank 0=b slot=1
rank 1=a slot=1:0-1
rank 2=+n1 slot=0
END
reports --hosts a,b --rankfile ranks --report-bindings
expect_reported "$(printf '0 [./B] CPUs 1\n1 [../../../..][BB/BB/../..] CPUs 4-5,12-13\n2 [B/.] CPUs 0')"
reports --rankfile ranks --report-bindings --hosts a,b -n 3 --use-hwthread-cpus
expect_reported "$(printf '0 [./B] CPUs 1\n1 [../../../..][BB/../../..] CPUs 4,12\n2 [B/.] CPUs 0')"
printf 'rank 0=b slot=2\n' >ranks
run "$corunna" run --rankfile ranks true
expect_status 2
grep -q '^corunna run: on host b: slot=2: the last of the cores of this host is 1, there is no 2' err ||
    fail "$label: $(cat err)"

# Numbering over hosts: all sockets of all hosts in turn, or hosts in turn.
unset HWLOC_SYNTHETIC
cat >reach <<'END'
#!/bin/sh
export AT="$1"
shift
exec "$@"
END
export HWLOC_SYNTHETIC="$two_sockets"
ranks_of() {
    run "$corunna" run "$@" sh -c 'echo $PMI_RANK$AT'
    expect_status 0
    ranks=$(sort -n out | tr '\n' ' ')
}
ranks_of --hosts a,b --map-by ppr:2:socket --rank-by socket:span
[ "$ranks" = '0a 1a 2b 3b 4a 5a 6b 7b ' ] || fail "$label: $ranks"
ranks_of --hosts a,b --map-by ppr:2:socket --rank-by socket
[ "$ranks" = '0a 1a 2a 3a 4b 5b 6b 7b ' ] || fail "$label: $ranks"
ranks_of --hosts a:2,b:2 --rank-by node
[ "$ranks" = '0a 1b 2a 3b ' ] || fail "$label: $ranks"
ranks_of -n 4 --hosts a:4,b:4 --map-by node --rank-by slot
[ "$ranks" = '0a 1a 2b 3b ' ] || fail "$label: $ranks"
ranks_of -n 4 --hosts a:4,b:4 --map-by socket:span
[ "$ranks" = '0a 1a 2b 3b ' ] || fail "$label: $ranks"

finish
