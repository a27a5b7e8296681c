#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One rank dies while the job starts or ends, and the launcher does not care:
#
#     early_test.sh CARELESS MORTAL RANKS [DEVICE.MEETING...]
#
# Once it has published its process id, the ranks of its host watch it. Before that only a launcher could
# know; then the time limit ends them, with a sentence that says what they waited for.
set -eu
careless=$1 mortal=$2 ranks=$3
shift 3
. "$(dirname "$0")/alive_lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
victim=$((ranks - 1))

fail()
{
    echo "FAILED: $ranks ranks, $*" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}

# run HOW...: all ranks end in time, and none with status 0.
run()
{
    run_careless "$CORUNNA_DEV $*" "$mortal" "$@"
    [ "$(awk '$1 == "ended" && $3 == 0' "$work/out")" = "" ] || fail "$label: a rank has ended well"
}

# all_say SENTENCE: that many print it, each once.
all_say()
{
    told=$(grep -cE "^corunna: (rank [0-9]+ on [^ ]*: )?MPI_[A-Za-z]*: $1" "$work/err" || true)
    [ "$told" -eq "$victim" ] || fail "$label: $told of $victim ranks have said: $1"
}

lost="rank $victim is lost: its process [0-9]* on this host has ended before all ranks had"
[ $# -gt 0 ] || set -- hybdev.2 hybdev.3 hybdev.4 tcpdev.4 hybdev.first hybdev.1
for name in "$@"; do
    export CORUNNA_DEV="${name%.*}" CORUNNA_PMI_TIMEOUT=600
    case $name in
    *.2)
        run barrier 2
        all_say "$lost allocated memory for messages"
        ;;
    *.3)
        run barrier 3
        all_say "$lost mapped each other's memory"
        ;;
    *.4)
        run barrier 4
        all_say "$lost reached the end of MPI_Finalize"
        ;;
    *)
        # So long every answer may take; those that come have to.
        seconds=$(($(patience_ms 1000) / 1000))
        export CORUNNA_PMI_TIMEOUT="$seconds"
        case $name in *.first) run first ;; *) run barrier 1 ;; esac
        all_say "rank [0-9]*: not all ranks have published their address within $seconds s \(setting pmi.timeout\)"
        ;;
    esac
done
echo "$ranks ranks: everybody was told; the slowest has ended $slowest ms after the death"
