#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A rank is an object: the engine has no mutable data outside of a rank.
#
#   no_globals_test.sh NM LIBRARY             check libengine.a
#   no_globals_test.sh NM --self-test CC      check that a wrong object is found out
#
# Constant tables with addresses in them lie in .data.rel.ro, which is read-only once the program runs.
set -eu
nm=$1

# Names that may stay, one a line, each with its reason.
#   (none)
allowed='^$'

writable()
{
    "$nm" --format=sysv "$1" |
        awk -F '|' 'NF >= 7 {
            name = $1; class = $3; section = $7
            gsub(/ /, "", name); gsub(/ /, "", class); gsub(/[ \t]/, "", section)
            if (section ~ /^\.(data|bss|tdata|tbss)/ && section !~ /^\.data\.rel\.ro/ && class !~ /^[UN]$/ &&
                name !~ /^[.$]/)
                print name " in " section
            else if (class == "C" || section == "*COM*")
                print name " (common)"
        }' | grep -vE "$allowed" || true
}

if [ "$2" = --self-test ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cat > "$work/wrong.c" << 'END'
static int counter;
int started = 1;
static _Thread_local int mine;
static const char *const fine[] = {"a", "b"};
const char *wrong_use(int i) { static int calls; calls++; counter++; mine++; return fine[i]; }
END
    "$3" -fPIC -c "$work/wrong.c" -o "$work/wrong.o"
    found=$(writable "$work/wrong.o")
    for name in counter started mine calls; do
        echo "$found" | grep -q "$name" || {
            echo "FAILED: '$name' was not found; found: $found" >&2
            exit 1
        }
    done
    if echo "$found" | grep -q fine; then
        echo "FAILED: a constant was refused: $found" >&2
        exit 1
    fi
    echo "every wrong variable was found out"
    exit 0
fi

found=$(writable "$2")
if [ -n "$found" ]; then
    echo "FAILED: the engine has writable data that belongs to no rank:"
    echo "$found"
    exit 1
fi
count=$("$nm" "$2" 2> /dev/null | wc -l)
[ "$count" -gt 100 ] || {
    echo "FAILED: only $count symbols in $2; that cannot be the engine" >&2
    exit 1
}
echo "no writable global or static data among $count symbols"
