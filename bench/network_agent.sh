#!/bin/sh
# network_agent.sh [options] ADDRESS command...
# Stands in for ssh: runs a command on the one of the two hosts of networks.sh that has this address, on its CPU.
# Like ssh it puts the words of the command together and gives them to a shell.
while [ "${1#-}" != "$1" ]; do
    shift
done
if [ "$1" = "$BENCH_ADDRESS_A" ]; then
    space=$BENCH_SPACE_A cpu=$BENCH_CPU_A
elif [ "$1" = "$BENCH_ADDRESS_B" ]; then
    space=$BENCH_SPACE_B cpu=$BENCH_CPU_B
else
    echo "bench: network_agent.sh: there is no host $1" >&2
    exit 255
fi
shift
# A name of its own, or the libraries would take both for one host.
exec ip netns exec "$space" unshare --uts taskset -c "$cpu" sh -c "hostname $space; $*"
