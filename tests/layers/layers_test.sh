#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrows point down: read every #include "..." under a source folder and fail on one that points up or sideways, also
# if a header is reached through another one; on a private header of another folder; and on two files of the same name.
#
#   layers_test.sh SRC          check this folder
#   layers_test.sh --self-test  check that wrong folders are found out
set -eu
here=$(cd "$(dirname "$0")" && pwd)
allowed=$here/allowed.txt

check()
{
    (
        cd "$1"
        status=0
        find . -name '*.[ch]' | sort | while read -r file; do
            folder=$(dirname "${file#./}")
            sed -n -e 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' \
                -e 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*<\(mpi\.h\|corunna\/[^>]*\)>.*/\1/p' "$file" |
                while read -r included; do
                    echo "$folder ${file#./} $included"
                done
        done | awk -f "$here/allowed.awk" -f "$here/layers.awk" "$allowed" - || status=1
        twice=$(find . -type f ! -name README.md ! -name CMakeLists.txt | sed 's|.*/||' | sort | uniq -d)
        if [ -n "$twice" ]; then
            echo "these file names are not unique: $twice"
            status=1
        fi
        exit $status
    )
}

# Expect that checking folder $1 fails with a line that matches $2.
expect_found()
{
    if found=$(check "$1"); then
        echo "FAILED: expected '$2' to be found, but the check passed" >&2
        exit 1
    fi
    echo "$found" | grep -q "$2" || {
        echo "FAILED: expected a line '$2', got: $found" >&2
        exit 1
    }
}

expect_fine()
{
    found=$(check "$1") || {
        echo "FAILED: a good folder was refused: $found" >&2
        exit 1
    }
}

self_test()
{
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/base" "$work/mp" "$work/xxdev/soft/sm" "$work/xxdev/soft/tcp"
    echo '#include "base/error.h"' > "$work/mp/good.c"
    expect_fine "$work"
    echo '#include "mp/mp.h"' > "$work/base/upward.c"
    expect_found "$work" 'base/upward.c: base must not include mp '
    rm "$work/base/upward.c"
    echo '#  include "xxdev/soft/sm/sm.h"' > "$work/xxdev/soft/tcp/sideways.c"
    expect_found "$work" 'sideways.c: xxdev/soft/tcp must not include xxdev/soft/sm '
    rm "$work/xxdev/soft/tcp/sideways.c"
    echo '#include <mpi.h>' > "$work/mp/face.c"
    expect_found "$work" 'mp includes the public header mpi.h'
    rm "$work/mp/face.c"
    mkdir -p "$work/coll/plan" "$work/coll/pattern"
    echo '#include "pmi/boot.h"' > "$work/mp/deep.h"
    echo '#include "mp/deep.h"' > "$work/mp/deeper.h"
    echo '#include "mp/deeper.h"' > "$work/coll/pattern/reached.c"
    expect_found "$work" 'reached.c: coll/pattern must not include pmi (pmi/boot.h, through mp/deep.h)'
    rm "$work/mp/deep.h" "$work/coll/pattern/reached.c"
    echo '#include "xxdev/xxdev.h"' > "$work/mp/deep.h"
    echo '#include "mp/deeper.h"' > "$work/coll/plan/reached.c"
    expect_fine "$work"
    echo '#include "xxdev/xxdev.h"' > "$work/coll/plan/reached.c"
    expect_found "$work" 'reached.c: coll/plan must not include xxdev (xxdev/xxdev.h)'
    rm "$work/mp/deep.h" "$work/mp/deeper.h"
    echo '#include "mp/mp_state.h"' > "$work/mp/own.h"
    echo '#include "mp/mp_state.h"' > "$work/coll/plan/reached.c"
    expect_found "$work" 'reached.c: mp/mp_state.h is private to mp'
    echo '#include "mp/own.h"' > "$work/coll/plan/reached.c"
    expect_found "$work" 'reached.c: mp/mp_state.h is private to mp, through mp/own.h'
    rm "$work/coll/plan/reached.c"
    expect_fine "$work"
    mkdir "$work/mp/create" # whose row names it
    echo '#include "mp/mp_state.h"' > "$work/mp/create/named.c"
    expect_fine "$work"
    printf 'base: mp\nmp: base\n' > "$work/circle.txt"
    allowed=$work/circle.txt
    expect_found "$work" 'base stands above mp, which has no row before it'
    allowed=$here/allowed.txt
    rm "$work/circle.txt"
    mkdir "$work/attic"
    echo '#include "base/error.h"' > "$work/attic/new.c"
    expect_found "$work" 'folder attic has no row'
    rm -r "$work/attic"
    : > "$work/base/good.c"
    expect_found "$work" 'not unique: good.c'
    echo "every wrong folder was found out"
}

if [ "$1" = --self-test ]; then
    self_test
else
    check "$1"
fi
