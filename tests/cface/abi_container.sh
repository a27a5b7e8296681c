#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranks in containers whose program was linked to another library of the standard ABI, which is in the image: one folder
# is mounted into each container, one variable names it (docs/containers.md). A container is a root of its own in a
# space of mounts of its own, and what else tools for containers separate: users, processes, memory of System V.
#
#   abi_container.sh FOLDER_OF_FACTS LIBRARY_FOLDER LAUNCHER

facts=$1 lib=$2 corunna=$3
# shellcheck source=tests/spaces_lib.sh
. "$(dirname "$0")/../spaces_lib.sh"
spaces_for "--mount" "$@" || { echo "skipped: 8 jobs, as no spaces of mounts can be made here"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH LD_PRELOAD
ulimit -c 0
# shellcheck source=tests/cface/abi_stub_lib.sh
. "$facts/abi_stub_lib.sh"
fail()
{
    echo "FAILED: $*"
    exit 1
}

# ---- the image: a program, and the library that it was linked to --------------------------------------------------
image=$work/image
mkdir -p "$image/app" "$image/opt/mpi/lib" "$image/opt/corunna" "$image/tmp" "$image/proc" "$image/dev" "$work/tmp"
stub_header "$work/include" && stub_library "$image/opt/mpi/lib" mpi_abi libmpi_abi.so.1 MPI_ PMPI_ || fail "no image"
cc -O1 -I"$work/include" -o "$image/app/program" "$facts/abi_program.c" -L"$image/opt/mpi/lib" -lmpi_abi \
    -Wl,--enable-new-dtags,-rpath,/opt/mpi/lib || fail "the program of the image cannot be linked"
for folder in /usr /bin /lib /lib64 /lib32 /sbin /etc; do
    if [ -L $folder ]; then
        cp -P $folder "$image$folder"
    elif [ -d $folder ]; then
        mkdir "$image$folder"
    fi
done
# contained OPTION... -- COMMAND...: what a tool for containers does. The mount of Corunna's folder is $mounted's.
cat > "$work/contained" << 'END'
#!/bin/sh
if [ -z "${CONTAINED:-}" ]; then
    spaces=
    while [ "$1" != -- ]; do
        spaces="$spaces $1"
        shift
    done
    CONTAINED=yes exec unshare --mount $spaces sh "$0" "$@"
fi
shift
for folder in /usr /bin /lib /lib64 /lib32 /sbin /etc /proc /dev; do
    [ -L $folder ] || [ ! -d $folder ] || mount --rbind $folder "$image$folder" || exit 90
done
mount --bind "$shared" "$image/tmp" || exit 91
if [ -n "$mounted" ]; then
    mkdir -p "$image/opt/corunna/lib"
    mount --bind "$mounted" "$image/opt/corunna/lib" || exit 92
fi
exec chroot "$image" env LD_LIBRARY_PATH="$named" "$@"
END
export image shared="$work/tmp" mounted="$lib" named=/opt/corunna/lib/corunna/abi

jobs=0 options=
# runs RANKS OPTION... : so many ranks, each in a container with these spaces of its own.
runs()
{
    ranks=$1
    shift
    # shellcheck disable=SC2086
    said=$(timeout 300 "$corunna" run -n "$ranks" $options sh "$work/contained" "$@" -- /app/program /tmp/file 2>&1) ||
        fail "$ranks ranks in containers $*: status $?: $said"
    [ "$said" = "$ranks ranks passed with Corunna" ] || fail "$ranks ranks in containers $*: $said"
    jobs=$((jobs + 1))
}

# With the library of the image it does not run.
mounted='' named='' timeout 300 "$corunna" run -n 1 sh "$work/contained" -- /app/program /tmp/file > /dev/null 2>&1 &&
    fail "the program of the image runs with the library of the image"
for ranks in 1 3; do
    runs $ranks
    runs $ranks --ipc --uts
done
# Ranks that may not look at each other in /proc share memory by a file in /dev/shm.
skipped=0 options="--tune sm.segment=file"
for spaces in "--user --map-root-user" "--pid --fork --kill-child" \
    "--user --map-root-user --pid --fork --kill-child"; do
    # shellcheck disable=SC2086
    if unshare --mount $spaces true 2> /dev/null; then
        # shellcheck disable=SC2086
        runs 3 $spaces
    else
        skipped=$((skipped + 1))
    fi
done
# One container for the whole job, with the launcher in it.
said=$(mounted="$lib/.." named='' timeout 300 sh "$work/contained" -- \
    /opt/corunna/lib/bin/corunna run --abi -n 2 /app/program /tmp/file 2>&1) || fail "the launcher in it: $said"
[ "$said" = "2 ranks passed with Corunna" ] || fail "the launcher in it: $said"
jobs=$((jobs + 1))
[ "$skipped" -eq 0 ] || echo "skipped: $skipped jobs, as such spaces cannot be made here"
echo "abi_container: passed, $jobs jobs"
