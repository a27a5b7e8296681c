#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A disk that becomes full: a tmpfs of a few MiB, in a space of mounts of its own.
#
#     full_disk_test.sh COMMAND...        each @DISK@ stands for the folder
set -eu
. "$(dirname "$0")/../spaces_lib.sh"
spaces_for "--mount" "$@" || { echo "skipped: 1 test, as no file system can be mounted here"; exit 77; }
if [ -z "${FULL_DISK:-}" ]; then
    FULL_DISK=yes exec unshare --mount sh "$0" "$@"
fi
work=$(mktemp -d)
trap 'umount "$work" 2> /dev/null || true; rmdir "$work"' EXIT
if ! mount -t tmpfs -o size=4m none "$work" 2> /dev/null; then
    echo "skipped: 1 test, as no file system can be mounted here"
    exit 77
fi
for word in "$@"; do
    shift
    [ "$word" != @DISK@ ] || word=$work
    set -- "$@" "$word"
done
"$@"
