#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No argument of a call is written while another one is made: the order is the compiler's choice, and that for x86_64
# chooses another one than that for aarch64.
#
#   argument_order_test.sh FOLDER...    check these folders
#   argument_order_test.sh --self-test  check that wrong calls are found out
set -eu
here=$(cd "$(dirname "$0")" && pwd)

check()
{
    find "$@" -name '*.[ch]' -exec awk -f "$here/argument_order.awk" {} +
}

# Expect that the line $1 of a program is found out ($2: yes) or not (no).
expect()
{
    printf 'void f(void)\n{\n    int x;\n    %s\n}\n' "$1" > "$work/program.c"
    found=yes
    if check "$work" > "$work/said"; then found=no; fi
    [ "$found" = "$2" ] || {
        echo "FAILED: found out: $found, expected $2: $1; it said: $(cat "$work/said")" >&2
        exit 1
    }
}

if [ "$1" != --self-test ]; then
    check "$@"
    exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expect 'use(make(1, &x), x);' yes
expect 'return use(x + 1, 2, make(&x));' yes
expect 'if (use(other(make((char)1, &x)), other(x.part)) == 0)' yes
expect 'use(x, /* a comment, with a * in it */
         make(&x));' yes
expect 'make(&x); use(1, x);' no
expect 'use(&x, x);' no
expect 'use(make(&x), sizeof x, y->x, x(1), "x");' no
expect 'use(make(&x->part), x);' no
expect '/* use(make(&x), x); */' no
expect 'CHECK_UNTIL(x > 0, make(&x));' no
expect 'CHECK_UNTIL(use(x, make(&x)), make(&y));' yes
echo "every wrong call was found out"
