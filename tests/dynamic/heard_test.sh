#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# heard_test.sh CORUNNA LISTENING PROGRAM ARGUMENT...: a job over TCP that meets others, and who listens to its network
# hears no secret: no name of a port, and no address of a rank, with which the secret of a job comes.
set -u
# shellcheck source=tests/spaces_lib.sh
. "$(dirname "$0")/../spaces_lib.sh"
spaces_for --net "$@" || {
    echo "SKIPPED: network namespaces cannot be made here"
    exit 77
}
corunna=$1 listening=$2
shift 2
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
export CORUNNA_NAMES="$room" CORUNNA_DEV=tcpdev
unshare --net sh -c 'ip link set lo up && exec "$@"' sh \
    "$listening" corunna2+ tcp3, -- "$corunna" run --timeout 600 -n 3 "$@"
