#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# columns_test.sh PROJECT | --self-test: no line of C, Java, shell, awk, CMake or make is longer than 120 columns.
# Tables (*.def), whose rows are single lines, and data are not meant.
set -eu

# list PROJECT: the lines that are too long. A letter of several bytes is one column.
list() {
    cd "$1"
    find . -path './build*' -prune -o -path ./.git -prune -o -path '*/corpus' -prune -o -type f \
        \( -name '*.[ch]' -o -name '*.java' -o -name '*.sh' -o -name '*.awk' -o -name '*.cmake' \
        -o -name CMakeLists.txt -o -name Makefile \) -print | sort | LC_ALL=C awk '
        {
            path = substr($0, 3)
            for (number = 1; (getline line < path) > 0; number++) {
                gsub(/[\200-\277]/, "", line)
                if (length(line) > 120)
                    print path ":" number ": " length(line) " columns"
            }
            close(path)
        }'
}

# Expect that the project has so many lines that are too long.
expect() {
    found=$(list "$scratch" | wc -l)
    [ "$found" -eq "$1" ] || {
        echo "FAILED: $found lines were found to be too long, not $1" >&2
        exit 1
    }
}

if [ "$1" = --self-test ]; then
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/columns_test.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch/src/part/inner"
    printf '%0120d\n' 0 > "$scratch/src/fits.c"
    printf '%0119d\303\251\n' 0 > "$scratch/src/letter.c"
    printf '%0200d\n' 0 > "$scratch/src/table.def"
    expect 0
    printf '%0120d\n%0121d\n' 0 0 > "$scratch/src/part/inner/long.sh"
    printf '%0121d\n' 0 > "$scratch/src/part/CMakeLists.txt"
    expect 2
    exit
fi
long=$(list "$1")
[ -z "$long" ] || {
    echo "these lines are longer than 120 columns:"
    echo "$long"
    exit 1
}
