# SPDX-License-Identifier: Apache-2.0
# What the tests with careless share; sourced. Needs $careless, $ranks, $work and fail.
. "$(dirname "$0")/../wait_lib.sh"
slowest=0

# alive_watch FILE: writes the largest crowd of processes that there has been since. What else ran may have ended by the
# time the ranks have, and the load of the last minute knows little of it.
alive_watch()
{
    alive_most=0
    while :; do
        alive_now=$(wait_crowd)
        if [ "$alive_now" -gt "$alive_most" ]; then
            alive_most=$alive_now
            echo "$alive_most" > "$1.new" && mv "$1.new" "$1"
        fi
        sleep 0.1
    done
}

# alive_limit_ms [CROWD]: how long after a death its peers may end, beside so many processes, or as many as there are
# now.
alive_limit_ms()
{
    [ "${ALIVE_LIMIT_MS:-0}" -gt 10000 ] || ALIVE_LIMIT_MS=10000
    echo $((ALIVE_LIMIT_MS * ${1:-$(wait_crowd)}))
}

# run_careless LABEL COMMAND...: the ranks are this command; all end, and in time.
run_careless()
{
    label=$1
    shift
    wait_crowd > "$work/crowd"
    alive_watch "$work/crowd" &
    watcher=$!
    came=yes
    "$careless" "$ranks" 600 "$@" > "$work/out" 2> "$work/err" || came=no
    kill $watcher
    wait $watcher 2> /dev/null || true
    [ $came = yes ] || fail "$label: not everybody has come to an end"
    late=$(awk -v limit="$(alive_limit_ms "$(cat "$work/crowd")")" '
        $1 == "ended" && $4 > limit { print $2 " after " $4 " ms" }' "$work/out")
    [ -z "$late" ] || fail "$label: too late: rank $late"
    longest=$(awk '$1 == "ended" && $4 > most { most = $4 } END { print most + 0 }' "$work/out")
    [ "$longest" -le "$slowest" ] || slowest=$longest
}
