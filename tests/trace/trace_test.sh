#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What others see of a job: trace_test.sh CORUNNA JOB CHECK PART [JAR CLASSES]
. "$(dirname "$0")/../launcher/launcher_lib.sh"
job_program=$2
check=$3
part=$4
jar=${5:-}
classes=${6:-}

# until_ps WORD PATTERN: until `corunna ps WORD` says this, which is left in `seen`.
ps_says() {
    "$corunna" ps "$1" >seen 2>seen.err && grep -q -- "$2" seen
}
until_ps() {
    wait_until ps_says "$@" || fail "corunna ps $1 never says \"$2\" but: $(cat seen seen.err)"
}

# begin WORDS...: a job in the background, whose launcher has the process id $job.
begin() {
    setsid "$corunna" run "$@" >out 2>err &
    job=$!
}

# stop: end it.
stop() {
    kill -TERM "$job" 2>/dev/null
    wait "$job" 2>/dev/null
}

has() {
    grep -q -- "$2" "$1" || fail "$1 lacks \"$2\": $(head -c 1500 "$1")"
}

has_not() {
    ! grep -q -- "$2" "$1" || fail "$1 has \"$2\": $(head -c 1500 "$1")"
}

# stats_row CALL CALLS BYTES
stats_row() {
    grep -qE "^corunna run: $1 +$2 +$3 " err || fail "$label: no row $1 $2 $3: $(cat err)"
}

case $part in
ps)
    # Several words of one job, and a job that does not exist.
    begin -n 3 "$job_program" ring
    until_ps "$job" \
        'deadlock: rank 0 waits for 1 (MPI_Recv), rank 1 waits for 2 (MPI_Recv), rank 2 waits for 0 (MPI_Recv)$'
    has seen "^rank 0 on $host, pid [0-9]*: in MPI_Recv from 1, tag 7, 4 B, since [0-9.]* s$"
    "$corunna" ps >list || fail "corunna ps fails"
    name=$(awk -v job="$job" '$1 ~ "^" job "_" { print $1 }' list)
    [ -n "$name" ] || fail "corunna ps does not list the job of $job: $(cat list)"
    grep -qE "^$name +[0-9]+ +3 +1 +3 .*run -n 3 .*trace_job ring" list || fail "the row of the job is $(cat list)"
    until_ps "$name" deadlock
    until_ps "${name%???}" deadlock
    # SIGQUIT prints the same, and ends nothing.
    kill -QUIT "$job"
    await_lines err 'deadlock:'
    has err "^corunna run: rank 2 on $host, pid [0-9]*: in MPI_Recv from 0, tag 7, 4 B, since"
    has err '^corunna run: deadlock: rank 0 waits for 1'
    kill -0 "$job" 2>/dev/null || fail "SIGQUIT ended the launcher"
    stop
    run "$corunna" ps "$name"
    expect_status 1
    expect_err "there is no job \"$name\" here"
    run "$corunna" ps --all
    expect_status 2
    expect_err 'unexpected "--all"'
    run "$corunna" ps 1 2
    expect_status 2
    run "$corunna" ps --help
    expect_status 0

    # A rank that all others wait for; what is queued; no deadlock where there is none.
    begin -n 4 "$job_program" missing
    until_ps "$job" 'all other ranks wait for rank 2, which is in MPI_Recv from any rank'
    has seen 'rank 1 .*in MPI_Barrier of 4 ranks, since'
    has_not seen deadlock
    stop
    begin -n 3 "$job_program" sends
    until_ps "$job" 'deadlock: rank 0 waits for 1 (MPI_Ssend), rank 1 waits for 0 (MPI_Ssend)$'
    has seen '^rank 1 .*in MPI_Ssend to 0, tag 3, 64 B, since'
    until_ps "$job" '^rank 2 .*in MPI_Bcast of 2 ranks, waiting for 1, since'
    stop
    begin -n 2 "$job_program" queue
    until_ps "$job" '^rank 0 .*in MPI_Wait from 1, tag 4, since [0-9.]* s; 3 messages (24 B) queued$'
    until_ps "$job" '^rank 1 .*: computing$'
    until_ps "$job" 'all other ranks wait for rank 1, which is computing$'
    stop
    begin -n 3 "$job_program" gather
    until_ps "$job" 'all other ranks wait for rank 2, which is computing$'
    has_not seen deadlock
    stop
    begin -n 2 sleep $forever
    until_ps "$job" '^rank 1 on .*: not in MPI yet$'
    stop
    # What others have on their command lines does nothing to the terminal.
    begin -n 1 sh -c "sleep $forever; :" "$(printf 'red\033[31m\177')"
    until_ps "$job" '^rank 0 on '
    "$corunna" ps >list || fail "corunna ps fails"
    has list 'red \[31m '
    [ "$(tr -d '\n' <list | LC_ALL=C tr -cd '\000-\037\177' | wc -c)" -eq 0 ] ||
        fail "corunna ps prints control bytes: $(od -c list | head -20)"
    stop
    ;;
stall)
    # Told once. Not told: one that computes, and one that is not to be told of.
    setsid "$corunna" run -n 2 --stall 1 "$job_program" queue 2>err.computing &
    computing=$!
    setsid "$corunna" run -n 2 --stall 0 "$job_program" ring 2>err.unwatched &
    unwatched=$!
    until_ps "$computing" 'all other ranks wait for rank 1, which is computing$'
    until_ps "$unwatched" deadlock
    begin -n 3 --stall 1 "$job_program" ring
    await_lines err '^corunna run: deadlock:'
    # Nothing more comes, however long it is waited for.
    sleep 1.5
    kill -0 "$job" && kill -0 "$computing" && kill -0 "$unwatched" || fail "a stall has ended a job"
    stop
    [ "$(grep -c 'every rank waits, and nothing has moved for 1 s; the job goes on' err)" -eq 1 ] ||
        fail "$label: the stall was not told once: $(cat err)"
    has err '^corunna run: deadlock: rank 0 waits for 1 (MPI_Recv), rank 1 waits for 2'
    has err "^corunna run: rank 1 on $host, pid [0-9]*: in MPI_Recv from 2, tag 7, 4 B, since"

    # Ranks that wait for each other while another one computes: told, and not after a minute.
    begin -n 3 "$job_program" pair
    await_lines err '^corunna run: deadlock: rank 0 waits for 1 (MPI_Recv), rank 1 waits for 0 (MPI_Recv)$'
    has err '^corunna run: ranks wait for each other, and none of them has moved for 10 s; the job goes on:$'
    has err "^corunna run: rank 2 on $host, pid [0-9]*: computing$"
    stop
    for name in computing unwatched; do
        eval "job=\$$name"
        stop
        has_not err.$name 'nothing has moved'
    done
    ;;
files)
    run "$corunna" run -n 4 --stats --html page.html --trace trace.json "$job_program" count
    expect_status 0
    stats_row MPI_Send 15 1500
    stats_row MPI_Recv 15 1500
    stats_row MPI_Isend 1 1000
    stats_row MPI_Irecv 1 0
    stats_row MPI_Waitall 4 1000
    stats_row MPI_Allreduce 12 384
    stats_row MPI_Barrier 8 0
    stats_row MPI_Bcast 4 96
    has err '^corunna run: 16 messages, 2500 bytes by sends of the program$'
    has err '^corunna run:   1 -> 0: 1, 1000$'
    has err '^corunna run:   0 -> 3: 5, 500$'
    has err '^corunna run: load imbalance'
    has page.html 'title="1 to 0: 1 messages, 1000 bytes"'
    has page.html '<td>MPI_Allreduce</td><td>12</td><td>384</td>'
    has_not page.html 'https\{0,1\}://\|<script'
    "$check" trace.json >got 2>&1 || fail "trace.json: $(cat got)"
    grep -v '^waiting\|^algorithm' got >calls
    printf '%s\n' 'MPI_Allreduce 12 bytes 384' 'MPI_Barrier 8 bytes 0' 'MPI_Bcast 4 bytes 96' 'MPI_Irecv 1 bytes 0' \
        'MPI_Isend 1 bytes 1000' 'MPI_Recv 15 bytes 1500' 'MPI_Send 15 bytes 1500' 'MPI_Waitall 4 bytes 1000' \
        'hosts 1' 'ranks 4' >wanted
    cmp -s calls wanted || fail "trace.json holds $(cat got)"
    has got "^algorithm "

    # The algorithm is the one that was forced.
    CORUNNA_COLL_BCAST=mst run "$corunna" run -n 3 --trace trace.json "$job_program" count
    expect_status 0
    expect_quiet
    "$check" trace.json >got
    has got '^algorithm mst$'
    has trace.json '"name":"MPI_Bcast".*"bytes":24,"ranks":3.*"algorithm":"mst"'

    # Bounded memory: the last calls stay, and the rest is told of.
    run "$corunna" run -n 2 --trace trace.json --tune trace.events=50 "$job_program" many
    expect_status 0
    expect_sentence "corunna run: trace.json lacks the first 300 calls of 2 ranks: \
it keeps the last 50 of each (setting trace.events)"
    "$check" trace.json >got
    has got '^MPI_Send 50 bytes 50$'
    has trace.json '"name":"150 earlier calls are not here"'

    # A pipe that nobody reads is not waited for, and the time limit holds; one that is read has the timeline.
    mkfifo pipe
    run "$corunna" run -n 2 --trace pipe --timeout 1 sleep $forever
    expect_status 124
    has err '^corunna run: the job has run for 1 s (--timeout); ending the job$'
    has err '^corunna run: cannot write .*pipe: it is a pipe that nobody reads$'
    run "$corunna" run -n 2 --trace pipe true
    expect_status 1
    expect_err '^corunna run: cannot write .*pipe: it is a pipe that nobody reads$'
    exec 3<>pipe
    cat pipe 3<&- >trace.json &
    reader=$!
    run "$corunna" run -n 4 --trace pipe "$job_program" count
    exec 3>&-
    expect_status 0
    wait $reader
    "$check" trace.json >got 2>&1 || fail "the timeline from a pipe: $(cat got)"
    has got '^MPI_Send 15 bytes 1500$'
    # A reader that does not read on, and a timeline that fills the pipe: once the job is at its end a signal ends the
    # launcher.
    begun_to_write() {
        exec 3<>pipe
        "$corunna" run -n 40 --trace pipe "$job_program" count >out 2>err &
        job=$!
        label=$1
        dd bs=1 count=1 <&3 >trace.json 2>dd
    }
    begun_to_write 'a reader that does not read'
    kill -TERM $job
    wait_for_job
    exec 3>&-
    [ "$status" -eq 143 ] || fail "$label: exit status $status"
    # A signal that ends no job does not end the launcher there: it waits until the timeline is read.
    begun_to_write 'a signal while the timeline is written'
    kill -USR1 $job
    is_passed_on() {
        grep -q '^State:.S' /proc/$job/status && grep -q '^ShdPnd:.*[014589cd]..$' /proc/$job/status
    }
    wait_until is_passed_on || fail "$label: the launcher does not take it"
    cat pipe 3>&- >>trace.json &
    reader=$!
    wait_for_job
    exec 3>&-
    wait $reader
    expect_status 0
    expect_quiet
    "$check" trace.json >got 2>&1 || fail "$label: $(cat got)"

    # A job that fails has its timeline all the same.
    run "$corunna" run -n 3 --trace trace.json "$job_program" abort
    expect_status 3
    "$check" trace.json >got || fail "the timeline of an aborted job: $(cat got)"
    has got '^MPI_Send 10 bytes 1000$'
    has got '^MPI_Bcast 3 bytes 72$'
    run "$corunna" run -n 3 --trace trace.json --stats "$job_program" kill
    expect_status 134
    "$check" trace.json >got || fail "the timeline of a killed job: $(cat got)"
    has got '^MPI_Bcast 3 bytes 72$'
    stats_row MPI_Send 10 1000

    # Programs that do not call MPI.
    run "$corunna" run -n 2 --trace trace.json --stats true
    expect_status 0
    expect_sentence 'corunna run: no rank has called MPI_Init: there are no statistics'

    # What cannot be written, before the job and after it.
    run "$corunna" run -n 2 --trace /nonexistent/trace.json "$job_program" count
    expect_status 2
    expect_sentence 'corunna run: cannot write /nonexistent/trace.json: No such file or directory'
    run "$corunna" run -n 2 --trace /dev/full "$job_program" count
    expect_status 1
    expect_sentence 'corunna run: cannot write /dev/full: No space left on device'
    run "$corunna" run -n 2 --trace /dev/full "$job_program" abort
    expect_status 3
    run "$corunna" run -n 2 --stats --html /dev/full "$job_program" count
    expect_status 1
    has err 'cannot write /dev/full: No space left on device'
    if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=16k none small 2>/dev/null; then
        echo before >small/trace.json
        run "$corunna" run -n 2 --trace small/trace.json "$job_program" many
        kept=$(cat small/trace.json)
        left=$(ls small)
        umount small
        expect_status 1
        expect_err '^corunna run: cannot write .*small/trace.json: No space left on device$'
        [ "$kept" = before ] || fail "$label: what was there before is gone"
        [ "$left" = trace.json ] || fail "$label: left behind: $left"
    fi
    run "$corunna" run -n 2 --html page.html "$job_program" count
    expect_status 2
    expect_sentence 'corunna run: --html writes the statistics as a page, so it needs --stats'
    for words in '--stall soon' '--stall -1' '--trace' '--stats=7' '--tune trace.events=3' '--stall 99999999999'; do
        # shellcheck disable=SC2086
        run "$corunna" run $words
        expect_status 2
    done
    run "$corunna" run --stat -n 2 true
    expect_err 'unknown option --stat; did you mean --stats?'
    run "$corunna" run --trace '' -n 2 true
    expect_sentence 'corunna run: --trace is empty; it must be the path of a file'
    ;;
hosts)
    # Three hosts, each with a space of process ids of its own, and a clock of its own where the system can have that;
    # agents two deep.
    unshare --pid --fork --kill-child --mount-proc true 2>/dev/null || {
        echo "skipped: a space of process ids cannot be made here, which takes root"
        exit 77
    }
    clocks='--time --monotonic 86400'
    # shellcheck disable=SC2086
    unshare $clocks --pid --fork --kill-child --mount-proc true 2>/dev/null || clocks=
    export CORUNNA_RUN_LAUNCHER="unshare $clocks --pid --fork --kill-child --mount-proc env AT={host}"
    unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE
    run "$corunna" run --fan 1 --hosts a:2,b:1,c:1 --stats --trace trace.json "$job_program" count
    expect_status 0
    stats_row MPI_Send 15 1500
    stats_row MPI_Bcast 4 96
    has err '^corunna run: 16 messages, 2500 bytes by sends of the program$'
    "$check" trace.json 600 >got 2>&1 || fail "the timeline of several hosts: $(cat got)"
    has got '^MPI_Recv 15 bytes 1500$'
    has got '^hosts 3$'
    has got '^ranks 4$'
    begin --fan 1 --hosts a:2,b:1,c:1 --stall 2 "$job_program" ring
    until_ps "$job" "deadlock: rank 0 waits for 1 (MPI_Recv), rank 1 waits for 2 (MPI_Recv), \
rank 2 waits for 3 (MPI_Recv), rank 3 waits for 0"
    await_lines err 'deadlock: rank 0 waits for 1'
    has err 'nothing has moved for 2 s; the job goes on'
    has err '^corunna run: rank 3 on c, pid [0-9]*: in MPI_Recv from 0, tag 7, 4 B, since [0-9]\{1,2\}\.[0-9] s$'
    stop
    ;;
others)
    # Ranks that another launcher starts write files of their own, and so does one without a launcher.
    if ! command -v mpiexec.hydra >/dev/null; then
        [ "$CI" != true ] || fail "mpiexec.hydra is not here"
        echo "skipped: there is no mpiexec.hydra here"
        [ $failures -eq 0 ] && exit 77
        exit 1
    fi
    export CORUNNA_TRACE_FILE="$scratch/trace.json" CORUNNA_TRACE_STATS=yes CORUNNA_TRACE_HTML=page
    run mpiexec.hydra -n 3 "$job_program" count
    expect_status 0
    for rank in 0 1 2; do
        "$check" trace.$rank.json >got 2>&1 || fail "trace.$rank.json: $(cat got)"
        has got '^ranks 1$'
        has got '^MPI_Allreduce 3 bytes 96$'
        has trace.$rank.json "\"name\":\"rank $rank\""
        has page.$rank '<td>MPI_Allreduce</td><td>3</td><td>96</td>'
        grep -qE "^corunna: rank $rank: MPI_Barrier +2 +0 " err || fail "no statistics of rank $rank: $(cat err)"
    done
    has err '^corunna: rank 0:   0 -> 2: 5, 500$'
    has err '^corunna: rank 1:   1 -> 0: 1, 1000$'
    [ ! -e trace.json ] || fail "one of the ranks has written trace.json"
    run mpiexec.hydra -n 2 "$job_program" abort
    "$check" trace.1.json >got || fail "the timeline of a rank that aborts: $(cat got)"
    has got '^MPI_Bcast 1 bytes 24$'
    unset CORUNNA_TRACE_HTML CORUNNA_TRACE_STATS
    run "$job_program" alone
    expect_status 0
    expect_quiet
    "$check" trace.json >got 2>&1 || fail "trace.json of one rank: $(cat got)"
    has got '^MPI_Barrier 1 bytes 0$'
    # What cannot be written is told, and the ranks go on.
    export CORUNNA_TRACE_FILE=/nonexistent/trace.json
    run mpiexec.hydra -n 2 "$job_program" count
    expect_status 0
    [ "$(grep -c '^corunna: .*cannot write /nonexistent/trace.[01].json: No such file or directory' err)" -eq 2 ] ||
        fail "$label: $(cat err)"
    ;;
java)
    light='-XX:+UseSerialGC -XX:TieredStopAtLevel=1'
    # shellcheck disable=SC2086
    run "$corunna" run -n 2 --stats --trace trace.json java $light -cp "$jar:$classes" TraceJob count
    expect_status 0
    stats_row Comm.Send 5 500
    stats_row Comm.Recv 5 500
    stats_row Comm.Isend 1 4000
    stats_row Request.Wait 2 4000
    stats_row Comm.Bcast 6 144
    has err '^corunna run: 6 messages, 4500 bytes by sends of the program$'
    "$check" trace.json >got 2>&1 || fail "trace.json: $(cat got)"
    has got '^Comm.Send 5 bytes 500$'
    has got '^Comm.Bcast 6 bytes 144$'
    has got '^Comm.Barrier 2 bytes 0$'
    # shellcheck disable=SC2086
    begin -n 2 --stall 1 java $light -cp "$jar:$classes" TraceJob ring
    until_ps "$job" deadlock
    await_lines err deadlock
    stop
    has err 'deadlock: rank 0 waits for 1 (Comm.Recv), rank 1 waits for 0 (Comm.Recv)$'

    # Ranks that are threads: the process tells and writes it all itself.
    # shellcheck disable=SC2086
    run java $light -Dcorunna.trace.file=trace.json -Dcorunna.trace.stats=yes -jar "$jar" -np 2 -cp "$classes" \
        TraceJob count
    expect_status 0
    has err '^corunna: Comm.Send  *5  *500 '
    has err '^corunna:   1 -> 0: 1, 4000$'
    "$check" trace.json >got 2>&1 || fail "trace.json of threads: $(cat got)"
    has got '^Comm.Recv 5 bytes 500$'
    # shellcheck disable=SC2086
    setsid java $light -Dcorunna.trace.stall=1 -jar "$jar" -np 2 -cp "$classes" TraceJob ring >out 2>err &
    job=$!
    until_ps "$job" 'deadlock: rank 0 waits for 1 (Comm.Recv), rank 1 waits for 0 (Comm.Recv)$'
    has seen "^rank 1 on $host, pid $job: in Comm.Recv from 0, tag 7, 4 B, since"
    await_lines err 'deadlock:'
    has err '^corunna: every rank waits, and nothing has moved for 1 s; the job goes on:$'
    has err '^corunna: deadlock: rank 0 waits for 1'
    kill -KILL "$job" 2>/dev/null
    wait "$job" 2>/dev/null
    ;;
esac

finish
