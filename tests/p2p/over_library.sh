#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a program over a device that sends through another library: over_library.sh CORUNNA LIBRARY RANKS PROGRAM
# ARGUMENTS, where LIBRARY is openmpi or mpich (mpidev), ucx or ucx_tcp (ucxdev), ofi, ofi_any, ofi_shm or ofi_udp
# (ofidev), hyb_ucx or hyb_ofi (hybdev). 77 if that library, or its launcher, is not installed. OVER_HOSTS=a:2,b:1
# spreads the ranks over hosts that are made of this machine (apart.sh).
set -eu
corunna=$1 library=$2 ranks=$3
shift 3
lib=$(dirname "$corunna")/../lib
case $library in
    openmpi) plugin=mpi_openmpi launcher=mpirun.openmpi packages="openmpi-bin and libopenmpi-dev" ;;
    mpich) plugin=mpi_mpich launcher=mpiexec.hydra packages="mpich and libmpich-dev" ;;
    ofi* | hyb_ofi) plugin=ofi launcher=true packages="libfabric-dev" ;;
    *) plugin=ucx launcher=true packages="libucx-dev" ;;
esac
if ! command -v "$launcher" > /dev/null 2>&1 || [ ! -e "$lib/libcorunna_$plugin.so" ]; then
    echo "SKIPPED: $library is not installed (Debian packages $packages)"
    exit 77
fi
case $library in
    openmpi | mpich) device="--dev mpidev --tune mpi.library=$library" ;;
    ucx_tcp) device="--dev ucxdev --tune ucx.transports=tcp" ;;
    ofi) device="--dev ofidev --tune ofi.provider=tcp;ofi_rxm --tune ofi.domain=lo" ;;
    ofi_any) device="--dev ofidev" ;;
    ofi_shm) device="--dev ofidev --tune ofi.provider=shm" ;;
    ofi_udp) device="--dev ofidev --tune ofi.provider=udp;ofi_rxd --tune ofi.domain=lo" ;;
    hyb_ofi) device="--dev hybdev --tune hyb.library=ofi --tune ofi.provider=tcp;ofi_rxm --tune ofi.domain=lo" ;;
    hyb_ucx) device="--dev hybdev --tune hyb.library=ucx --tune ucx.transports=tcp" ;;
    *) device="--dev ucxdev" ;;
esac
# A program that has the engine in itself finds the plugin there.
export LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
if [ -n "${OVER_HOSTS:-}" ]; then
    export APART="$device --hosts $OVER_HOSTS" APART_TIMEOUT="${OVER_TIMEOUT:-1200}"
    exec "$(dirname "$0")/apart.sh" "$corunna" "$ranks" "$@"
fi
# shellcheck disable=SC2086
exec timeout -k 5 "${OVER_TIMEOUT:-1200}" "$corunna" run $device -n "$ranks" "$@"
