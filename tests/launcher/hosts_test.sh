#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs over real hosts: every host a network namespace with its own sshd, reached by the launcher's own ssh command.
. "$(dirname "$0")/hosts_lib.sh"
. "$(dirname "$0")/launcher_lib.sh"
unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE CORUNNA_RUN_LAUNCHER

hosts_up 4
host_up 5 deaf
all=h1:1,h2:1,h3:1,h4:1

# ---- hosts of ranks -------------------------------------------------------------------------------------------------
run "$corunna" run --hosts $all hostname
expect_status 0
expect_quiet
[ "$(sort out | tr '\n' ' ')" = "h1 h2 h3 h4 " ] || fail "$label: $(cat out)"
printf 'h2 slots=2\nh0 slots=1 # ours\n10.77.0.3\n' >machines
run "$corunna" run --hostfile machines --tag-output hostname
expect_quiet
[ "$(sort out | tr '\n' ' ')" = "[0] h2 [1] h2 [2] h0 [3] h3 " ] || fail "$label: $(cat out)"

for fan in 1 2 32; do
    run "$corunna" run --fan $fan -n 12 --hosts h1:2,h2:2,h0:4,h3:2,h4:2 "$probe" many 3
    expect_status 0
    expect_quiet
    [ "$(wc -l <out)" -eq 12 ] || fail "$label: $(cat out)"
done

# ---- environment, directory, stdin ----------------------------------------------------------------------------------
run env MINE=here OTHER=here CORUNNA_LOG=info "$corunna" run --hosts h1 -x MINE \
    sh -c 'echo "$MINE,$OTHER,$CORUNNA_LOG,$PWD,$0"' 'a word with spaces, "quotes" and $signs'
expect_out "here,,info,$PWD,a word with spaces, \"quotes\" and \$signs"
mkdir only
host_exec 3 mount -t tmpfs nothing "$PWD/only"
mkdir only/inside
run "$corunna" run --hosts $all --wdir only/inside pwd
expect_status 1
expect_sentence "corunna run: on host h3: cannot change to the directory $PWD/only/inside: No such file or directory; \
ending the job"
cp "$rank_probe" only/program
run "$corunna" run --hosts $all only/program partial 3
expect_status 127
expect_sentence 'corunna run: on host h3: cannot run only/program: No such file or directory; ending the job'
run sh -c 'seq 1 30000 | "$0" run --hosts h2,h3 md5sum' "$corunna"
[ "$(grep -c "$(seq 1 30000 | md5sum)" out)" -eq 1 ] || fail "$label: $(cat out)"

# What is to stay secret is on no command line, here or there.
secret="not-for-others-$$"
PASSWORD=$secret setsid "$corunna" run -x PASSWORD --hosts $all \
    sh -c "echo \"\$PASSWORD\" >seen-\$PMI_RANK; sleep $forever; :" "mark-secret-$$" >out 2>err &
job=$!
wait_until test -s seen-3 && host_await 4 "mark-secret-$$" 1 || fail "mark-secret: the job did not start: $(cat err)"
for i in 1 2 3 4; do
    [ "$(host_alive $i "$secret")" -eq 0 ] || fail "the secret is on a command line of h$i"
done
[ "$(alive "$secret")" -eq 0 ] || fail "the secret is on a command line of h0"
kill -TERM $job
wait $job
[ "$(cat seen-3)" = "$secret" ] || fail "the ranks did not get it"

# ---- the end of a job -----------------------------------------------------------------------------------------------
family="sh -c \"sleep $forever; :\" \$0 & setsid sh -c \"sleep $forever; :\" \$0 & wait"

has_started_or_ended() {
    hosts_are_alive "$1" "$mark" 3 || ! kill -0 "$job" 2>/dev/null
}

# start MARK WORDS...: one rank with two children on each of four hosts.
start() {
    mark=$1
    shift
    setsid "$corunna" run "$@" --hosts $all sh -c "$family" "$mark" >out 2>err &
    job=$!
    for i in 1 2 3 4; do
        wait_until has_started_or_ended $i || fail "$mark: the job did not start on h$i: $(cat err)"
    done
}

# ended STATUS HOSTS...: the launcher ends so, and nothing is left there.
ended() {
    label=$mark
    wait_for_job
    expect_status "$1"
    shift
    for i in "$@"; do
        host_await "$i" "$mark" 0 || fail "$mark: processes were left behind on h$i"
    done
    # h0 sees the processes of all hosts, its own among them.
    [ $# -lt 4 ] || await "$mark" 0 || fail "$mark: processes were left behind on h0"
}

# ended_soon STATUS HOSTS...: the same, and soon: it does not take a time limit to notice it.
ended_soon() {
    ended "$@"
    expect_soon
}

# host_kill I head|tail GREP-WORDS...: kill the oldest or the youngest process of a host whose command line matches.
host_kill() {
    which=$2
    victim_of=$1
    shift 2
    host_exec "$victim_of" \
        sh -c 'which=$0; kill -9 $(grep "$@" /proc/[0-9]*/cmdline | cut -d/ -f3 | sort -n | $which -n 1)' "$which" "$@"
}

for fan in 1 2 32; do
    start "mark-rank-$$-$fan" --fan $fan
    host_kill 3 head -laFf /mnt/mark_pattern
    ended_soon 137 1 2 3 4
    expect_sentence 'corunna run: rank 2 on host h3 was killed by signal 9 (Killed); ending the job'

    start "mark-int-$$-$fan" --fan $fan
    kill -INT "$job"
    ended_soon 130 1 2 3 4

    start "mark-launcher-$$-$fan" --fan $fan
    kill -9 "$job"
    ended_soon 137 1 2 3 4

    start "mark-worker-$$-$fan" --fan $fan
    read -r worker rest <"/proc/$job/task/$job/children"
    kill -9 "$worker"
    ended_soon 137 1 2 3 4

    # The agent of h4, the process that holds its ranks; then the ssh that leads there.
    start "mark-agent-$$-$fan" --fan $fan
    host_kill 4 tail -laE '^[^ ]*corunna.agent.$'
    ended_soon 1 1 2 3 4
    expect_err 'corunna run: host h4 is lost: its agent has ended.*; ending the job'
done
start "mark-ssh-$$"
for ssh in $(grep -laE '^ssh' /proc/[0-9]*/cmdline | cut -d/ -f3); do
    tr "\0" "\n" 2>/dev/null <"/proc/$ssh/cmdline" | grep -qx h2 && kill -9 "$ssh"
done
ended_soon 1 1 2 3 4
expect_err 'corunna run: host h2 is lost: its agent has ended; ending the job'

run "$corunna" run --hosts $all "$probe" abort 3 7
expect_status 7
expect_sentence 'corunna run: rank 3 on host h4 aborted the job with status 7: the probe was told to; ending the job'
run "$corunna" run --hosts $all "$probe" die 1 11
expect_status 139
run "$corunna" run --hosts $all sh -c 'exit $((PMI_RANK == 2 ? 42 : 0))'
expect_status 42
expect_sentence 'corunna run: rank 2 on host h3 exited with status 42; ending the job'

# ---- hosts that cannot be reached -----------------------------------------------------------------------------------
refused='corunna run: cannot start on host h5: ssh: connect to host h5 port 22: Connection refused; ending the job'
run "$corunna" run --hosts h1,h5 true
expect_status 1
expect_sentence "$refused"
run "$corunna" run --fan 1 --hosts h1,h5 true
expect_status 1
expect_sentence "$refused"
run "$corunna" run --hosts h1,elsewhere.invalid true
expect_status 1
expect_err '^corunna run: cannot start on host elsewhere.invalid: ssh: Could not resolve hostname elsewhere.invalid: '
run "$corunna" run --hosts h1 --launcher \
    'ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i /nonexistent' true
expect_status 1
expect_err '^corunna run: cannot start on host h1: .*Permission denied (publickey)'
run "$corunna" run --prefix /nonexistent --hosts h1 true
expect_status 1
expect_err '^corunna run: cannot start on host h1: .*/nonexistent/bin/corunna.*(--prefix sets where Corunna is'
run sh -c 'ulimit -n 12; exec "$0" run --hosts h1,h2,h3,h4 true' "$corunna"
expect_status 1
expect_err 'Too many open files; ending the job'

# From here on a host is given up after some seconds. Where the machine is busy the others, too, may need longer than
# that: then a test is made again with more of them.

# A host whose kernel takes the call and whose sshd never speaks.
kill -STOP "$host_init_2"
for seconds in 2 10 50 250; do
    run "$corunna" run --host-timeout $seconds --hosts h1,h2 true
    ! grep -q 'host h1' err || continue
    break
done
expect_status 1
expect_err "^corunna run: cannot start on host h2: its agent did not answer within $seconds s (--host-timeout)"
kill -CONT "$host_init_2"

# ---- links that break -----------------------------------------------------------------------------------------------
# A pause that is shorter than the patience; the job is there after it, and a while later.
start "mark-pause-$$" --host-timeout $hang_s
host_cut 2
sleep 2
host_join 2
sleep 0.5
kill -0 "$job" || fail "mark-pause: a short pause has ended the job: $(cat err)"
kill -TERM "$job"
ended_soon 143 1 2 3 4

# lost HOST BREAK MEND: after BREAK the host is lost, and no other one; MEND makes it as it was.
lost() {
    for seconds in 4 20 100; do
        start "mark-lost-$$-$1-$seconds" --host-timeout $seconds
        $2 "$1"
        wait_for_job
        grep -v "host h$1 is lost" err | grep -q . || break
        $3 "$1"
    done
    label=$mark
    expect_status 1
    for i in 1 2 3 4; do
        [ $i = "$1" ] || host_await $i "$mark" 0 || fail "$mark: processes were left behind on h$i"
    done
}

# For good: told after --host-timeout, and the host beyond the break cleans up by itself.
lost 3 host_cut host_join
expect_sentence "corunna run: host h3 is lost: nothing was heard of it for $seconds s; ending the job"
host_await 3 "$mark" 0 || fail "$mark: the host beyond the break did not clean up"
host_join 3

# The whole host is gone at once.
lost 4 host_down host_up
expect_err 'corunna run: host h4 is lost: .*; ending the job'

finish
