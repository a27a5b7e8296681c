#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a launcher starts for a job of which one rank alone is set up wrongly:
#   one_rank.sh RANK HOW PROGRAM [ARGUMENT...]
# HOW is a setting, NAME=VALUE, `limited` for files of 100 blocks at most, or `full` for a /dev/shm without room, which
# takes root.
rank=$1 how=$2
shift 2
[ "${PMI_RANK:-${PMIX_RANK:-none}}" = "$rank" ] || exec "$@"
if [ "$how" = limited ]; then
    ulimit -f 100
    exec "$@"
fi
[ "$how" = full ] || exec env "$how" "$@"
exec unshare --mount sh -c 'mount -t tmpfs -o size=16k full /dev/shm && exec "$@"' sh "$@"
