#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD [short|whole]: make the guest in BUILD/rdma_vm, if it is not there, and run the scripts of this folder in
# it, each in a fresh one. Whole: the suites with all their cases, on several numbers of ranks, which takes hours. With
# RDMA_SIW=no in the environment: without soft-iWARP. Skipped only where there is no QEMU.
set -eu
build=$(cd "$1" && pwd) amount=${2:-short}
here=$(cd "$(dirname "$0")" && pwd)
qemu=qemu-system-$(uname -m)
case $amount in
    short | whole) ;;
    *)
        echo "check-rdma: RDMA is '$amount'; it is short or whole" >&2
        exit 2
        ;;
esac
command -v "$qemu" > /dev/null || {
    echo "check-rdma: skipped, there is no $qemu (cmake/setup.sh rdma installs it on Debian)" >&2
    exit 0
}
"$here/image.sh" "$build/rdma_vm"
[ "${RDMA_SIW:-yes}" != no ] || echo "check-rdma: without soft-iWARP, as RDMA_SIW says" >&2

status=0
run() # seconds, script, arguments
{
    seconds=$1 script=$2
    shift 2
    "$here/guest.sh" "$build/rdma_vm" "$seconds" env RDMA_SIW="${RDMA_SIW:-yes}" sh "$here/$script" "$build" "$@" ||
        status=1
}
run 1200 smoke.sh
run 3600 wire.sh "$amount"
if [ "$amount" = short ]; then
    run 5400 suites.sh short
else
    for wire in "RDMA CM" exchange soft-iWARP UCX libfabric; do
        run 14400 suites.sh whole "$wire"
    done
fi
exit $status
