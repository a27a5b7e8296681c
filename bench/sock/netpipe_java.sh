#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NetPIPE in Java: the JDK's sockets, the same program with Corunna's agent, and direct use of FastSocket, FastChannel
# and FastRmi; in turns, so that what the machine does besides meets all.
#
#   netpipe_java.sh BUILD [ROUNDS [OPTION...]]    BUILD: the build folder; writes BUILD/netpipe_java.csv, a page with
#                                                 charts beside it, and a table. Options and tests are NetPipe's.
set -eu
build=$(cd "$1" && pwd)
rounds=${2:-3}
shift $(($# < 2 ? $# : 2))
tests="bytes ints doubles objects rmi-null rmi-doubles"
for word; do
    case $word in
        bytes | ints | doubles | objects | rmi-*) tests= ;;
    esac
done
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
jar=$build/lib/corunna.jar
csv=$build/netpipe_java.csv
echo "how,test,bytes,us" > "$csv"
for round in $(seq "$rounds"); do
    for how in plain agent direct; do
        case $how in
            plain) option= direct= ;;
            agent) option=-javaagent:$jar direct= ;;
            direct) option= direct=--direct ;;
        esac
        # shellcheck disable=SC2086 # words
        "$java" $option -Djava.rmi.server.hostname=127.0.0.1 -cp "$jar:$build/libexec/corunna/bench.jar" NetPipe \
            $direct "$@" $tests > "$csv.run"
        awk -v how=$how '{ print how "," $1 "," $2 "," $3 }' "$csv.run" >> "$csv"
        rm -f "$csv.run"
    done
    echo "round $round of $rounds" >&2
done
# The best of all rounds.
awk -F, 'NR > 1 {
    key = $2 " " $3
    if (!(key in order)) { order[key] = ++count; keys[count] = key }
    if (!((key, $1) in best) || $4 < best[key, $1]) best[key, $1] = $4
}
END {
    printf "%-12s %10s %12s %12s %12s %8s %8s\n", "test", "bytes", "plain us", "agent us", "direct us",
        "agent", "direct"
    for (i = 1; i <= count; i++) {
        split(keys[i], word, " ")
        p = best[keys[i], "plain"]; a = best[keys[i], "agent"]; d = best[keys[i], "direct"]
        printf "%-12s %10d %12.3f %12.3f %12.3f %8.2f %8.2f\n", word[1], word[2], p, a, d, (a > 0 ? p / a : 0), \
            (d > 0 ? p / d : 0)
    }
}' "$csv"
"$build/libexec/corunna/netpipe_page" "$csv" "${csv%.csv}.html"
