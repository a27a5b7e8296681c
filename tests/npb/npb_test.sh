#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# npb_test.sh BUILD KIND CODE CLASS DEVICE RANKS...: runs a code as c, java or threads on each of these numbers of
# ranks, over a device ("": the default). RANKS may be 5:BH, ranks and a word for the code. All must be verified. A code
# with a dot is the name of a Java class; others are codes of npb.
build=$1 kind=$2 code=$3 class=$4 device=$5
shift 5
scratch=$(mktemp -d "${TMPDIR:-/tmp}/npb_test.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
# Short runs: the light collector, and the first compiler only.
light="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+IgnoreUnrecognizedVMOptions -XX:+ErrorFileToStderr"
jar=$build/lib/corunna.jar
apps=$build/libexec/corunna/apps.jar
case $code in
    *.*) main=$code ;;
    *) main=npb.$(echo "$code" | tr '[:lower:]' '[:upper:]') ;;
esac
failures=0

for ranks; do
    word=${ranks#*:}
    [ "$word" != "$ranks" ] || word=
    ranks=${ranks%%:*}
    # shellcheck disable=SC2086
    case $kind in
        c) set -- "$build/bin/corunna" run -n "$ranks" ${device:+--dev "$device"} "$build/libexec/corunna/npb_$code" ;;
        java) set -- "$build/bin/corunna" run -n "$ranks" ${device:+--dev "$device"} java $light -cp "$apps:$jar" \
            "$main" ;;
        threads) set -- java $light -jar "$jar" -np "$ranks" -cp "$apps" "$main" ;;
    esac
    # shellcheck disable=SC2086
    "$@" "$class" $word > "$scratch/out" 2> "$scratch/err"
    status=$?
    if [ $status != 0 ] || ! grep -q '^ Verification    = *SUCCESSFUL$' "$scratch/out" ||
        ! grep -q "^ Total processes = *$ranks$" "$scratch/out"; then
        failures=$((failures + 1))
        echo "FAILED: $code $class as $kind on $ranks ranks${device:+ over $device}: status $status"
        tail -n 20 "$scratch/out" "$scratch/err"
    fi
done
exit $((failures > 0))
