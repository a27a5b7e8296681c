#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# corunna bench and corunna tune between hosts.
#   hosts_test.sh CORUNNA
. "$(dirname "$0")/../launcher/hosts_lib.sh"
corunna=$1
hosts_up 2
cd /mnt || exit 1
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}
timeout 600 "$corunna" bench pingpong --hosts h1,h2 --sizes 8,4096 --rounds 1 --ms 1 --quiet --csv figures.csv \
    > out 2> err ||
    fail "bench: $(cat out err)"
for size in 8 4096; do
    grep -q "^pingpong,corunna,c,hosts,2,byte,,$size," figures.csv || fail "bench: $(cat figures.csv)"
done
timeout 1200 "$corunna" tune barrier --hosts h1:2,h2:2 -n 4 --minutes 15 --quiet -o own > out 2> err ||
    fail "tune: $(cat out err)"
for name in "" dissemination nodes; do
    grep -q "^4	$name	barrier	" own.measured || fail "'$name' was not measured"
done
grep -q "board" own.measured && fail "ranks on two hosts share no memory"
grep -Ev '^(#|barrier blocking ranks<=4 nodes=2 [a-z_]+)' own && fail "strange rules"
timeout 600 "$corunna" run --hosts h1:2,h2:2 --tune coll.rules=/mnt/own "$corunna" info --coll barrier -n 4 \
    > out 2> err || fail "the file: $(cat err)"
[ $failures = 0 ] && echo "all fine"
exit $failures
