#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The memory of a connection: 1000 of them between a client and an epoll server, plain and by `corunna sock` with rings
# of several sizes, in KiB a connection and end. `private` is memory of the process, `tables` are those of its pages;
# the rings are shared, so that both ends together need them once. open: not used yet; asked: 64 bytes and an answer;
# used: 1 MiB each way.
#
#   memory.sh BUILD [CONNECTIONS [RING...]]      BUILD: the build folder
set -eu
if [ $# -lt 1 ] || ! [ -x "$1/bin/corunna" ]; then
    echo "usage: memory.sh BUILD [CONNECTIONS [RING...]]; BUILD is a folder with bin/corunna" >&2
    exit 2
fi
build=$1
connections=${2:-1000}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- 64k 256k 1m
# shellcheck disable=SC3045 # the shells of Debian know it
ulimit -n 16384 2> /dev/null || ulimit -n "$(ulimit -Hn)"
printf '%-8s %-6s %-7s %10s %10s %10s\n' ring state end private tables rings
# row RING COMMAND...
row()
{
    ring=$1
    shift
    "$@" "$build/libexec/corunna/netpipe" --memory "$connections" |
        awk -v ring="$ring" '{ printf "%-8s %-6s %-7s %10.2f %10.2f %10.2f\n", ring, $1, $2, $3, $4, $5 }'
}
row plain env
for ring; do
    CORUNNA_NET_TURNS=0 row "$ring" "$build/bin/corunna" sock --ring "$ring"
done
