#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nbody_test.sh BUILD: the galaxies, as threads and as processes.
build=$1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/nbody_test.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
here=$(dirname "$0")
light="-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
apps=$build/libexec/corunna/apps.jar
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    cat "$scratch/out" "$scratch/err"
}
threads() { # ranks, words
    ranks=$1
    shift
    # shellcheck disable=SC2086
    java $light -jar "$build/lib/corunna.jar" -np "$ranks" -cp "$apps" nbody.NBody "$@" > "$scratch/out" 2> "$scratch/err"
}
fingerprint() {
    sed -n 's/^ Fingerprint \([0-9a-f]*\) after step \([0-9]*\)$/\1 \2/p' "$scratch/out"
}
verified() {
    grep -q '^ Verification    = *SUCCESSFUL$' "$scratch/out" || fail "$1: not verified"
}
refused() { # sentence, words
    sentence=$1
    shift
    threads 2 "$@"
    [ $? = 1 ] && ! [ -s "$scratch/out" ] && [ "$(grep -c '^nbody NBody: ' "$scratch/err")" = 1 ] &&
        grep -qx "nbody NBody: $sentence" "$scratch/err" || fail "$*"
}

threads 1 S --bodies 500 --steps 20 || fail "1 rank: status"
verified "1 rank"
one=$(fingerprint)
[ "${one#* }" = 20 ] || fail "no fingerprint"
threads 5 S --bodies 500 --steps 20 --frames "$scratch/frames/new" --animation "$scratch/g.png" --count 2 || fail "5 ranks: status"
verified "5 ranks"
[ "$(fingerprint)" = "$one" ] || fail "5 ranks: $(fingerprint), not $one"
# shellcheck disable=SC2086
"$build/bin/corunna" run -n 2 --dev hybdev java $light -cp "$apps:$build/lib/corunna.jar" nbody.NBody S --bodies 500 --steps 20 \
    > "$scratch/out" 2> "$scratch/err" || fail "processes: status"
[ "$(fingerprint)" = "$one" ] || fail "processes: $(fingerprint), not $one"
# shellcheck disable=SC2086
java $light "$here/../fdtd/PictureCheck.java" "$scratch/g.png" 240 2 || fail "the picture"
[ "$(ls "$scratch/frames/new" | tr '\n' ' ')" = "frame0000.png frame0001.png " ] || fail "frames: $(ls "$scratch/frames/new")"
# shellcheck disable=SC2086
java $light "$here/../fdtd/PictureCheck.java" "$scratch/frames/new/frame0001.png" 240 1 || fail "a frame"

# Half of the steps, and the other half later on other ranks.
threads 3 S --bodies 500 --steps 12 --snapshot "$scratch/half" || fail "snapshot: status"
threads 2 S --restart "$scratch/half" --steps 8 || fail "restart: status"
verified "restart"
[ "$(fingerprint)" = "$one" ] || fail "restart: $(fingerprint), not $one"

head -c 1000 "$scratch/half" > "$scratch/short"
refused "snapshot $scratch/short has the wrong length" S --restart "$scratch/short"
{ head -c 5000 "$scratch/half" && printf x && tail -c +5002 "$scratch/half"; } > "$scratch/damaged"
refused "snapshot $scratch/damaged is damaged" S --restart "$scratch/damaged"
echo "no snapshot at all, but long enough to be one" > "$scratch/text"
refused "snapshot $scratch/text is none" S --restart "$scratch/text"
refused "snapshot $scratch/none cannot be read" S --restart "$scratch/none"
refused "file $scratch/none/here cannot be written" S --snapshot "$scratch/none/here"
: > "$scratch/plain"
refused "folder $scratch/plain/frames cannot be made" S --frames "$scratch/plain/frames"
refused "--bodies is 'few'; it is a number from 4 on" S --bodies few
refused "class is 'X'; classes are S, W, A, B and C" X
exit $((failures > 0))
