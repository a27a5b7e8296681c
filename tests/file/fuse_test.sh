#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files of a job on a file system that is a program (FUSE, by bindfs), in a space of mounts of its own, so that it
# is gone with the job: each call of the system goes through that program, which splits long ones, and caches less.
#
#     fuse_test.sh COMMAND...
set -eu
. "$(dirname "$0")/../spaces_lib.sh"
command -v bindfs > /dev/null 2>&1 || { echo "skipped: 1 test, as bindfs is not installed"; exit 77; }
spaces_for "--mount --pid --fork" "$@" || { echo "skipped: 1 test, as no file system can be mounted here"; exit 77; }
if [ -z "${FUSE_DISK:-}" ]; then
    FUSE_DISK=yes exec unshare --mount --pid --fork --mount-proc --kill-child sh "$0" "$@"
fi
work=$(mktemp -d)
trap 'umount -l "$work/seen" 2> /dev/null || true; rm -rf "$work/real"; rmdir "$work/seen" "$work"' EXIT
mkdir "$work/real" "$work/seen"
if ! bindfs "$work/real" "$work/seen" 2> "$work/real/why"; then
    echo "skipped: 1 test, as bindfs cannot mount here: $(cat "$work/real/why")"
    exit 77
fi
rm -f "$work/real/why"
FILE_TEST_FOLDER=$work/seen
export FILE_TEST_FOLDER
"$@"
