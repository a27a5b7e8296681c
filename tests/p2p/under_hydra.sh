#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a program under Debian's Hydra: under_hydra.sh RANKS PROGRAM ARGUMENTS. 77 if Hydra is not installed.
set -eu
ranks=$1
shift
if ! command -v mpiexec.hydra > /dev/null 2>&1; then
    echo "SKIPPED: mpiexec.hydra is not installed (Debian package mpich)"
    exit 77
fi
exec timeout 1200 mpiexec.hydra -n "$ranks" "$@"
