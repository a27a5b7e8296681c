#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The figures behind docs/pictures/sockets.svg: NetPIPE in C and Java, plain and accelerated, in turns, at powers of
# two; then the picture. The machine should be idle. Three rounds take two to three minutes.
#
#   netpipe_picture.sh BUILD [ROUNDS [OPTION...]]   BUILD: the build folder; writes BUILD/netpipe_picture.csv, the best
#                                                   of all rounds, and BUILD/netpipe_picture.svg. Options are those of
#                                                   both programs: --max BYTES, --ms N
set -eu
if [ $# -lt 1 ] || ! [ -x "$1/bin/corunna" ]; then
    echo "usage: netpipe_picture.sh BUILD [ROUNDS [OPTION...]]; BUILD is a folder with bin/corunna" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
rounds=${2:-3}
here=$(cd "$(dirname "$0")" && pwd)
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- --ms 20
corunna=$build/bin/corunna
netpipe=$build/libexec/corunna/netpipe
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
jar=$build/lib/corunna.jar
out=$build/netpipe_picture
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# measure WAY LANGUAGE COMMAND...: lines of "way,language,bytes,us"
measure()
{
    way=$1 language=$2
    shift 2
    "$@" > "$work/run"
    # NetPIPE in Java begins its lines with the name of the test.
    awk -v to="$way,$language" '{ sub(/^bytes /, ""); print to "," $1 "," $2 }' "$work/run" >> "$work/all"
}
for round in $(seq "$rounds"); do
    measure plain c "$netpipe" "$@"
    measure sock c "$corunna" sock "$netpipe" "$@"
    measure plain java "$java" -cp "$jar:$build/libexec/corunna/bench.jar" NetPipe "$@" bytes
    measure agent java "$java" -javaagent:"$jar" -cp "$jar:$build/libexec/corunna/bench.jar" NetPipe "$@" bytes
    echo "round $round of $rounds" >&2
done
{
    echo "# machine: $(uname -m), $(nproc) CPUs, $(uname -s) $(uname -r | cut -d . -f 1,2)"
    echo "# measured: $(date -u '+%Y-%m-%d %H:%M') UTC, $("$corunna" --version | head -1)," \
        "best of $rounds rounds (bench/sock/netpipe_picture.sh)"
    echo "way,language,bytes,us"
    awk -F, '
        { size = $3; while (size > 1 && size % 2 == 0) size /= 2 }
        size != 1 { next }
        { key = $1 "," $2 "," $3 }
        !(key in best) { keys[++count] = key }
        !(key in best) || $4 < best[key] { best[key] = $4 }
        END { for (i = 1; i <= count; i++) print keys[i] "," best[keys[i]] }' "$work/all"
} > "$out.csv"
awk -f "$here/../picture_curves.awk" -f "$here/picture.awk" "$out.csv" > "$out.svg"
