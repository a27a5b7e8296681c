#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a job with a folder for its files, which is removed at the end however the job ends. It is in memory, where
# MPI_File_sync waits for no disk, unless FILE_TEST_DISK is set or there is no such file system.
#
#     file_folder.sh COMMAND...
set -u
FILE_TEST_FOLDER=
[ -n "${FILE_TEST_DISK:-}" ] || FILE_TEST_FOLDER=$(mktemp -d /dev/shm/file_suite.XXXXXX 2> /dev/null)
[ -n "$FILE_TEST_FOLDER" ] || FILE_TEST_FOLDER=$(mktemp -d) || exit 1
export FILE_TEST_FOLDER
trap 'rm -rf "$FILE_TEST_FOLDER"' EXIT
trap 'exit 1' HUP INT TERM
"$@"
