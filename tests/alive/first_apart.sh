#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a rank; the first of its job in a space of process ids of its own, so that it and the others are two hosts.
if [ "$PMI_RANK" = 0 ]; then
    exec unshare --pid --fork --kill-child --mount-proc "$@"
fi
exec "$@"
