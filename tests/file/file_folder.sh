#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a job with a folder for its files, which is removed at the end however the job ends.
#
#     file_folder.sh COMMAND...
set -u
FILE_TEST_FOLDER=$(mktemp -d) || exit 1
export FILE_TEST_FOLDER
trap 'rm -rf "$FILE_TEST_FOLDER"' EXIT
trap 'exit 1' HUP INT TERM
"$@"
