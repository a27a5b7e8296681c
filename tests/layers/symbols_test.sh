#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrows point down in what is compiled, too: a folder uses no function and no data of a folder that it must not
# include, not even by a declaration of its own.
#
#   symbols_test.sh NM SRC PROGRAM...       check these; PROGRAM: a file that has a line for each object of a program
#   symbols_test.sh NM --self-test CC       check that a wrong program is found out
set -eu
here=$(cd "$(dirname "$0")" && pwd)
nm=$1

# check SRC PROGRAM...
check()
{
    (
        cd "$1"
        find . -name '*.c' | sed 's|^\./||'
    ) > "$work/lines"
    shift
    for program in "$@"; do
        echo "== $program"
        # sed: folders of objects may have spaces
        tr '\n' '\0' < "$program" | xargs -0 "$nm" -P -A -g | sed 's|^.*/\([^/]*\.o\): |\1 |'
    done >> "$work/lines"
    awk -f "$here/allowed.awk" -f "$here/symbols.awk" "$here/allowed.txt" "$work/lines"
}

# Expect that the programs are refused with the line $1.
expect_found()
{
    if found=$(check "$work/src" "$work/one" "$work/two"); then
        echo "FAILED: expected '$1' to be found, but the check passed" >&2
        exit 1
    fi
    [ "$found" = "$1" ] || {
        echo "FAILED: expected the line '$1', got: $found" >&2
        exit 1
    }
}

# compile FILE TEXT: into the first program.
compile()
{
    echo "$2" > "$work/src/$1"
    "$cc" -c "$work/src/$1" -o "$work/${1##*/}.o"
    echo "$work/${1##*/}.o" >> "$work/one"
}

self_test()
{
    cc=$1
    mkdir -p "$work/src/base" "$work/src/mp" "$work/src/coll/plan" "$work/src/xxdev"
    compile base/low.c 'extern int puts(const char *); int low(void) { return puts(""); }'
    compile mp/high.c 'int low(void); int high(void) { return low(); }'
    compile xxdev/reached.c 'int reached;'
    compile coll/plan/plan.c 'extern int reached; int plan(void) { return reached; }'
    : > "$work/two"
    check "$work/src" "$work/one" > /dev/null || {
        echo "FAILED: a good program was refused" >&2
        exit 1
    }
    # Another program's function of the same name is another function.
    cp "$work/one" "$work/kept"
    compile mp/puts.c 'int puts(const char *text) { return *text; }'
    tail -n 1 "$work/one" > "$work/two"
    cp "$work/kept" "$work/one"
    check "$work/src" "$work/one" "$work/two" > /dev/null || {
        echo "FAILED: programs were taken for one" >&2
        exit 1
    }
    compile base/upward.c 'int high(void); int upward(void) { return high(); }'
    expect_found 'upward.c.o: base must not use high of mp (mp/high.c)'
    compile base/upward.c 'extern int data; int upward(void) { return data; }'
    compile xxdev/data.c 'int data;'
    expect_found 'upward.c.o: base must not use data of xxdev (xxdev/data.c)'
    echo "every wrong program was found out"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shift
if [ "$1" = --self-test ]; then
    self_test "$2"
else
    check "$@"
fi
