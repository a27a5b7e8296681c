# SPDX-License-Identifier: Apache-2.0
# Hosts for tests: network namespaces with a name, an address and a process space of their own, joined by a bridge,
# each with a real sshd. Source this first thing in a script, before launcher_lib.sh:
#
#   . "$(dirname "$0")/hosts_lib.sh"      starts the script again, as host h0, in namespaces of its own
#   hosts_up 3                            hosts h1, h2, h3; ssh reaches them from everywhere without a question
#   host_exec 2 hostname                  a command on h2
#   host_cut 2; host_join 2               the link of h2 is down, and up again; a bad link is not announced
#   host_up_bad 4 1000 10                 one more host, h4, whose link is bad_link: each frame is 1000 us late and 10
#                                         of 1000 are lost; needs the path of that program in $bad_link. 1: no such
#                                         links here
#   host_alive 2 MARK                     how many processes of h2 have MARK on their command lines
#   host_await 2 MARK 3                   until there are exactly three of them
#   hosts_down                            all of them end; so they do when the script ends, however it ends
#
# Everything happens in a network, process, name and mount space that ends with the script: names never collide with
# another run's, /etc is shadowed and never changed, and nothing can be left behind. Needs root; without, or where the
# system does not allow it, the script ends with status 77, which means skipped.

hosts_wait=$(dirname "$0")/../wait_lib.sh
[ -r "$hosts_wait" ] || hosts_wait=$(dirname "$0")/../../wait_lib.sh
. "$hosts_wait"

hosts_skip() {
    echo "skipped: $1"
    exit 77
}

if [ -z "${COR_HOSTS_INSIDE:-}" ]; then
    [ "$(id -u)" -eq 0 ] || hosts_skip "hosts are network namespaces, which need root"
    for hosts_tool in ip ssh ssh-keygen unshare nsenter; do
        command -v $hosts_tool >/dev/null || hosts_skip "there is no $hosts_tool here"
    done
    [ -x /usr/sbin/sshd ] || hosts_skip "there is no /usr/sbin/sshd here (Debian: openssh-server)"
    unshare --net --uts --pid --mount --fork --mount-proc true 2>/dev/null ||
        hosts_skip "this system does not let root make namespaces"
    exec env COR_HOSTS_INSIDE=1 unshare --net --uts --pid --mount --fork --kill-child --mount-proc sh "$0" "$@"
fi

hosts_count=0
hosts_net=10.77.0

# A folder that ends with us, for scratch and for what shadows /etc.
mount -t tmpfs -o mode=755 hosts /mnt || hosts_skip "a tmpfs cannot be mounted here"
export TMPDIR=/mnt
# On a busy machine a host that is slow is not lost.
export CORUNNA_RUN_HOST_TIMEOUT=600
hostname h0
ip link set lo up
ip link add br0 type bridge 2>/dev/null || hosts_skip "this system has no bridges"
ip addr add $hosts_net.254/24 dev br0
ip link set br0 up

# Names, keys and what ssh and sshd need to know.
hosts_configure() {
    mkdir -p /mnt/etc/ssh
    {
        echo "127.0.0.1 localhost"
        echo "::1 localhost"
        echo "$hosts_net.254 h0"
        for hosts_i in $(seq 1 30); do
            echo "$hosts_net.$hosts_i h$hosts_i"
        done
    } >/mnt/etc/hosts
    ssh-keygen -q -t ed25519 -N '' -f /mnt/etc/ssh/host_key
    ssh-keygen -q -t ed25519 -N '' -f /mnt/etc/ssh/user_key
    cat >/mnt/etc/ssh/sshd_config <<'CONFIG'
HostKey /etc/ssh/host_key
AuthorizedKeysFile /etc/ssh/user_key.pub
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
PidFile none
LogLevel ERROR
MaxStartups 100
CONFIG
    cat >/mnt/etc/ssh/ssh_config <<'CONFIG'
Host *
    User root
    IdentityFile /etc/ssh/user_key
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
CONFIG
    # Whatever a person's shell does first, slow or stuck, is not part of a test.
    for hosts_file in .bashrc .zshenv; do
        [ ! -e "$HOME/$hosts_file" ] || mount --bind /dev/null "$HOME/$hosts_file"
    done
    mount --bind /mnt/etc/ssh /etc/ssh
    mount --bind /mnt/etc/hosts /etc/hosts
    mount -t tmpfs -o mode=755 hosts /run
    mkdir /run/sshd
}
hosts_configure

# What runs as the first process of a host.
cp "$hosts_wait" /mnt/wait_lib.sh
cat >/mnt/host_init.sh <<'END_INIT'
. /mnt/wait_lib.sh
hostname "$1"
ip link set lo up
wait_until ip link show eth0 >/dev/null 2>&1
ip addr add "$2/24" dev eth0
ip link set eth0 up
[ -z "$3" ] || exec sleep $forever
exec /usr/sbin/sshd -D -e -f /etc/ssh/sshd_config
END_INIT

# hosts_await COMMAND: until it succeeds; if it never does its last words tell why.
hosts_await() {
    wait_until "$@" >/mnt/await.log 2>&1 || {
        echo "FAILED: hosts_up: $* never came true"
        tail /mnt/await.log
        exit 1
    }
}

hosts_answers() {
    timeout 600 ssh -o BatchMode=yes -o ConnectTimeout=60 "h$1" true
}

# hosts_has_init: the first process of the host is there, $hosts_init, and its network is not ours.
hosts_has_init() {
    hosts_init=$(cat "/proc/$hosts_pid/task/$hosts_pid/children" 2>/dev/null)
    hosts_init=${hosts_init%% *}
    [ -n "$hosts_init" ] && [ "$(readlink "/proc/$hosts_init/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

# host_up I [deaf]: one more host; a deaf one has no sshd. hosts_link makes its link; $hosts_init is its first process.
host_up() {
    unshare --net --uts --pid --mount --fork --kill-child --mount-proc sh /mnt/host_init.sh "h$1" "$hosts_net.$1" \
        "${2:-}" </dev/null >"/mnt/h$1.log" 2>&1 &
    hosts_pid=$!
    hosts_await hosts_has_init
    eval "host_outer_$1=$hosts_pid host_init_$1=$hosts_init"
    ${hosts_link:-hosts_link_good} "$1" || return 1
    ip link set "v$1" master br0
    ip link set "v$1" up
    [ -n "${2:-}" ] || hosts_await hosts_answers "$1"
}

hosts_link_good() {
    ip link add "v$1" type veth peer name eth0 netns "$hosts_init"
}

# It works, or has ended.
hosts_link_decides() {
    grep -q seed "$1" || ! kill -0 "$hosts_link_pid" 2>/dev/null
}

hosts_link_bad() {
    : >"/mnt/v$1.log"
    # shellcheck disable=SC2086
    "$bad_link" "v$1" "eth0@/proc/$hosts_init/ns/net" $hosts_badness >"/mnt/v$1.log" 2>&1 &
    hosts_link_pid=$!
    eval "host_link_$1=$hosts_link_pid"
    wait_until hosts_link_decides "/mnt/v$1.log"
    grep -q seed "/mnt/v$1.log" || return 1
    sed "s,@.*/ns/net:, of h$1:," "/mnt/v$1.log"
}

host_up_bad() {
    hosts_badness="$2 $3"
    hosts_link=hosts_link_bad
    host_up "$1"
    hosts_status=$?
    hosts_link=
    return $hosts_status
}

hosts_up() {
    for hosts_i in $(seq 1 "$1"); do
        host_up "$hosts_i"
        hosts_count=$hosts_i
    done
}

# The whole host disappears, as with its plug pulled.
host_down() {
    eval "kill -9 \$host_init_$1 2>/dev/null"
    hosts_tell_link "$1" -TERM || ip link del "v$1" 2>/dev/null
    :
}

hosts_down() {
    for hosts_i in $(seq 1 "$hosts_count"); do
        host_down "$hosts_i"
    done
    hosts_count=0
}

host_exec() {
    eval "hosts_target=\$host_init_$1"
    shift
    nsenter --target "$hosts_target" --net --uts --pid --mount -- "$@"
}

# What the link of a host is to do, where it is a bad one; 1: it is a good one.
hosts_tell_link() {
    eval "hosts_which=\${host_link_$1:-}"
    [ -n "$hosts_which" ] && kill "$2" "$hosts_which"
}

host_cut() {
    hosts_tell_link "$1" -USR1 || ip link set "v$1" down
}

host_join() {
    hosts_tell_link "$1" -USR2 || ip link set "v$1" up
}

host_alive() {
    echo "$2" >/mnt/mark_pattern
    host_exec "$1" sh -c 'grep -laFf /mnt/mark_pattern /proc/[0-9]*/cmdline 2>/dev/null | wc -l'
}

hosts_are_alive() {
    [ "$(host_alive "$1" "$2")" -eq "$3" ]
}

# host_await I MARK COUNT: until exactly COUNT processes of the host have MARK on their command lines.
host_await() {
    wait_until hosts_are_alive "$@"
}
