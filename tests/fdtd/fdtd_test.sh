#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fdtd_test.sh BUILD KIND: the wave solver as c, java or threads.
build=$1 kind=$2
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fdtd_test.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
here=$(dirname "$0")
light="-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
failures=0

run() { # ranks, words
    ranks=$1
    shift
    # shellcheck disable=SC2086
    case $kind in
        c) "$build/bin/corunna" run -n "$ranks" ${device:+--dev "$device"} "$build/libexec/corunna/fdtd" "$@" ;;
        java)
            "$build/bin/corunna" run -n "$ranks" ${device:+--dev "$device"} java $light \
                -cp "$build/libexec/corunna/apps.jar:$build/lib/corunna.jar" fdtd.Fdtd "$@"
            ;;
        threads)
            java $light -jar "$build/lib/corunna.jar" -np "$ranks" -cp "$build/libexec/corunna/apps.jar" fdtd.Fdtd "$@"
            ;;
    esac > "$scratch/out" 2> "$scratch/err"
}
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    cat "$scratch/out" "$scratch/err"
}
verified() {
    run "$@" && grep -q '^ Verification    = *SUCCESSFUL$' "$scratch/out" &&
        grep -q '^ 0 of [0-9]* elements differ' "$scratch/out" || fail "$*"
}
refused() { # sentence, ranks, words
    sentence=$1
    shift
    run "$@"
    [ $? = 1 ] && ! [ -s "$scratch/out" ] && [ "$(grep -c '^fdtd: ' "$scratch/err")" = 1 ] &&
        grep -qx "fdtd: $sentence" "$scratch/err" || fail "$*"
}

verified 2 S --parts 1d
verified 6 S --cells 97 --steps 150
if [ "$kind" = java ]; then
    device=tcpdev verified 3 S --cells 50 --steps 100
    exit $((failures > 0))
fi
verified 1 S
verified 5 S --cells 61 --steps 100 --parts 1d
if [ "$kind" = c ]; then
    device=tcpdev verified 4 S --cells 100 --steps 100
    device=hybdev verified 4 S --cells 100 --steps 100
fi

refused "class is 'X'; classes are S, W, A, B and C" 2 X
refused "option --cells needs a value" 1 S --cells
refused "--cells is '7'; it is a number from 8 on" 2 --cells 7
refused "--parts is '3d'; it is 1d or 2d" 1 --parts 3d
refused "the number of ranks is 6; 8 cells a side are too few for it" 6 --cells 8 --parts 1d
refused "file $scratch/none/a.png cannot be written" 2 S --animation "$scratch/none/a.png"
: > "$scratch/plain"
refused "folder $scratch/plain/frames cannot be made" 2 S --frames "$scratch/plain/frames"

# Pictures; a build without Java has nothing to decode them with.
verified 4 S --cells 80 --steps 60 --count 3 --frames "$scratch/frames/new" --animation "$scratch/wave.png"
[ "$(ls "$scratch/frames/new" | tr '\n' ' ')" = "frame0000.png frame0001.png frame0002.png " ] ||
    fail "frames: $(ls "$scratch/frames/new")"
ls "$scratch"/*.part > /dev/null 2>&1 && fail "half a picture is left"
if command -v java > /dev/null; then
    # shellcheck disable=SC2086
    java $light "$here/PictureCheck.java" "$scratch/wave.png" 81 3 || fail "the animation"
    # shellcheck disable=SC2086
    java $light "$here/PictureCheck.java" "$scratch/frames/new/frame0002.png" 81 1 || fail "a frame"
fi
exit $((failures > 0))
