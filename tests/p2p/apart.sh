#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A job over several hosts, all of them this machine: each host has a space of process ids of its own, so that ranks of
# one host share memory and ranks of two cannot. The launcher starts its agents there as it would on any other host.
#
#   apart.sh LAUNCHER RANKS PROGRAM [ARGUMENT...]     ranks 0 and 1 on one host, each of the others on its own
#   APART="OPTION..." apart.sh ...                    as these options of the launcher say: APART="--hosts a:3,b:1"
set -eu
. "$(dirname "$0")/../spaces_lib.sh"
spaces_for "--pid --fork --kill-child --mount-proc" "$@" || {
    echo "skipped: a space of process ids cannot be made here"
    exit 77
}
launcher=$1 ranks=$2
shift 2
if [ -z "${APART:-}" ]; then
    APART="--hosts h1:2"
    host=2
    while [ $host -lt "$ranks" ]; do
        APART="$APART,h$host:1"
        host=$((host + 1))
    done
fi
export CORUNNA_RUN_LAUNCHER='unshare --pid --fork --kill-child --mount-proc env AT={host}'
# shellcheck disable=SC2086
exec "$launcher" run --timeout "${APART_TIMEOUT:-1200}" -n "$ranks" $APART "$@"
