#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# targets_test.sh NINJA BUILD SOURCE HAS_JAVA: `make install` builds no test, and `make demo` besides no application, no
# benchmark and no face that it does not use.
set -u
ninja=$1 build=$2 source=$3 has_java=$4
fail()
{
    echo "FAILED: $*" >&2
    exit 1
}
sources() # target: the files that it compiles
{
    "$ninja" -C "$build" -t commands "$1" | grep -oE -e "-c $source/[^ ]+" | sed "s|^-c $source/||" | sort -u
}
all=$(sources all)
echo "$all" | grep -q '^src/mpi/face_send.c$' || fail "all does not build the C face: $all"
echo "$all" | grep '^tests/' && fail "all builds tests"
[ "$has_java" = 0 ] && exit 0
demo=$(sources demo)
echo "$demo" | grep -q '^src/launch/options/run_command.c$' || fail "demo does not build the launcher: $demo"
echo "$demo" | grep -E '^(tests|bench|apps|src/mpi|src/net/preload)/' && fail "demo builds too much"
echo "fine: $(echo "$all" | wc -l) files for all, $(echo "$demo" | wc -l) for demo"
