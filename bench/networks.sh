# Two hosts for run.sh: network namespaces that are joined by a veth pair, with nothing else on it. Sourced.
#
#   networks_up      makes them, or leaves a note why not and fails
#   networks_down    removes them; nothing to do is fine
#
# network_agent.sh starts commands there; it gets the variables exported here, and the CPUs from run.sh. Names hold the
# number of this process, so that two runs do not meet.
export BENCH_SPACE_A=corunna-bench-$$-a BENCH_SPACE_B=corunna-bench-$$-b
export BENCH_ADDRESS_A=10.77.0.1 BENCH_ADDRESS_B=10.77.0.2
network_agent=$PWD/bench/network_agent.sh

# What a run left behind that was ended by force. Nobody can be in a namespace whose makers are gone.
networks_sweep() {
    local name owner
    for name in $(ip netns list 2>/dev/null | grep -Eo '^corunna-bench-[0-9]+-[ab]'); do
        owner=${name#corunna-bench-}
        kill -0 "${owner%-?}" 2>/dev/null || ip netns del "$name"
    done
}

networks_make() {
    local space
    for space in "$BENCH_SPACE_A" "$BENCH_SPACE_B"; do
        ip netns add "$space" && ip -n "$space" link set lo up || return
    done
    ip link add veth0 netns "$BENCH_SPACE_A" type veth peer name veth0 netns "$BENCH_SPACE_B" &&
        ip -n "$BENCH_SPACE_A" addr add "$BENCH_ADDRESS_A/30" dev veth0 &&
        ip -n "$BENCH_SPACE_B" addr add "$BENCH_ADDRESS_B/30" dev veth0 &&
        ip -n "$BENCH_SPACE_A" link set veth0 up && ip -n "$BENCH_SPACE_B" link set veth0 up
}

networks_up() {
    if [ "$(id -u)" != 0 ]; then
        note "rows between two namespaces were not measured: network namespaces need root"
        return 1
    fi
    for tool in ip unshare hostname; do
        command -v "$tool" > /dev/null && continue
        note "rows between two namespaces were not measured: there is no $tool here"
        return 1
    done
    networks_sweep
    networks_make 2> "$work/log" && return
    note "rows between two namespaces were not measured: $(complaint "$work/log")"
    networks_down
    return 1
}

networks_down() {
    local space
    for space in "$BENCH_SPACE_A" "$BENCH_SPACE_B"; do
        [ ! -e "/run/netns/$space" ] || ip netns del "$space" 2>/dev/null
    done
}
