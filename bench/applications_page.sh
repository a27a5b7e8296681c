#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# applications_page.sh [FOLDER]: the tables in applications.md and pictures/applications.svg, from
# bench/results/applications.csv, in a folder that has the page (docs). Without that file there is nothing to write.
set -eu
here=$(dirname "$0")
folder=${1:-$here/../docs}
csv=$here/results/applications.csv
[ -e "$csv" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -f "$here/applications.awk" -f "$here/applications_tables.awk" "$csv" "$folder/applications.md" > "$work/page"
awk -f "$here/applications.awk" -f "$here/applications_picture.awk" "$csv" > "$work/picture"
cp "$work/page" "$folder/applications.md"
cp "$work/picture" "$folder/pictures/applications.svg"
