# SPDX-License-Identifier: Apache-2.0
# What the tests with careless share; sourced. Needs $careless, $ranks, $work and fail.
. "$(dirname "$0")/../wait_lib.sh"
slowest=0

# alive_limit_ms: how long after a death its peers may end.
alive_limit_ms()
{
    [ "${ALIVE_LIMIT_MS:-0}" -gt 10000 ] || ALIVE_LIMIT_MS=10000
    patience_ms "$ALIVE_LIMIT_MS"
}

# run_careless LABEL COMMAND...: the ranks are this command; all end, and in time.
run_careless()
{
    label=$1
    shift
    "$careless" "$ranks" 600 "$@" > "$work/out" 2> "$work/err" || fail "$label: not everybody has come to an end"
    late=$(awk -v limit="$(alive_limit_ms)" '$1 == "ended" && $4 > limit { print $2 " after " $4 " ms" }' "$work/out")
    [ -z "$late" ] || fail "$label: too late: rank $late"
    longest=$(awk '$1 == "ended" && $4 > most { most = $4 } END { print most + 0 }' "$work/out")
    [ "$longest" -le "$slowest" ] || slowest=$longest
}
