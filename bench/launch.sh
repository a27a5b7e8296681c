# How each system is started. Sourced by run.sh, whose variables it uses.
two_cores=(taskset -c "$cpu_a,$cpu_b")

# A command that runs as the first of the two hosts of networks.sh, where the launcher starts the first rank itself.
on_first_host=("$network_agent" "$BENCH_ADDRESS_A")
hosts=$BENCH_ADDRESS_A:1,$BENCH_ADDRESS_B:1

# Fills the array `command` for a kind of row (see rows.txt) and a system; fails when there is nothing to run.
make_command() { # kind program system
    local program=$bin/$3/$2 ranks=${1##*[a-z]}
    command=()
    case $1 in
        tcp2) command_tcp "$3" ;;
        net2) [ "$has_networks" = yes ] && command_net "$3" ;;
        sleep2) command_sleep "$3" ;;
        start*) command_start "$3" ;;
        c*) command_c "$3" ;;
        j*) command_java "$1" "$2" "$3" ;;
    esac
    [ ${#command[@]} -gt 0 ] && [ -e "$program" ]
}

# Two ranks are bound to a core each, more share the same two cores.
command_c() {
    case $ranks.$1 in
        2.corunna) command=("$corunna" run -n 2 --bind core "$program") ;;
        2.openmpi) command=(mpirun.openmpi -n 2 --bind-to core "$program") ;;
        2.mpich) command=(mpirun.mpich -n 2 -bind-to core "$program") ;;
        *.corunna) command=("${two_cores[@]}" "$corunna" run -n "$ranks" "$program") ;;
        *.openmpi) command=("${two_cores[@]}" mpirun.openmpi -n "$ranks" --oversubscribe --bind-to none "$program") ;;
        *.mpich) command=("${two_cores[@]}" mpirun.mpich -n "$ranks" "$program") ;;
    esac
}

# MPICH's ranks meet in shared memory before UCX is asked, unless each counts as a host of its own.
openmpi_tcp=(--mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include)
command_tcp() {
    case $1 in
        corunna) command=("$corunna" run -n 2 --bind core --dev tcpdev "$program") ;;
        openmpi) command=(mpirun.openmpi -n 2 --bind-to core "${openmpi_tcp[@]}" lo "$program") ;;
        mpich)
            command=(env MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp,self UCX_NET_DEVICES=lo mpirun.mpich -n 2 -bind-to core
                "$program") ;;
        bare) command=(env BARE_WAIT=spin BARE_CPUS="$cpu_a $cpu_b" "$program") ;;
    esac
}

command_net() {
    case $1 in
        corunna)
            command=("${on_first_host[@]}" "$corunna" run -n 2 --hosts "$hosts" --dev tcpdev
                --launcher "'$network_agent {host}'" "$program") ;;
        openmpi)
            command=("${on_first_host[@]}" mpirun.openmpi -n 2 --host "$hosts" --bind-to none
                --mca plm_rsh_agent "$network_agent" --mca oob_tcp_if_include veth0 "${openmpi_tcp[@]}" veth0
                "$program") ;;
        mpich)
            command=("${on_first_host[@]}" env UCX_TLS=tcp,self UCX_NET_DEVICES=veth0 mpiexec.hydra -n 2
                -hosts "$hosts" -iface veth0 -launcher rsh -launcher-exec "$network_agent" "$program") ;;
        bare)
            command=(env BARE_WAIT=spin BARE_CPUS="$cpu_a $cpu_b"
                BARE_NETWORKS="$BENCH_SPACE_A $BENCH_SPACE_B $BENCH_ADDRESS_A" "$program") ;;
    esac
}

# Over TCP, by ranks that go to sleep at once.
command_sleep() {
    case $1 in
        corunna) command=("$corunna" run -n 2 --bind core --dev tcpdev --tune wait.spin_us=0 --tune wait.yields=0
                 "$program") ;;
        bare) command=(env BARE_WAIT=block BARE_CPUS="$cpu_a $cpu_b" "$program") ;;
    esac
}

# Hydra is MPICH's launcher; as a system of its own it starts our ranks.
command_start() {
    local timed=("${two_cores[@]}" bench/elapsed.sh startup "$ranks")
    case $1 in
        corunna) command=("${timed[@]}" "$corunna" run -n "$ranks" "$program") ;;
        openmpi) command=("${timed[@]}" mpirun.openmpi -n "$ranks" --oversubscribe --bind-to none "$program") ;;
        mpich) command=("${timed[@]}" mpiexec.hydra -n "$ranks" "$program") ;;
        hydra)
            program=$bin/corunna/startup
            command=("${timed[@]}" mpiexec.hydra -n "$ranks" "$program") ;;
    esac
}

command_java() { # kind program system
    local our_java=(java -cp "$bin/java-corunna:$jar") mpj=$bin/mpj/lib
    program=$bin/java-corunna/$2.class
    case $1.$3 in
        jtcp2.corunna-processes) command=("$corunna" run -n 2 --bind core --dev tcpdev "${our_java[@]}" "$2") ;;
        j2.corunna-processes) command=("$corunna" run -n 2 --bind core "${our_java[@]}" "$2") ;;
        j*.corunna-processes) command=("${two_cores[@]}" "$corunna" run -n "$ranks" "${our_java[@]}" "$2") ;;
        j*.corunna-threads)
            command=("${two_cores[@]}" java -jar "$jar" -np "$ranks" -cp "$bin/java-corunna" "$2") ;;
        j*.mpj)
            program=$bin/java-mpj/$2.class
            command=("${two_cores[@]}" java -jar "$mpj/starter.jar" -np "$ranks" -dev multicore
                -cp "$bin/java-mpj" "$2") ;;
        j*.niodev)
            program=$bin/java-mpj/$2.class
            command=(java -cp "$bin/java-mpj" NioRun "$ranks" "$bin/java-mpj:$mpj/mpj.jar:$mpj/log4j-1.2.jar" "$2")
            if [ "$ranks" = 2 ]; then
                command=(env NIORUN_CPUS="$cpu_a $cpu_b" "${command[@]}")
            else
                command=("${two_cores[@]}" "${command[@]}")
            fi ;;
    esac
}
