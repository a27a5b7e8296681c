#!/bin/sh
# Run a program over mpidev: over_mpi.sh CORUNNA LIBRARY RANKS PROGRAM ARGUMENTS, where LIBRARY is openmpi or mpich. 77 if
# that MPI, or its launcher, is not installed.
set -eu
corunna=$1 library=$2 ranks=$3
shift 3
lib=$(dirname "$corunna")/../lib
case $library in
    openmpi) launcher=mpirun.openmpi packages="openmpi-bin and libopenmpi-dev" ;;
    *) launcher=mpiexec.hydra packages="mpich and libmpich-dev" ;;
esac
if ! command -v "$launcher" > /dev/null 2>&1 || [ ! -e "$lib/libcorunna_mpi_$library.so" ]; then
    echo "SKIPPED: $library is not installed (Debian packages $packages)"
    exit 77
fi
# A program that has the engine in itself finds the bridge there.
export LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec timeout -k 5 "${OVER_MPI_TIMEOUT:-110}" "$corunna" run --dev mpidev --tune mpi.library="$library" -n "$ranks" "$@"
