#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A job on a machine without /proc, where shared memory has to have a name:
#   no_proc.sh LAUNCHER RANKS PROGRAM [ARGUMENT...]
set -eu
. "$(dirname "$0")/../spaces_lib.sh"
spaces_for --mount "$@" || {
    echo "skipped: /proc cannot be hidden here"
    exit 77
}
export CORUNNA_SM_SEGMENT=file
launcher=$1 ranks=$2
shift 2
exec unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$launcher" run --timeout 1200 -n "$ranks" "$@"
