#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files of a job on a file system that is a program (FUSE, by bindfs): each call of the system goes through that
# program, which splits long ones. It runs in spaces of its own, and ends with the job however that ends.
#
#     fuse_test.sh COMMAND...
set -u
. "$(dirname "$0")/../spaces_lib.sh"
spaces="--mount --pid --fork"
if [ -z "${FUSE_WORK:-}" ]; then
    command -v bindfs > /dev/null 2>&1 || { echo "skipped: 1 test, as bindfs is not installed"; exit 77; }
    spaces_for "$spaces" "$@" || { echo "skipped: 1 test, as no file system can be mounted here"; exit 77; }
    # In memory, where MPI_File_sync waits for no disk.
    FUSE_WORK=$(mktemp -d /dev/shm/file_fuse.XXXXXX 2> /dev/null) || FUSE_WORK=$(mktemp -d) || exit 1
    export FUSE_WORK
    trap 'rm -rf "$FUSE_WORK"' EXIT
    trap 'kill "$job" 2> /dev/null; exit 1' HUP INT TERM
    # shellcheck disable=SC2086
    unshare $spaces --mount-proc --kill-child sh "$0" "$@" &
    job=$!
    wait "$job"
    exit $?
fi
mkdir "$FUSE_WORK/real" "$FUSE_WORK/seen"
if ! bindfs "$FUSE_WORK/real" "$FUSE_WORK/seen" 2> "$FUSE_WORK/why"; then
    echo "skipped: 1 test, as bindfs cannot mount here: $(cat "$FUSE_WORK/why")"
    exit 77
fi
FILE_TEST_FOLDER=$FUSE_WORK/seen
export FILE_TEST_FOLDER
"$@"
