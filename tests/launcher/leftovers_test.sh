#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# However the launcher is ended, nothing of the job stays.
. "$(dirname "$0")/launcher_lib.sh"

# start MARK SCRIPT: a job of 3 ranks, each with a child and a child in its own session, all with MARK on their
# command lines; in its own session, as from a terminal. Leaves its process id in $job.
start() {
    mark=$1
    setsid "$corunna" run -n 3 sh -c "$2" "$mark" >out 2>err &
    job=$!
    await "$mark" "$3" || fail "$mark: the job did not start"
}

# All ranks have set their traps, and say so: what comes before would end them at once.
set_traps() {
    await_lines err ready 3 || fail "$mark: the ranks set no traps"
}

# ended STATUS: the launcher ends with STATUS, soon, and nothing is left.
ended() {
    wait_for_job
    label=$mark
    expect_status "$1"
    expect_soon
    await "$mark" 0 || fail "$mark: processes were left behind"
}

# The front, its worker, 3 ranks, 6 children: all carry the mark.
family="sh -c \"sleep $forever; :\" \$0 & setsid sh -c \"sleep $forever; :\" \$0 & wait"
stay="echo ready >&2; sleep $forever & wait"
deaf="trap '' INT TERM; echo ready >&2; sleep $forever; :"

start "mark-int-$$" "$family" 11
kill -INT "$job"
ended 130

start "mark-term-$$" "$family" 11
kill -TERM "$job"
ended 143

start "mark-hup-$$" "$family" 11
kill -HUP "$job"
ended 129

# has_taken PID: it has no ^C (signal 2) that it has not taken yet.
has_taken() {
    ! grep -q 'ShdPnd:.*[2367abef]$' "/proc/$1/status"
}

# Deaf ranks and only one ^C: killed after two seconds.
start "mark-once-$$" "$deaf" 5
set_traps
first=$(now_ms)
kill -INT "$job"
ended 130
took=$(($(now_ms) - first))
[ "$took" -ge 2000 ] || fail "$mark: took $took ms, the deaf ranks had less than two seconds"

# The second ^C does not wait. A busy machine may need as long for it: one job of several shows it.
for try in 1 2 3 4 5 6 7 8 9 10; do
    start "mark-deaf-$$-$try" "$deaf" 5
    set_traps
    first=$(now_ms)
    kill -INT "$job"
    wait_until has_taken "$job"
    kill -INT "$job"
    ended 130
    took=$(($(now_ms) - first))
    [ "$took" -ge 2000 ] || break
done
[ "$took" -lt 2000 ] || fail "$mark: the second ^C waits"

# ^C as a terminal sends it, to the launcher's whole process group.
start "mark-group-$$" "$family" 11
kill -INT -"$job"
ended 130

# The signal arrives in the ranks, which may end as they like.
start "mark-polite-$$" "trap 'echo bye; exit 0' TERM; $stay" 5
set_traps
kill -TERM "$job"
ended 143
[ "$(cat out)" = "$(printf 'bye\nbye\nbye')" ] || fail "mark-polite: the ranks did not get the signal: $(cat out)"

# SIGUSR1 is passed on and ends nothing.
start "mark-user-$$" "trap 'echo got it; exit 0' USR1; $stay" 5
set_traps
kill -USR1 "$job"
ended 0
[ "$(cat out)" = "$(printf 'got it\ngot it\ngot it')" ] || fail "mark-user: $(cat out)"

# kill -9 of the launcher: of the process the user started, then of the one that holds the ranks.
start "mark-kill-front-$$" "$family" 11
kill -9 "$job"
ended 137

# Of the whole process group, as `timeout -s KILL` does it.
start "mark-kill-group-$$" "$family" 11
kill -9 -"$job"
ended 137

start "mark-kill-worker-$$" "$family" 11
read -r worker rest <"/proc/$job/task/$job/children"
kill -9 "$worker"
ended 137
grep -q 'corunna run: the launcher was killed by signal 9' err || fail "mark-kill-worker: nothing was said: $(cat err)"

finish
