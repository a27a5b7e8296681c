# SPDX-License-Identifier: Apache-2.0
# A Slurm of our own with four nodes, all of them this machine. Sourced first thing by a script, with its arguments.
#
# The script that sources this goes on in name spaces of its own: processes, network, mounts and host name. Whatever is
# started there ends with it, its ports conflict with no others, and nothing of it is visible outside.

if [ "${SLURM_LIB_INSIDE:-}" != yes ]; then
    for tool in slurmctld slurmd srun salloc scontrol munged unshare ip; do
        PATH=$PATH:/usr/sbin:/sbin command -v $tool > /dev/null || {
            echo "SKIPPED: $tool is not installed (Debian packages slurm-wlm, munge, iproute2)"
            exit 77
        }
    done
    if ! unshare --mount --net --pid --uts --ipc --fork true 2> /dev/null; then
        echo "SKIPPED: making name spaces needs root"
        exit 77
    fi
    SLURM_LIB_INSIDE=yes PATH=$PATH:/usr/sbin:/sbin exec \
        unshare --mount --net --pid --uts --ipc --fork --kill-child --mount-proc sh "$0" "$@"
fi

. "$(dirname "$0")/../wait_lib.sh"
# The first process of a name space has to ask for signals, or it does not get them.
trap 'exit 1' INT TERM
# A folder that ends with us.
slurm_folder=/mnt
mount -t tmpfs -o mode=755 slurm $slurm_folder || exit 1
unset SLURM_LIB_INSIDE PMI_FD PMI_RANK PMI_SIZE PMI_PORT PMIX_RANK PMIX_NAMESPACE CORUNNA_JAR
cd "$slurm_folder" || exit 1
hostname corunna-slurm
# A network with an address that is not of this host alone: Slurm looks up names only where there is one.
address=10.211.7.1
ip link set lo up
ip link add slurm0 type veth peer name slurm1
ip address add $address/24 dev slurm0
ip link set slurm0 up
ip link set slurm1 up
# Names are found in a file of our own and nowhere else, so that no search waits for a network that is not there.
printf "127.0.0.1 localhost\n%s corunna-slurm n1 n2 n3 n4\n" $address > hosts
: > resolv.conf
mount --bind hosts /etc/hosts && mount --bind resolv.conf /etc/resolv.conf || exit 1

# slurm_start: up to four idle nodes, or the end of the test.
slurm_start() {
    mkdir state n1 n2 n3 n4 tmp-n1 tmp-n2 tmp-n3 tmp-n4
    head -c 128 /dev/urandom > munge.key
    chmod 400 munge.key
    munged --force --key-file="$slurm_folder/munge.key" --socket="$slurm_folder/munge.socket" \
        --pid-file="$slurm_folder/munged.pid" --log-file="$slurm_folder/munged.log" \
        --seed-file="$slurm_folder/munge.seed" || slurm_give_up
    slurm_configure > slurm.conf
    export SLURM_CONF="$slurm_folder/slurm.conf"
    slurmctld -D > slurmctld.out 2>&1 &
    for node in n1 n2 n3 n4; do
        slurmd -D -N $node > $node.out 2>&1 &
    done
    wait_until slurm_is_idle || slurm_give_up
}

slurm_is_idle() {
    [ "$(sinfo -h -t idle -o %D 2> /dev/null)" = 4 ]
}

slurm_configure() {
    cat << END
ClusterName=corunna
SlurmctldHost=corunna-slurm($address)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm_folder/munge.socket
CredType=cred/munge
StateSaveLocation=$slurm_folder/state
SlurmdSpoolDir=$slurm_folder/%n
TmpFS=$slurm_folder/tmp-%n
SlurmctldPidFile=$slurm_folder/slurmctld.pid
SlurmdPidFile=$slurm_folder/%n.pid
SlurmctldLogFile=$slurm_folder/slurmctld.log
SlurmdLogFile=$slurm_folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=1
NodeName=n1 NodeHostname=corunna-slurm NodeAddr=$address Port=17001 CPUs=8
NodeName=n2 NodeHostname=corunna-slurm NodeAddr=$address Port=17002 CPUs=8
NodeName=n3 NodeHostname=corunna-slurm NodeAddr=$address Port=17003 CPUs=8
NodeName=n4 NodeHostname=corunna-slurm NodeAddr=$address Port=17004 CPUs=8
PartitionName=all Nodes=n1,n2,n3,n4 Default=YES State=UP
END
}

slurm_give_up() {
    echo "FAILED: Slurm does not come up"
    sinfo 2>&1
    for log in munged.log slurmctld.log slurmctld.out n1.log n1.out; do
        [ ! -s $log ] || {
            echo "-- $log"
            tail -n 12 $log
        }
    done
    exit 1
}
