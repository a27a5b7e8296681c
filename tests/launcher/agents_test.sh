#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs over several hosts, with agents that another command than ssh starts: all of it on this machine, without any
# right that an ordinary user has not. The variable AT tells a rank which host it is on.
. "$(dirname "$0")/launcher_lib.sh"

export CORUNNA_RUN_LAUNCHER='env AT={host}'
unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE
where='echo $PMI_RANK:$AT:$MPI_LOCALRANKID/$MPI_LOCALNRANKS'

# places WORDS...: the host of each rank, in one line.
places() {
    run "$corunna" run "$@" sh -c "$where"
    expect_status 0
    expect_quiet
    placed=$(sort -n out | tr '\n' ' ')
}

expect_places() {
    [ "$placed" = "$1 " ] || fail "$label: $placed instead of $1"
}

# ---- hosts of ranks -------------------------------------------------------------------------------------------------
places -n 4 --hosts a:2,b:2
expect_places '0:a:0/2 1:a:1/2 2:b:0/2 3:b:1/2'
places -n 4 --map node --hosts a:2,b:2
expect_places '0:a:0/2 1:b:0/2 2:a:1/2 3:b:1/2'
places -n 4 --map round-robin --hosts a:1,b:3
expect_places '0:a:0/1 1:b:0/3 2:b:1/3 3:b:2/3'
places -n 5 --hosts a,b
expect_places '0:a:0/3 1:a:1/3 2:a:2/3 3:b:0/2 4:b:1/2'
places --hosts a:1,b:2
expect_places '0:a:0/1 1:b:0/2 2:b:1/2'
places -n 3 --oversubscribe --hosts a:1,b:1
expect_places '0:a:0/2 1:a:1/2 2:b:0/1'
places -n 4 --ppn 1 --hosts a:9,b:9,c:9,d:9
expect_places '0:a:0/1 1:b:0/1 2:c:0/1 3:d:0/1'
places -n 3 --map-by ppr:1:node --hosts a,b,c
expect_places '0:a:0/1 1:b:0/1 2:c:0/1'
# This host needs no launcher command.
places -n 3 --hosts localhost:2,b:1
expect_places '0::0/2 1::1/2 2:b:0/1'
places -n 2 --hosts "b:1,$host:1"
expect_places '0:b:0/1 1::0/1'

cat >machines <<'MACHINES'
# Open MPI's form, MPICH's and MPJ Express's

a slots=2 max_slots=3   # two
b:1
  c	slots = 1
MACHINES
places --hostfile machines
expect_places '0:a:0/2 1:a:1/2 2:b:0/1 3:c:0/1'
places -n 8 --oversubscribe --machinefile machines
expect_places '0:a:0/3 1:a:1/3 2:a:2/3 3:b:0/3 4:b:1/3 5:b:2/3 6:c:0/2 7:c:1/2'

# What else stands in the files of Open MPI and Hydra: other words for slots; the interface of a host goes to its ranks,
# unless the command line has one for all; and what is of no use here is told once.
cat >machines <<'MACHINES'
a cpu=1 ifhn=lo
b:1 binding=user:0 ifhn=192.0.2.7
c count=1 max-count=2 binding=user:1
localhost slots=1 ifhn=localhost
MACHINES
interfaces='echo $PMI_RANK:$AT:$CORUNNA_TCP_INTERFACE'
run env CORUNNA_TCP_INTERFACE=eth7 "$corunna" run --hostfile machines sh -c "$interfaces"
expect_status 0
expect_sentence 'corunna run: machines, line 2: "binding" is ignored, here and in the lines below; use --bind-to'
sort -n out | tr '\n' ' ' | grep -q '^0:a:lo 1:b:192\.0\.2\.7 2:c:eth7 3::.*127\.0\.0\.1' || fail "$label: $(cat out)"
run "$corunna" run --tune tcp.interface=eth8 --hostfile machines sh -c "$interfaces"
expect_status 0
[ "$(sort -n out | tr '\n' ' ')" = '0:a:eth8 1:b:eth8 2:c:eth8 3::eth8 ' ] || fail "$label: $(cat out)"
printf 'a user=me port=2222\n' >machines
run "$corunna" run --hostfile machines -n 1 sh -c 'echo $AT'
expect_status 0
expect_out me@a
expect_sentence \
    'corunna run: machines, line 1: "port" is ignored, here and in the lines below; use --launcher '"'ssh -p N'"''

run "$corunna" run -n 5 --hosts a:2,b:2 true
expect_status 2
expect_sentence 'corunna run: 5 ranks do not fit the 4 slots of the hosts; --oversubscribe allows more'

# nonsense LINE SENTENCE
nonsense() {
    printf 'a\n%s\n' "$1" >nonsense
    run "$corunna" run --hostfile nonsense true
    expect_status 2
    expect_sentence "corunna run: nonsense, line 2: $2"
}
nonsense 'b slots=many' '"many" is not a valid number of slots'
nonsense 'b slots=0' '"0" is not a valid number of slots'
nonsense 'b slots' 'unknown word "slots"; after the name, slots=, max_slots=, user= and ifhn= are allowed'
nonsense 'b with cream' 'unknown word "with"; after the name, slots=, max_slots=, user= and ifhn= are allowed'
nonsense 'b ifhn=' '"" is not a valid interface name'
nonsense 'b user=-x' '"-x" is not a valid user name'
nonsense '-oProxyCommand=x' '"-oProxyCommand=x" is not a valid host name'
nonsense 'b;reboot' '"b;reboot" is not a valid host name'
nonsense 'b:x' '"x" is not a valid number of slots'
nonsense '[::1' '"[::1" is not a valid host name'
head -c 3000 /dev/urandom >nonsense
run "$corunna" run --hostfile nonsense true
expect_status 2
expect_err '^corunna run: nonsense, line [0-9]*: '
: >nonsense
run "$corunna" run --hostfile nonsense true
expect_status 2
expect_sentence 'corunna run: the machines file nonsense has no hosts'

# Inside an allocation of Slurm the hosts are known, and srun reaches them: here one that only records how it
# was called.
mkdir fake
cat >fake/srun <<'FAKE'
#!/bin/sh
echo "$@" >>"$FAKE_LOG"
for word in "$@"; do
    case $word in
        --nodelist=*) AT=${word#--nodelist=} ;;
    esac
done
export AT
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
FAKE
chmod +x fake/srun
slurm() {
    run env -u CORUNNA_RUN_LAUNCHER PATH="$PWD/fake:$PATH" FAKE_LOG="$PWD/fake.log" SLURM_JOB_NODELIST='n[1-2],m' \
        SLURM_TASKS_PER_NODE='2(x2),1' "$corunna" run "$@" sh -c "$where"
    placed=$(sort -n out | tr '\n' ' ')
}
slurm
expect_status 0
expect_places '0:n1:0/2 1:n1:1/2 2:n2:0/2 3:n2:1/2 4:m:0/1'
[ "$(wc -l <fake.log)" -eq 3 ] && grep -q -- '--nodelist=n2.* agent$' fake.log || fail "$label: $(cat fake.log)"
slurm -n 2 --map node
expect_places '0:n1:0/1 1:n2:0/1'
slurm -n 6
expect_status 2
expect_err 'the 5 slots of the hosts'
# Hosts given by an option override it.
slurm --hosts localhost
expect_places '0::0/1'
run env SLURM_JOB_NODELIST='n[1-' SLURM_TASKS_PER_NODE=1 "$corunna" run true
expect_status 2
expect_err "^corunna run: cannot parse Slurm's node list"

# ---- what ranks get -------------------------------------------------------------------------------------------------
run env MINE=yes CORUNNA_LOG=info "$corunna" run --hosts a -x MINE -x GIVEN=1 --env PAIR=2 -env WORDS 3 \
    sh -c 'echo $MINE $GIVEN $PAIR $WORDS $CORUNNA_LOG $CORUNNA_RUN_FAN'
expect_out 'yes 1 2 3 info'
mkdir below
run "$corunna" run --hosts a,b --wdir below pwd
expect_out "$(printf '%s/below\n%s/below' "$PWD" "$PWD")"
run "$corunna" run --hosts a,b --wdir missing true
expect_status 1
expect_err "on host [ab]: cannot change to the directory $PWD/missing: No such file or directory; ending the job"
mkdir gone
run sh -c 'cd gone && rmdir ../gone && exec "$0" run --hosts a,b true' "$corunna"
expect_status 1
expect_err 'the current directory does not exist any more (No such file or directory); choose another with --wdir'
mkdir gone
run sh -c 'cd gone && rmdir ../gone && exec "$0" run --hosts a,b --wdir / pwd' "$corunna"
expect_out "$(printf '/\n/')"
printf '\357\273\277a\nb\n' > marked
run "$corunna" run --hostfile marked pwd
expect_out "$(printf '%s\n%s' "$PWD" "$PWD")"
run "$corunna" run --hosts a,b ./missing
expect_status 127
expect_err 'on host [ab]: cannot run ./missing: No such file or directory; ending the job'
run "$corunna" run --hosts a,b --bind hwthread sh -c 'grep -c "^Cpus_allowed_list:.[0-9]*$" /proc/self/status'
expect_out "$(printf '1\n1')"

# stdin goes to rank 0 only, wherever that is; a rank that does not read it does no harm.
seq 1 50000 >numbers
sum=$(md5sum <numbers)
for hosts in a,b localhost,a b,localhost; do
    run sh -c '"$0" run --hosts "$1" --map node sh -c md5sum <numbers' "$corunna" "$hosts"
    [ "$(grep -c "$sum" out)" -eq 1 ] || fail "$label: $(cat out)"
    run sh -c 'yes | "$0" run --hosts "$1" true' "$corunna" "$hosts"
    expect_status 0
    run sh -c 'yes | "$0" run --hosts "$1" sh -c "test \$PMI_RANK = 1 || head -c 3"' "$corunna" "$hosts"
    expect_out "$(printf 'y\ny')"
done

# Or a copy to all: those that do not read it, or close it, do not keep the others from it.
mkfifo sums
cat >closed.sh <<'END'
# Rank 1 closes its stdin and stays until the others have read theirs.
[ "$PMI_RANK" = 1 ] || { md5sum && echo "$PMI_RANK" >sums; exit; }
exec <&- 3<>sums
ranks=1
while [ $ranks -lt "$PMI_SIZE" ]; do
    read -r rank <&3 && ranks=$((ranks + 1))
done
END
for options in '-n 3' '--hosts a,b,c' '--fan 1 --hosts a,localhost,b' '--hosts a:2,b:2'; do
    # shellcheck disable=SC2086
    run sh -c 'cat numbers | "$0" run --stdin all "$@" md5sum' "$corunna" $options
    expect_status 0
    [ "$(grep -c "$sum" out)" -eq "$(wc -l <out)" ] && [ "$(wc -l <out)" -ge 3 ] || fail "$label: $(cat out)"
    # shellcheck disable=SC2086
    run sh -c 'cat numbers | "$0" run --stdin all "$@" sh closed.sh' "$corunna" $options
    expect_status 0
    [ "$(grep -c "$sum" out)" -ge 2 ] || fail "$label: $(cat out)"
    # shellcheck disable=SC2086
    run sh -c 'yes | "$0" run --stdin all "$@" head -c 2' "$corunna" $options
    expect_status 0
    [ "$(sort -u out)" = y ] || fail "$label: $(cat out)"
done

# Output: whole lines, all of it, also with a slow reader.
ln -s "$rank_probe" "slow-$$"
label='slow reader'
"$corunna" run --fan 1 --hosts a,b,c "./slow-$$" lines 20000 100 2>err | {
    # Until the launcher's two processes sleep, and the ranks that have more to write.
    wait_until asleep "slow-$$" 3 && cat
} >out
expect_quiet
awk -F: 'NF != 3 || length($3) != 100 || $2 != seen[$1]++ { bad++ } END { exit bad || NR != 60000 }' out ||
    fail "$label: lines were lost or mixed"
run "$corunna" run --hosts a,b --tag-output sh -c 'echo one; echo two >&2; printf three'
[ "$(sort out)" = "$(printf '[0] one\n[0] three\n[1] one\n[1] three')" ] || fail "$label: $(cat out)"

# ---- PMI through agents, and agents through agents ------------------------------------------------------------------
for fan in 1 2 32; do
    run "$corunna" run --fan $fan --hosts a,b,c,localhost,d,e,f -n 14 "$probe" many 5
    expect_status 0
    expect_quiet
    [ "$(wc -l <out)" -eq 14 ] || fail "$label: $(cat out)"
done
run "$corunna" run --fan 2 --hosts a,b,c,d,e -n 5 "$probe" twice
expect_status 0
[ "$(wc -l <out)" -eq 10 ] || fail "$label: $(cat out)"

# ---- the end of a job -----------------------------------------------------------------------------------------------
for fan in 1 2 32; do
    run "$corunna" run --fan $fan --hosts a,b,c,d sh -c "test \$PMI_RANK = 2 && kill -9 \$\$; sleep $forever"
    expect_status 137
    expect_sentence 'corunna run: rank 2 on host c was killed by signal 9 (Killed); ending the job'
    expect_soon
    run "$corunna" run --fan $fan --hosts a,b,c,d "$probe" abort 3 7
    expect_status 7
    expect_err '^corunna run: rank 3 on host d aborted the job with status 7: the probe was told to; ending the job$'
    run "$corunna" run --fan $fan --hosts a,b,c,d "$probe" desert 1
    expect_status 1
    expect_err 'rank 1 on host b exited with status 0 after MPI_Init but before MPI_Finalize; ending the job'
    run "$corunna" run --fan $fan --hosts a,b,c sh -c 'test $PMI_RANK = 1 || exec "$0"' "$probe"
    expect_status 1
    expect_sentence 'corunna run: rank 1 on host b has ended while other ranks wait for it in MPI_Init; ending the job'
    run "$corunna" run --fan $fan --hosts a,b,c "$rank_probe" garbage 'gibberish'
    expect_status 1
    expect_err 'sent invalid PMI-1'
    run "$corunna" run --fan $fan --hosts a,b,c sh -c 'exit $((PMI_RANK * 3))'
    [ "$status" -eq 3 ] || [ "$status" -eq 6 ] || fail "$label: exit status $status"
    expect_err 'exited with status [36]; ending the job'
done
run "$corunna" run --timeout 0.7 --hosts a,b,c sh -c "trap '' TERM; sleep $forever; :"
expect_status 124
expect_soon

# More hosts than the fan; more output than fits any buffer.
run "$corunna" run -n 40 --hosts "$(seq -s , -f n%g 1 40)" "$probe"
expect_status 0
[ "$(wc -l <out)" -eq 40 ] || fail "$label: $(wc -l <out) lines"
run sh -c '"$0" run --hosts a,b sh -c "echo something; sleep $1" >/dev/full' "$corunna" "$forever"
expect_status 1
expect_sentence "corunna run: cannot write the ranks' output: No space left on device; ending the job"

# A launcher that does not launch, or launches something else.
run "$corunna" run --launcher 'sh -c "echo no such thing >&2; exit 3"' --hosts a,b true
expect_status 1
expect_err 'cannot start on host [ab]: no such thing; ending the job'
run "$corunna" run --launcher /nonexistent/ssh --hosts a,b true
expect_status 1
expect_sentence 'corunna run: cannot run /nonexistent/ssh to reach host a: No such file or directory; ending the job'
run "$corunna" run --launcher "sh -c 'open" --hosts a true
expect_status 2
run "$corunna" run --launcher 'sh -c "cat /dev/urandom"' --hosts a true
expect_status 1
expect_err "cannot start on host a: received [0-9]* bytes without an agent's greeting"
run "$corunna" run --launcher 'sh -c "echo corunna-agent/99"' --hosts a true
expect_status 1
expect_err 'cannot start on host a: its Corunna uses version'
run "$corunna" run --launcher 'sh -c "echo corunna-agent/5; head -c 100 /dev/zero"' --hosts a true
expect_status 1
expect_err 'cannot start on host a: '
run "$corunna" run --prefix /nonexistent --hosts a true
expect_status 1
expect_err 'cannot start on host a: .*/nonexistent/bin/corunna.*--prefix sets where Corunna is on other hosts'
# What a login says before does no harm.
run "$corunna" run --launcher "sh -c 'echo Welcome; exec \"\$@\"'" --hosts a,b "$probe"
expect_status 0
# An agent is not started by hand, and one that gets garbage reports it.
run sh -c 'echo nonsense that is longer than a header | "$0" agent >/dev/null' "$corunna"
expect_status 1
expect_err '^corunna agent: '
run sh -c '"$0" agent </dev/null >/dev/null' "$corunna"
expect_status 1
expect_sentence 'corunna agent: the launcher closed the connection before it sent a job'

# ---- a host that never answers --------------------------------------------------------------------------------------
# never LAUNCHER HOSTS SENTENCE [FAN]: told after --host-timeout, whose seconds are N in the sentence, and nothing is
# left of what tried to reach it. On a busy machine the hosts that do answer take their time: then they get more.
never() {
    mark="mark-never-$$"
    for seconds in 1 5 25 125; do
        run env MARK="$mark" "$corunna" run --host-timeout $seconds --launcher "$1" --fan "${4:-32}" --hosts "$2" true
        cause=$(echo "$3" | sed "s/within N s/within $seconds s/")
        sentence="corunna run: cannot start on host $cause; ending the job"
        [ "$(cat err)" != "$sentence" ] || break
    done
    expect_status 1
    expect_sentence "$sentence"
    [ "$took" -ge $((seconds * 1000 - 100)) ] || fail "$label: given up after $took ms"
    await "$mark" 0 || fail "$label: processes were left behind"
}
# Whatever reaches the host hangs before an agent speaks: without a word, with words of its own, after those of a login.
never "sh -c 'sleep $forever; : mark-never-$$'" a 'a: its agent did not answer within N s (--host-timeout)'
never "sh -c 'echo Trying... >&2; sleep $forever; : mark-never-$$'" a \
    'a: its agent did not answer within N s (--host-timeout); the command that reaches it says: Trying...'
never "sh -c 'while echo Welcome; do sleep 0.3; done; : mark-never-$$'" a \
    'a: its agent did not answer within N s (--host-timeout)'
# An agent that starts and goes no further.
never "sh -c 'echo corunna-agent/5; sleep $forever; : mark-never-$$'" a \
    'a: its agent started but sent no complete hello within N s (--host-timeout)'
# One of several, also one that another agent reaches.
cat >some <<SOME
#!/bin/sh
[ "\$1" != c ] || exec sleep $forever
shift
exec "\$@"
SOME
chmod +x some
never "$scratch/some {host}" a,b,c 'c: its agent did not answer within N s (--host-timeout)'
never "$scratch/some {host}" a,b,c 'c: its agent did not answer within N s (--host-timeout)' 1
# Patience that is asked for is had: more than the second of before.
run "$corunna" run --host-timeout $hang_s --launcher "sh -c 'sleep 1.5; exec \"\$@\"'" --hosts a,b echo here
expect_status 0
expect_out "$(printf 'here\nhere')"

# ---- an agent of another version ------------------------------------------------------------------------------------
version=$("$corunna" --version | sed 's/^Corunna //')
other=$(echo "$version" | tr 0-9 9)
cat >older <<OLDER
#!/bin/sh
shift
"\$@" | sed -u 's/$version/$other/'
OLDER
chmod +x older
run "$corunna" run --launcher "$scratch/older {host}" --hosts a,b true
expect_status 1
expect_err "cannot start on host [ab]: Corunna there is $other, here $version: all hosts of a job need the same"
expect_soon

# ---- nothing stays --------------------------------------------------------------------------------------------------
family="sh -c \"sleep $forever; :\" \$0 & setsid sh -c \"sleep $forever; :\" \$0 & wait"

# start MARK FAN: four hosts, each rank with two children; the marks are on the front's and the worker's lines too.
start() {
    mark=$1
    setsid "$corunna" run --fan "$2" --hosts a,b,c,d sh -c "$family" "$mark" >out 2>err &
    job=$!
    await "$mark" 14 || fail "$mark: the job did not start"
}

ended() {
    wait_for_job
    label=$mark
    expect_status "$1"
    expect_soon
    await "$mark" 0 || fail "$mark: processes were left behind"
}

# agents: the process ids of our agents, those that hold the ranks.
agents() {
    for agent in $(grep -laE '^[^ ]*corunna.agent.$' /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3); do
        tr '\0' '\n' <"/proc/$agent/environ" 2>/dev/null | grep -qx "MARK_OF_TEST=$$" && echo "$agent"
    done
}
export MARK_OF_TEST=$$

for fan in 1 32; do
    start "mark-int-$$-$fan" $fan
    kill -INT "$job"
    ended 130

    start "mark-kill-front-$$-$fan" $fan
    kill -9 "$job"
    ended 137

    start "mark-kill-worker-$$-$fan" $fan
    read -r worker rest <"/proc/$job/task/$job/children"
    kill -9 "$worker"
    ended 137

    start "mark-kill-group-$$-$fan" $fan
    kill -9 -"$job"
    ended 137

    # An agent, and then what waits in front of one.
    start "mark-agent-$$-$fan" $fan
    victim=$(agents | sort -n | tail -n 1)
    kill -9 "$victim"
    ended 1
    expect_err 'host [abcd] is lost: its agent has ended\|the agent on host [abcd] was killed'
done
[ -z "$(agents)" ] || fail "agents were left behind: $(agents)"

# are_stopped WORD AGENTS: have all of them stopped (T), or all not (S, since they wait)?
are_stopped() {
    for agent in $2; do
        grep -q "^State:.$1" "/proc/$agent/status" || return 1
    done
}

# A host that falls silent is noticed: one that is stopped says nothing. A short silence does not end the job, neither
# at once nor a little later.
export CORUNNA_RUN_HOST_TIMEOUT=$hang_s
start "mark-silent-$$" 32
stopped=$(agents)
# shellcheck disable=SC2086
kill -STOP $stopped
wait_until are_stopped T "$stopped" || fail "$mark: the agents do not stop"
# shellcheck disable=SC2086
kill -CONT $stopped
wait_until are_stopped S "$stopped" || fail "$mark: the agents do not go on"
sleep 0.2
kill -0 "$job" && await "$mark" 14 || fail "$mark: a short silence has ended the job: $(cat err)"
kill -TERM "$job"
ended 143

# A longer one does. Where the hosts need longer to start than they may be silent, which ends the job too, they get
# more.
has_started_or_ended() {
    are_alive "$mark" 8 || ! kill -0 "$job" 2>/dev/null
}
for seconds in 2 10 50 250; do
    mark="mark-stopped-$$-$seconds"
    setsid "$corunna" run --host-timeout $seconds --hosts a,b sh -c "$family" "$mark" >out 2>err &
    job=$!
    wait_until has_started_or_ended
    stopped=$(agents)
    # shellcheck disable=SC2086
    kill -STOP $stopped
    wait_for_job
    # shellcheck disable=SC2086
    kill -CONT $stopped 2>/dev/null
    ! grep -q 'cannot start on host' err || continue
    label=$mark
    expect_status 1
    expect_err "host [ab] is lost: nothing was heard of it for $seconds s; ending the job"
    break
done
await "$mark" 0 || fail "$mark: processes were left behind"

finish
