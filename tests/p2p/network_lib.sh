# SPDX-License-Identifier: Apache-2.0
# Two hosts and the network between them, for tests of what a network does to a job. A host is a network, process and
# name space of its own, so ranks of different hosts can only talk through the link, which is bad_link (its source is
# in tests/launcher). Source this first thing in a script whose first arguments are the launcher and bad_link:
#
#   . "$(dirname "$0")/network_lib.sh"    starts the script again in spaces of its own
#   network_up 1000 10                    joins the hosts: each frame 1000 us late, 10 of 1000 lost
#   network_cut; network_join             nothing comes through; and it does again
#   network_second 1000 10                one more network between them: eth1
#   second_cut; second_join               the same of that one
#   network_down                          says what the link has done
#   start LABEL COMMAND...                a job in the background, until it says "begun"; $jobs_ranks ranks, half of
#                                         them on each host. The file $over, which a program may wait for, is not there
#   both_say WORDS COUNT                  until each of the two ranks has said these words so often in its log
#   goes_on                               until steady has done some more rounds
#   finish                                $over is there; the job must end well; its last line is told
#   failed_after SECONDS                  it must end with an error, name the lost rank and how long nothing was heard
#                                         of it, so many seconds, and not soon after $cut_ms
#
# Nothing can be left behind: all of it ends with the script, however that ends. Where neither root nor root of a user
# space may make spaces, or the system has no such links, the script ends with status 77, which means skipped.
here=$(dirname "$0")
. "$here/../wait_lib.sh"
. "$here/../spaces_lib.sh"

if [ "${1:-}" = --rank ]; then
    shift
    host=$((PMI_RANK * 2 / PMI_SIZE))
    eval "host_pid=\$NETWORK_HOST$host"
    exec nsenter --target "$host_pid" --net --uts --pid --mount -- "$@"
fi

network_skip()
{
    echo "skipped: $1"
    exit 77
}

if [ -z "${NETWORK_INSIDE:-}" ]; then
    for tool in ip unshare nsenter; do
        command -v $tool > /dev/null || network_skip "there is no $tool here"
    done
    spaces_for "--net --uts --pid --mount --fork --mount-proc" "$@" || network_skip "namespaces cannot be made here"
    exec env NETWORK_INSIDE=1 unshare --net --uts --pid --mount --fork --kill-child --mount-proc "$0" "$@"
fi

launcher=$1
bad_link=$2
jobs_ranks=2
mount -t tmpfs -o mode=755 network /mnt || network_skip "a tmpfs cannot be mounted here"
work=/mnt
over=$work/over
ip link set lo up
unset CORUNNA_DEV CORUNNA_TCP_HEARTBEAT_S CORUNNA_TCP_RECONNECT_S

fail()
{
    echo "FAILED: $*" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}

milliseconds()
{
    date +%s%3N
}

# Sets $host_pid once this process has a child in a network of its own.
is_host()
{
    host_pid=$(cat "/proc/$1/task/$1/children" 2> /dev/null)
    host_pid=${host_pid%% *}
    [ -n "$host_pid" ] && [ "$(readlink "/proc/$host_pid/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

# The first process of a host: what holds its spaces. Sets $host_pid.
network_host()
{
    unshare --net --uts --pid --mount --fork --kill-child --mount-proc sleep "$forever" &
    wait_until is_host $! || fail "a host does not start"
}

network_host
export NETWORK_HOST0=$host_pid
network_host
export NETWORK_HOST1=$host_pid

# Or it has ended.
link_is_there()
{
    grep -q seed "$work/link.$port" || ! kill -0 "$link" 2> /dev/null
}

# network_link PORT NETWORK DELAY LOSS: one link, of ports of this name; sets $link, the process that is the link.
network_link()
{
    port=$1
    network=$2
    shift 2
    : > "$work/link.$port"
    "$bad_link" "$port@/proc/$NETWORK_HOST0/ns/net" "$port@/proc/$NETWORK_HOST1/ns/net" "$@" > "$work/link.$port" \
        2>&1 &
    link=$!
    wait_until link_is_there || fail "the link says nothing"
    kill -0 "$link" 2> /dev/null || network_skip "no link: $(cat "$work/link.$port")"
    sed 's,@/proc/[0-9]*/ns/net,,g' "$work/link.$port"
    for i in 0 1; do
        eval "host_pid=\$NETWORK_HOST$i"
        nsenter --target "$host_pid" --net --uts -- sh -c "hostname h$i; ip link set lo up
            ip address add $network.1$i/24 dev $port && ip link set $port up" || network_skip "no address for host $i"
    done
}

network_up()
{
    network_link eth0 10.77.0 "$@"
    first=$link
}

network_second()
{
    network_link eth1 10.78.0 "$@"
    second=$link
}

network_down()
{
    kill "$first"
    wait "$first"
    tail -n 1 "$work/link.eth0" | sed 's,@/proc/[0-9]*/ns/net,,g'
}

network_cut()
{
    cut_ms=$(milliseconds)
    kill -USR1 "$first"
}

network_join()
{
    kill -USR2 "$first"
}

second_cut()
{
    kill -USR1 "$second"
}

second_join()
{
    kill -USR2 "$second"
}

# run LABEL COMMAND...: a job that must end well.
run()
{
    label=$1
    shift
    begin_ms=$(milliseconds)
    timeout 1300 "$launcher" run --timeout 1200 -n "$jobs_ranks" "$0" --rank "$@" > "$work/out" 2> "$work/err" ||
        fail "$label: status $?"
    echo "$label: $(($(milliseconds) - begin_ms)) ms: $(tail -n 1 "$work/out")"
}

start()
{
    label=$1
    shift
    rm -f "$over"
    : > "$work/out"
    : > "$work/err"
    "$launcher" run --timeout 1200 -n "$jobs_ranks" "$0" --rank "$@" > "$work/out" 2> "$work/err" &
    job=$!
    wait_until grep -q '^begun' "$work/out" || fail "$label: the job did not begin"
}

# Has each rank of two said these words so often?
both_have_said()
{
    for rank in 0 1; do
        [ "$(grep "^corunna: rank $rank.*: " "$work/err" | grep -c "$1")" -ge "$2" ] || return 1
    done
}

both_say()
{
    wait_until both_have_said "$1" "$2" || fail "$label: not both ranks have said $2 times: $1"
}

rounds_are()
{
    [ "$(grep -c '^round$' "$work/out")" -ge "$1" ]
}

goes_on()
{
    wait_until rounds_are $(($(grep -c '^round$' "$work/out") + 5)) || fail "$label: no message comes through"
}

finish()
{
    : > "$over"
    wait "$job" || fail "$label: status $?"
    echo "$label: $(tail -n 1 "$work/out")"
}

failed_after()
{
    wait "$job" && fail "$label: a job without network ended well"
    took_ms=$(($(milliseconds) - cut_ms))
    grep -q "rank [0-9]* on h[01] is lost: nothing was heard of it for $1 s; " "$work/err" ||
        fail "$label: no sentence names the lost rank and $1 s"
    echo "$label: after $took_ms ms: $(grep -o 'rank [0-9]* on h[01] is lost: .*' "$work/err" | head -n 1)"
    # Before the cut the other host may have been silent for a while, too.
    [ "$took_ms" -ge $(($1 * 500)) ] || fail "$label: too soon, $took_ms ms"
    [ "$took_ms" -le "$(patience_ms 30000)" ] || fail "$label: too late, $took_ms ms"
}
