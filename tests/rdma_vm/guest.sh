#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guest.sh FOLDER SECONDS COMMAND...: run a command in a guest whose kernel image.sh has made in FOLDER. It sees the
# host's files, as they are, and its own writes are lost. The exit status is the command's; 99: the guest ended without
# one. The seconds are those of a quiet host; the guest does not see how many processes share a CPU of the host, so
# GUEST_CROWD has that number in the command's environment.
set -eu
folder=$1 seconds=$2
shift 2
. "$(dirname "$0")/../wait_lib.sh"
crowd=$(wait_crowd) seconds=$((seconds * crowd))
exchange=$(mktemp -d "$folder/exchange.XXXXXX")
trap 'rm -rf "$exchange"' EXIT
{
    echo "export GUEST_CROWD=$crowd"
    echo "cd '$PWD'"
    printf "exec"
    for word; do printf " '%s'" "$word"; done
    echo
} > "$exchange/command"

# Plain 'max' spends most of its time on the arithmetic of pointer authentication. The kernel's check of its timer fails
# where the guest gets no CPU for a while.
case $(uname -m) in
    aarch64) machine="qemu-system-aarch64 -machine virt -cpu max,pauth=off" console=ttyAMA0 ;;
    x86_64) machine="qemu-system-x86_64 -machine q35 -cpu max" console="ttyS0 no_timer_check" ;;
esac
# shellcheck disable=SC2086
timeout "$seconds" $machine -accel tcg,thread=multi -smp 2 -m 2048 -nodefaults -display none -serial stdio -no-reboot \
    -kernel "$folder"/kernel/boot/vmlinuz-* -initrd "$folder/initrd.cpio" \
    -append "console=$console quiet loglevel=4 panic=-1 corunna.now=$(date +%s)" -device virtio-rng-pci \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    -virtfs "local,path=$exchange,mount_tag=exchange,security_model=none" < /dev/null ||
    echo "rdma_vm: the guest did not end by itself within $seconds s" >&2
exit "$(cat "$exchange/status" 2> /dev/null || echo 99)"
