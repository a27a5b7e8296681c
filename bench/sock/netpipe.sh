#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NetPIPE, plain and by `corunna sock`, in turns, so that what the machine does besides meets both.
#
#   netpipe.sh BUILD [ROUNDS]      BUILD: the build folder; writes BUILD/netpipe.csv, a page with charts and a table
set -eu
build=$1
rounds=${2:-3}
csv=$build/netpipe.csv
echo "how,test,bytes,us" > "$csv"
for round in $(seq "$rounds"); do
    for how in plain sock; do
        case $how in
            plain) prefix= ;;
            sock) prefix="$build/bin/corunna sock" ;;
        esac
        $prefix "$build/libexec/corunna/netpipe" | awk -v how=$how '{ print how ",stream," $1 "," $2 }' >> "$csv"
        for connections in 1 16 50; do
            $prefix "$build/libexec/corunna/netpipe" --echo $connections --ms 300 |
                awk -v how=$how '{ printf "%s,echo,%d,%.4f\n", how, $2, 1e6 / $3 }' >> "$csv"
        done
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
    printf "%-8s %10s %12s %12s %8s\n", "test", "bytes", "plain us", "sock us", "times"
    for (i = 1; i <= count; i++) {
        split(keys[i], word, " ")
        p = best[keys[i], "plain"]; s = best[keys[i], "sock"]
        printf "%-8s %10d %12.3f %12.3f %8.2f\n", word[1], word[2], p, s, (s > 0 ? p / s : 0)
    }
}' "$csv"
"$build/libexec/corunna/netpipe_page" "$csv" "${csv%.csv}.html"
