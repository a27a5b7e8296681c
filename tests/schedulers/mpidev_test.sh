#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpidev apart from messages: how its ranks are started, its output and the end of its jobs.
#   mpidev_test.sh LIBRARY CORUNNA P2P ENDS JAR CLASSES EXAMPLES; LIBRARY is openmpi or mpich, JAR is empty without
#   Java.
library=$1 corunna=$2 p2p=$3 ends=$4 jar=$5 classes=$6 examples=$7
failures=0
case $library in
    openmpi) launcher="mpirun.openmpi --allow-run-as-root --oversubscribe" packages="openmpi-bin and libopenmpi-dev" ;;
    *) launcher=mpiexec.hydra packages="mpich and libmpich-dev" ;;
esac
lib=$(dirname "$corunna")/../lib
if ! command -v "${launcher%% *}" > /dev/null || [ ! -e "$lib/libcorunna_mpi_$library.so" ]; then
    echo "SKIPPED: $library is not installed (Debian packages $packages)"
    exit 77
fi
unset PMI_FD PMI_RANK PMI_SIZE PMI_PORT PMIX_RANK PMIX_NAMESPACE OMPI_COMM_WORLD_RANK CORUNNA_JAR
export CORUNNA_DEV=mpidev CORUNNA_MPI_LIBRARY="$library"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/mpidev.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit 1

# expect STATUS PATTERN COMMAND...: how it ends, 'any' or '!0' or a number, and what it says.
expect()
{
    wanted=$1 pattern=$2
    shift 2
    timeout -k 2 600 "$@" > out 2>&1
    status=$?
    case $wanted in
        any) [ $status -ne 124 ] ;;
        '!0') [ $status -ne 0 ] && [ $status -ne 124 ] ;;
        *) [ $status -eq "$wanted" ] ;;
    esac && grep -q -- "$pattern" out && return
    failures=$((failures + 1))
    echo "FAILED: $*: status $status instead of $wanted, or not \"$pattern\": $(head -c 600 out)"
}

# By our launcher, by the other one, and by none.
expect 0 'cases on 3 ranks as processes passed' "$corunna" run -n 3 "$p2p" order
# shellcheck disable=SC2086
expect 0 'cases on 2 ranks as processes passed' $launcher -n 2 "$p2p" order
expect 0 'cases on 1 ranks as processes passed' "$p2p" order
# The launcher says which MPI, where the setting does not.
# shellcheck disable=SC2086
expect 0 "because its launcher has started this process" \
    env CORUNNA_MPI_LIBRARY=auto CORUNNA_LOG=debug $launcher -n 1 "$p2p" order
case $library in
    openmpi) name="Open MPI" ;;
    *) name=MPICH ;;
esac
expect 0 "rank 0 on .* to ranks 0-1: $name.*eager to 8192 bytes" "$corunna" run -n 2 "$corunna" info --routes
expect 0 '^device mpidev: ' "$corunna" info

# What carries over, and what does not.
mkdir inside
expect 0 "^a b 12 $scratch/inside$" "$corunna" run -n 1 -x "WORDS=a b" --tune mpi.eager_max=12k \
    --wdir "$scratch/inside" sh -c 'echo "$WORDS ${CORUNNA_MPI_EAGER_MAX%k} $(pwd)"'
expect 0 'cases on 2 ranks' "$corunna" run --hosts localhost:2 --map node --bind core "$p2p" order
expect 5 . "$corunna" run -n 2 sh -c 'echo leaving; exit 5'
expect 2 'corunna run: --timeout is not supported with mpidev' "$corunna" run --timeout 5 -n 2 "$p2p" order
expect 2 'corunna run: the setting run.fan is not supported with mpidev' "$corunna" run --fan 5 -n 2 "$p2p" order
expect 127 "mpidev needs the launcher of $name, but .* is not in PATH" \
    env PATH=/nowhere "$corunna" run -n 2 "$p2p" order

# What it cannot.
expect '!0' 'mpidev cannot run ranks as threads of one process' "$p2p" --threads 2 order
expect '!0' 'the setting pmi must be auto with mpidev' env CORUNNA_PMI=none "$p2p" order

# How jobs end.
expect '!0' 'Abort' "$corunna" run -n 3 "$ends" abort
if [ "$library" = openmpi ] && [ $status -ne 33 ]; then # Hydra has a status of its own for it
    failures=$((failures + 1))
    echo "FAILED: MPI_Abort with 33 ended with $status"
fi

# Without the bridge: a copy of the program that stands elsewhere.
mkdir bin
cp "$corunna" bin/
expect 1 "mpidev cannot use $name, because there is no libcorunna_mpi_$library.so" bin/corunna info --routes -n 1
expect 2 'mpidev needs an MPI library, and this Corunna was built without any' \
    env CORUNNA_MPI_LIBRARY=auto bin/corunna run -n 2 "$p2p" order

if [ -n "$jar" ]; then
    expect '!0' 'mpidev was started in this process before, and its MPI can be started only once' \
        "$corunna" run -n 2 java -cp "$jar:$classes" outcome.Again
    expect 0 'Hello from rank 2 of 3' "$(dirname "$corunna")/mpjrun" -np 3 -dev mpidev -cp "$examples" Hello
fi

[ $failures -eq 0 ] || {
    echo "$failures checks failed"
    exit 1
}
echo "all checks passed"
