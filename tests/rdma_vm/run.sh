#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD [SCRIPT...]: make the guest in BUILD/rdma_vm, if it is not there, and run scripts of this folder in it, each
# in a fresh one.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
qemu=qemu-system-$(uname -m)
command -v "$qemu" > /dev/null || {
    echo "check-rdma: skipped, there is no $qemu (cmake/setup.sh rdma installs it on Debian)" >&2
    exit 0
}
"$here/image.sh" "$build/rdma_vm" || {
    [ $? = 77 ] && echo "check-rdma: skipped" >&2 && exit 0
    exit 1
}
shift
[ $# -gt 0 ] || set -- smoke.sh wire.sh tagged.sh
for script; do
    "$here/guest.sh" "$build/rdma_vm" 540 sh "$here/$script" "$build"
done
