#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which copy of the native library a Java rank loads: the one that was built with the jar, where there is one beside it
# or where both are installed, and else the jar's own.
# usage: library_test.sh java jar classes library strip
set -eu
java=$1 jar=$2 classes=$3 library=$4 strip=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints what a rank has loaded from the jar in a folder; the first of two loaders.
loaded()
{
    mkdir -p "$work/tmp"
    "$java" -Djava.io.tmpdir="$work/tmp" -cp "$1/corunna.jar:$classes" outcome.Mapped > "$work/out" 2>&1 ||
        { cat "$work/out"; exit 1; }
    [ -z "$(ls "$work/tmp")" ] || { echo "left behind: $(ls "$work/tmp")" >&2; exit 1; }
    # The second loader may not have the same file, so it has the jar's.
    grep -q "^loaded again: $work/tmp/corunna-.*/libcorunna.so (deleted)" "$work/out" ||
        { echo "the second class loader:" >&2; cat "$work/out" >&2; exit 1; }
    sed -n "s/^loaded: //p" "$work/out"
}

expect() # what folder the-library's-path
{
    got=$(loaded "$2")
    # shellcheck disable=SC2254
    case $got in
    $3) echo "$1: $got" ;;
    *) echo "FAILED: $1: expected $3, got $got" >&2; exit 1 ;;
    esac
}
own="$work/tmp/corunna-*/libcorunna.so (deleted)"

folder() # name: a folder with the jar
{
    mkdir -p "$work/$1"
    cp "$jar" "$work/$1/corunna.jar"
}

expect "where both were built" "$(dirname "$jar")" "$library"
folder alone
expect "the jar alone" "$work/alone" "$own"

folder beside
"$strip" -o "$work/beside/libcorunna.so" "$library"
expect "without its symbols" "$work/beside" "$work/beside/libcorunna.so"

# Another build: one byte of the number that the linker gave it.
folder another
at=$(grep -abo -m 1 GNU "$library" | head -n 1 | cut -d : -f 1)
cp "$library" "$work/another/libcorunna.so"
printf '\125' | dd of="$work/another/libcorunna.so" bs=1 seek=$((at + 6)) conv=notrunc 2> "$work/log"
! cmp -s "$library" "$work/another/libcorunna.so" || printf '\252' |
    dd of="$work/another/libcorunna.so" bs=1 seek=$((at + 6)) conv=notrunc 2> "$work/log"
expect "another build's library" "$work/another" "$own"

folder rubbish
echo "not a library" > "$work/rubbish/libcorunna.so"
expect "rubbish" "$work/rubbish" "$own"
: > "$work/rubbish/libcorunna.so"
expect "an empty file" "$work/rubbish" "$own"

# The right build, but cut off: it cannot be loaded.
folder short
head -c 8192 "$library" > "$work/short/libcorunna.so"
expect "half a library" "$work/short" "$own"

for lib in lib lib64 "lib/$(uname -m)-linux-gnu"; do
    folder "prefix/share/java"
    mkdir -p "$work/prefix/$lib"
    cp "$library" "$work/prefix/$lib/"
    expect "installed in $lib" "$work/prefix/share/java" "$work/prefix/$lib/libcorunna.so"
    rm -r "$work/prefix"
done
