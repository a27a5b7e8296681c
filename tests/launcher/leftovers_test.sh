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
    await "$mark" "$3" 50 || fail "$mark: the job did not start"
}

# All ranks have set their traps, and say so: what comes before would end them at once.
set_traps() {
    tries=0
    until [ "$(grep -c ready err)" = 3 ]; do
        tries=$((tries + 1))
        [ $tries -le 100 ] || { fail "$mark: the ranks set no traps" && return; }
        sleep 0.1
    done
}

# ended STATUS TENTHS: the launcher ends with STATUS, in time, and nothing is left.
ended() {
    wait_for_job
    label=$mark
    expect_status "$1"
    expect_within "$2"
    await "$mark" 0 20 || fail "$mark: processes were left behind"
}

# The front, its worker, 3 ranks, 6 children: all carry the mark.
family="sh -c \"sleep 60; :\" \$0 & setsid sh -c \"sleep 60; :\" \$0 & wait"

start "mark-int-$$" "$family" 11
kill -INT "$job"
ended 130 2500

start "mark-term-$$" "$family" 11
kill -TERM "$job"
ended 143 2500

start "mark-hup-$$" "$family" 11
kill -HUP "$job"
ended 129 2500

# Deaf ranks: the second ^C does not wait.
start "mark-deaf-$$" 'trap "" INT TERM; echo ready >&2; while :; do sleep 1; done' 5
set_traps
kill -INT "$job"
sleep 0.3
kill -INT "$job"
ended 130 1000

# Deaf ranks and only one ^C: killed after two seconds.
start "mark-once-$$" 'trap "" INT TERM; echo ready >&2; while :; do sleep 1; done' 5
set_traps
kill -INT "$job"
ended 130 3000

# ^C as a terminal sends it, to the launcher's whole process group.
start "mark-group-$$" "$family" 11
kill -INT -"$job"
ended 130 2500

# The signal arrives in the ranks, which may end as they like.
start "mark-polite-$$" 'trap "echo bye; exit 0" TERM; echo ready >&2; while :; do sleep 0.1; done' 5
set_traps
kill -TERM "$job"
ended 143 2500
[ "$(cat out)" = "$(printf 'bye\nbye\nbye')" ] || fail "mark-polite: the ranks did not get the signal: $(cat out)"

# SIGUSR1 is passed on and ends nothing.
start "mark-user-$$" 'trap "echo got it; exit 0" USR1; echo ready >&2; while :; do sleep 0.1; done' 5
set_traps
kill -USR1 "$job"
ended 0 2500
[ "$(cat out)" = "$(printf 'got it\ngot it\ngot it')" ] || fail "mark-user: $(cat out)"

# kill -9 of the launcher: of the process the user started, then of the one that holds the ranks.
start "mark-kill-front-$$" "$family" 11
kill -9 "$job"
ended 137 1000

# Of the whole process group, as `timeout -s KILL` does it.
start "mark-kill-group-$$" "$family" 11
kill -9 -"$job"
ended 137 1000

start "mark-kill-worker-$$" "$family" 11
read -r worker rest <"/proc/$job/task/$job/children"
kill -9 "$worker"
ended 137 1000
grep -q 'corunna run: the launcher was killed by signal 9' err || fail "mark-kill-worker: nothing was said: $(cat err)"

finish
