#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every figure that is asked of fast sockets (aims.txt): C programs, real servers and Java, plain and accelerated, in
# turns, so that what the machine does besides meets all ways. The machine should be idle. It takes five minutes.
#
#   compare.sh BUILD [ROUNDS [TEST...]]      BUILD: the build folder; writes BUILD/compare.csv and a table; ends with 1
#                                            where a figure is missed
#
# Tests, all over 127.0.0.1; the time of a message is half of a round trip:
#   c-64 c-1m            a message of 64 B and of 1 MiB, blocking
#   echo-16 echo-50      requests of 64 B to an epoll server with so many connections
#   idle-1000            the same with 50 connections and 1000 idle ones
#   pairs-16             16 clients and as many servers, processes that block
#   redis-get            GET by redis-benchmark with 50 connections
#   wrk                  a small page of nginx with two workers, 40 connections
#   pgbench              selects (-S), 4 connections
#   hsqldb               selects of one row by JDBC
#   java-64 java-1m      byte[] by the streams of a socket
#   java-doubles         double[131072] by object streams; direct: by FastChannel
#   rmi-null rmi-doubles a call without an argument, and with a double[131072]
set -eu
if [ $# -lt 1 ] || ! [ -x "$1/bin/corunna" ]; then
    echo "usage: compare.sh BUILD [ROUNDS [TEST...]]; BUILD is a folder with bin/corunna" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
rounds=${2:-3}
here=$(cd "$(dirname "$0")" && pwd)
shift $(($# < 2 ? $# : 2))
corunna=$build/bin/corunna
programs=$build/libexec/corunna
jar=$build/lib/corunna.jar
csv=$build/compare.csv
work=$(mktemp -d /tmp/corunna-compare.XXXXXX)
servers=
# shellcheck disable=SC2317 # called by the trap
cleanup()
{
    for each in $servers; do stop_server "$each"; done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
# shellcheck source=bench/sock/servers_lib.sh
. "$here/servers_lib.sh"
fail()
{
    echo "compare.sh: $*" >&2
    for log in "$work"/*.log; do [ ! -s "$log" ] || { echo "== $log"; tail -20 "$log"; } >&2; done
    exit 1
}

# The lines of aims.txt, without blanks: test|way|against|times
aims()
{
    sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$here/aims.txt"
}
tests=$(aims | cut -d '|' -f 1 | uniq)
for test; do
    echo "$tests" | grep -qx -- "$test" || fail "there is no test $test; the tests are $(echo "$tests" | tr '\n' ' ')"
done
[ $# -eq 0 ] || tests=$*
# The first is plain.
ways()
{
    aims | awk -F '|' -v test="$1" '$1 == test { print $3; print $2 }' | awk '!seen[$0]++'
}

# ---- servers: one for each way, which runs from the beginning to the end ----
server_of()
{
    case $1 in
        redis-get) echo redis ;;
        wrk) echo nginx ;;
        pgbench) echo postgres ;;
        hsqldb) echo hsqldb ;;
    esac
}
is_here()
{
    case $1 in
        redis-get) command -v redis-server && command -v redis-benchmark ;;
        wrk) command -v nginx && command -v wrk ;;
        pgbench) command -v pgbench && ls /usr/lib/postgresql/*/bin/initdb ;;
        hsqldb) ls /usr/share/java/hsqldb.jar && [ -r "$jar" ] ;;
        java-* | rmi-*) [ -r "$jar" ] ;;
        *) true ;; # netpipe alone
    esac > /dev/null 2>&1
}
# prepare TEST WAY
prepare()
{
    name=$(server_of "$1")
    [ -n "$name" ] || return 0
    port=$(free_port)
    echo "$port" > "$work/$1.$2.port"
    "start_$name" "$2" "$port" || fail "$name does not start"
    servers="$servers $server"
    case $1 in
        redis-get) redis-benchmark -p "$port" -n 100 -t set -q > "$work/redis.fill.log" 2>&1 ||
            fail "redis-benchmark" ;;
        pgbench) as_user pgbench -h 127.0.0.1 -p "$port" -U bench -i -s 1 -q postgres > "$work/pgbench.fill.log" 2>&1 ||
            fail "pgbench -i" ;;
    esac
}

# ---- one figure: measure TEST WAY prints microseconds ----
netpipe()
{
    way=$1
    shift
    # shellcheck disable=SC2046 # words
    $(way_words "$way") "$programs/netpipe" "$@"
}
each_us()
{
    awk '{ printf "%.4f\n", 1e6 / $3 }'
}
java_pipe()
{
    case $1 in
        plain) option='' direct='' ;;
        agent) option=-javaagent:$jar direct='' ;;
        direct) option='' direct=--direct ;;
    esac
    shift
    # shellcheck disable=SC2086 # words
    java $option -Djava.rmi.server.hostname=127.0.0.1 -cp "$jar:$programs/bench.jar" NetPipe $direct --ms 400 "$@" |
        awk '{ print $3 }'
}
message_passing()
{
    BENCH_MS=1000 "$corunna" run -n 2 java -cp "$programs/bench.jar" MpjBench pingpong:byte::64 |
        awk -F '\t' '{ print $6 }'
}
measure()
{
    port=$(cat "$work/$1.$2.port" 2> /dev/null || true)
    # shellcheck disable=SC2046 # words
    case $1.$2 in
        java-64.mp) message_passing ;;
        c-64.*) netpipe "$2" --only 64 --ms 300 | awk '{ print $2 }' ;;
        c-1m.*) netpipe "$2" --only 1048576 --ms 300 | awk '{ print $2 }' ;;
        echo-16.*) netpipe "$2" --echo 16 --ms 500 | each_us ;;
        echo-50.*) netpipe "$2" --echo 50 --ms 500 | each_us ;;
        idle-1000.*) netpipe "$2" --echo 50 --idle 1000 --ms 500 | each_us ;;
        pairs-16.*) netpipe "$2" --pairs 16 --ms 500 | each_us ;;
        redis-get.*) $(way_words "$2") redis-benchmark -h 127.0.0.1 -p "$port" -c 50 -n 200000 -t get --csv |
            awk -F '"' '$2 == "GET" { printf "%.4f\n", 1e6 / $4 }' ;;
        wrk.*) $(way_words "$2") wrk -c 40 -t 2 -d 2s "http://127.0.0.1:$port/index.html" |
            awk '/Socket errors|Non-2xx/ { exit } /^Requests\/sec:/ { printf "%.4f\n", 1e6 / $2 }' ;;
        pgbench.*) as_user $(way_words "$2") pgbench -h 127.0.0.1 -p "$port" -U bench -S -n -c 4 -j 2 -T 3 postgres |
            awk '$1 == "tps" { printf "%.4f\n", 1e6 / $3 }' ;;
        hsqldb.*) $(java_words "$2") -cp "$programs/bench.jar:/usr/share/java/hsqldb.jar" PointSelect \
            "jdbc:hsqldb:hsql://127.0.0.1:$port/test" SA "" 700 ;;
        java-64.*) java_pipe "$2" --only 64 bytes ;;
        java-1m.*) java_pipe "$2" --only 1048576 bytes ;;
        java-doubles.*) java_pipe "$2" --only 1048576 doubles ;;
        rmi-null.*) java_pipe "$2" rmi-null ;;
        rmi-doubles.*) java_pipe "$2" --only 1048576 rmi-doubles ;;
    esac
}

# 1000 connections take as many descriptors in each process, and a client's offers some more.
# shellcheck disable=SC3045 # dash has it
limit=$(ulimit -n)
# shellcheck disable=SC3045
[ "$limit" = unlimited ] || [ "$limit" -ge 8192 ] || ulimit -n 8192 2> /dev/null ||
    echo "compare.sh: at most $limit descriptors (ulimit -n); idle-1000 may fail" >&2
export CORUNNA_LOG=warn # why a connection does not go by memory is told, which ends this
echo "test,how,us" > "$csv"
chosen=
for test in $tests; do
    is_here "$test" || { echo "compare.sh: $test is left out: its programs are not installed" >&2; continue; }
    chosen="$chosen $test"
    for way in $(ways "$test"); do prepare "$test" "$way"; done
done
for round in $(seq "$rounds"); do
    for test in $chosen; do
        for way in $(ways "$test"); do
            measure "$test" "$way" > "$work/us" 2> "$work/$test.$way.log" || fail "$test, $way"
            [ "$(grep -cx '[0-9][0-9.]*' "$work/us")" = 1 ] || fail "$test, $way: no figure"
            echo "$test,$way,$(cat "$work/us")" >> "$csv"
            ! grep 'stays on TCP' "$work/$test.$way.log" >&2 || fail "$test, $way: it does not go by memory"
        done
    done
    echo "round $round of $rounds" >&2
done
! grep -H 'stays on TCP' "$work"/*.log >&2 || fail "a server does not use memory"

# The best of all rounds.
aims | awk -F '[|,]' '
NR == FNR { aim[++count] = $0; next }
FNR > 1 && (!(($1, $2) in best) || $3 < best[$1, $2]) { best[$1, $2] = $3 }
END {
    printf "%-14s %-7s %-7s %12s %12s %8s %8s\n", "test", "way", "against", "against us", "way us", "times", "aim"
    for (i = 1; i <= count; i++) {
        split(aim[i], word, "|")
        from = best[word[1], word[3]]
        to = best[word[1], word[2]]
        if (from == "" || to == "")
            continue
        is_missed = from / to < word[4]
        missed += is_missed
        printf "%-14s %-7s %-7s %12.3f %12.3f %8.2f %8s%s\n", word[1], word[2], word[3], from, to, from / to, word[4], \
            is_missed ? "  missed" : ""
    }
    exit missed > 0
}' - "$csv"
