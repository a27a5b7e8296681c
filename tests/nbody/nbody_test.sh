#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nbody_test.sh BUILD KIND: the galaxies as c or as threads; as threads also as Java processes, and against those in C.
build=$1 kind=$2
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
run_as() { # kind, ranks, words
    as=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086
    case $as in
        c) "$build/bin/corunna" run -n "$ranks" ${device:+--dev "$device"} "$build/libexec/corunna/nbody" "$@" ;;
        java)
            "$build/bin/corunna" run -n "$ranks" ${device:+--dev "$device"} java $light \
                -cp "$apps:$build/lib/corunna.jar" nbody.NBody "$@"
            ;;
        threads) java $light -jar "$build/lib/corunna.jar" -np "$ranks" -cp "$apps" nbody.NBody "$@" ;;
    esac > "$scratch/out" 2> "$scratch/err"
}
run() { # ranks, words
    run_as "$kind" "$@"
}
fingerprint() {
    sed -n 's/^ Fingerprint \([0-9a-f]*\) after step \([0-9]*\)$/\1 \2/p' "$scratch/out"
}
energy() { # at the start, and whether a change of it is told
    sed -n 's/^ energy was \(-[0-9.]*e+*-*[0-9]*\) and changed by .*/\1/p' "$scratch/out"
}
verified() {
    grep -q '^ Verification    = *SUCCESSFUL$' "$scratch/out" || fail "$1: not verified"
}
refused() { # sentence, words
    sentence=$1
    shift
    run 2 "$@"
    [ $? = 1 ] && ! [ -s "$scratch/out" ] && [ "$(grep -c '^nbody NBody: ' "$scratch/err")" = 1 ] &&
        grep -qx "nbody NBody: $sentence" "$scratch/err" || fail "$*"
}
is_picture() { # file, frames; a build without Java has nothing to decode it with
    if command -v java > /dev/null; then
        # shellcheck disable=SC2086
        java $light "$here/../fdtd/PictureCheck.java" "$1" 240 "$2" || fail "the picture $1"
    fi
}

run 1 S --bodies 500 --steps 20 || fail "1 rank: status"
verified "1 rank"
one=$(fingerprint)
[ "${one#* }" = 20 ] || fail "no fingerprint"
one_energy=$(energy)
run 5 S --bodies 500 --steps 20 --frames "$scratch/frames/new" --animation "$scratch/g.png" --count 2 ||
    fail "5 ranks: status"
verified "5 ranks"
[ "$(fingerprint)" = "$one" ] || fail "5 ranks: $(fingerprint), not $one"
is_picture "$scratch/g.png" 2
[ "$(ls "$scratch/frames/new" | tr '\n' ' ')" = "frame0000.png frame0001.png " ] ||
    fail "frames: $(ls "$scratch/frames/new")"
is_picture "$scratch/frames/new/frame0001.png" 1

# As processes, over other devices.
processes=java
[ "$kind" = threads ] || processes=c
device=hybdev run_as $processes 2 S --bodies 500 --steps 20 || fail "processes: status"
[ "$(fingerprint)" = "$one" ] || fail "processes: $(fingerprint), not $one"
if [ "$kind" = c ]; then
    device=tcpdev run 3 S --bodies 500 --steps 20 || fail "tcpdev: status"
    [ "$(fingerprint)" = "$one" ] || fail "tcpdev: $(fingerprint), not $one"
fi

# Ranks get no more of the others' bodies than they need: cubes in place of most.
run 2 S --bodies 8000 --steps 1 || fail "many bodies: status"
verified "many bodies"
got=$(sed -n 's/^ a rank got \([0-9]*\) masses of others a step$/\1/p' "$scratch/out")
[ "${got:-0}" -gt 0 ] && [ "$got" -lt 3000 ] || fail "many bodies: a rank got $got masses of others"

# Half of the steps, and the other half later on other ranks.
run 3 S --bodies 500 --steps 12 --snapshot "$scratch/half" || fail "snapshot: status"
run 2 S --restart "$scratch/half" --steps 8 || fail "restart: status"
verified "restart"
[ "$(fingerprint)" = "$one" ] || fail "restart: $(fingerprint), not $one"

# The galaxies in C are the same, but for the last bits of sines and of sums; each goes on where the other stopped.
if [ "$kind" = threads ]; then
    run_as c 2 S --bodies 500 --steps 8 --snapshot "$scratch/c.half" || fail "in C: status"
    [ -n "$one_energy" ] && [ "$(energy)" = "$one_energy" ] || fail "in C: the energy is $(energy), not $one_energy"
    run 2 S --restart "$scratch/c.half" --steps 4 || fail "what C has begun: status"
    verified "what C has begun"
    [ "$(fingerprint | cut -d ' ' -f 2)" = 12 ] || fail "what C has begun: $(fingerprint)"
    run_as c 3 S --restart "$scratch/half" --steps 8 || fail "what Java has begun: status"
    verified "what Java has begun"
    [ "$(fingerprint | cut -d ' ' -f 2)" = 20 ] || fail "what Java has begun: $(fingerprint)"
fi

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
refused "option --steps needs a value" S --steps
refused "class is 'X'; classes are S, W, A, B and C" X
ls "$scratch"/*.part > /dev/null 2>&1 && fail "half a file is left"
exit $((failures > 0))
