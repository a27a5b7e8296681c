#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# readme_test.sh BUILD SOURCE HAS_JAVA: the programs in README.md, compiled and run by the commands that stand below
# each.
set -u
build=$1 source=$2 has_java=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ln -s "$build" build

fail()
{
    echo "FAILED: $1" >&2
    exit 1
}

# The block of a language, and the block of commands that follows it.
block() # language, file of the program, file of the commands
{
    awk -v language="$1" -v program="$2" -v commands="$3" '
        /^```$/ && out { close(out); out = ""; next }
        $0 == "```" language { out = program; is_next = 1; next }
        /^```/ && is_next { out = commands; is_next = 0; next }
        out { print > out }' "$source/README.md"
    [ -s "$2" ] && [ -s "$3" ] || fail "README.md has no program in $1 with commands below it"
}

runs() # language, file of the program, how many jobs its commands start
{
    block "$1" "$2" commands
    timeout 600 sh -e commands > out 2>&1 || fail "the commands below $2 ended with $?: $(cat out)"
    [ "$(grep -cx 'Hello, the sum of the squares is 14' out)" = "$3" ] || fail "$2 said $(cat out)"
}

runs c hello.c 1
[ "$has_java" = 0 ] || runs java Hello.java 3
echo "fine"
