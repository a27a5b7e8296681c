#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# applications.sh BUILD: what docs/applications.md shows of applications on several libraries, measured anew, in about
# fifteen minutes on two cores that do nothing else. Every figure goes to BUILD/applications.csv, from which a run that
# was interrupted goes on; a run that comes to its end moves the file to bench/results. Status 1: some runs were not
# verified, and have no figures.
set -u
build=$1
corunna=$build/bin/corunna
csv=$build/applications.csv
c=corunna-c,openmpi,mpich
java=corunna-java,corunna-threads,mpjexpress,mpjexpress-nio
status=0

matrix()
{
    "$corunna" apps matrix "$@" --csv "$csv" > "$build/applications.txt"
    ended=$?
    [ $ended -le 1 ] || exit $ended
    [ $ended = 0 ] || status=1
}

# All libraries, where each rank has a core; C once more, since its libraries are near to each other; more ranks than
# cores, and the codes of the flow, which need a square of them.
matrix cg ft is mg --class A -n 1,2 --rounds 2 --limit 120 --with $c,$java
matrix cg ft is mg --class A -n 1,2 --rounds 4 --limit 120 --with $c
matrix cg ft is mg --class W -n 8 --rounds 2 --limit 60 --with $c,$java
matrix sp bt lu --class W -n 4 --rounds 2 --limit 120 --with $c,corunna-threads,mpjexpress \
    --json "$build/applications.json" --html "$build/applications.html"
cat "$build/applications.txt"
grep -q ',yes$' "$csv" || { echo "applications.sh: there is no figure to show" >&2; exit 1; }
mv "$csv" "$(dirname "$0")/results/applications.csv"
exit $status
