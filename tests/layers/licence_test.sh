#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# licence_test.sh PROJECT | --self-test: every source, script and page names its licence in one of its first two lines.
# A manual page that is another one (.so) has no room for it: man looks at its first line.
set -eu

# list PROJECT: the files without it.
list() {
    cd "$1"
    find . -path './build*' -prune -o -path ./.git -prune -o -path '*/corpus' -prune -o -type f \
        \( -name '*.[ch]' -o -name '*.def' -o -name '*.java' -o -name '*.sh' -o -name '*.awk' -o -name '*.cmake' \
        -o -name '*.md' -o -name '*.1' -o -name CMakeLists.txt -o -name Makefile -o -name '*.css' -o -name '*.js' \) \
        -exec awk '
        FNR > 2 { nextfile }
        /SPDX-License-Identifier: Apache-2.0|^\.so / { named[FILENAME] }
        END { for (i = 1; i < ARGC; i++) if (!(ARGV[i] in named)) print ARGV[i] }' {} +
}

if [ "$1" = --self-test ]; then
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/licence_test.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    echo '/* SPDX-License-Identifier: Apache-2.0 */' > "$scratch/with.c"
    echo 'int without;' > "$scratch/without.c"
    printf 'int late;\n\n/* SPDX-License-Identifier: Apache-2.0 */\n' > "$scratch/late.c"
    : > "$scratch/empty.c"
    [ "$(list "$scratch" | sort | tr '\n' ' ')" = "./empty.c ./late.c ./without.c " ]
    exit
fi
missing=$(list "$1")
[ -z "$missing" ] || {
    echo "these files do not name their licence:"
    echo "$missing"
    exit 1
}
