#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hosts of which one has more ranks than CPUs and the others do not: all ranks must choose the same algorithms.
#   crowded_test.sh LAUNCHER PROGRAM
. "$(dirname "$0")/../launcher/hosts_lib.sh"
set -u
launcher=$1 program=$2

# With one CPU two ranks are too many.
taskset -p 1 $$ > /dev/null || {
    echo "skipped: there is no taskset here, or no CPU 0 for us"
    exit 77
}
hosts_up 3
printf 'bcast crowded chain\nbcast bucket\nallreduce !crowded mst\nallreduce doubling\n' > /mnt/rules

# expect HOSTS SAID [SETTING]: the job ends well, and says so.
expect() {
    said=$(env ${3:+"$3"} timeout 700 "$launcher" run --timeout 600 --hosts "$1" "$program" 2>&1)
    status=$?
    [ $status = 0 ] && [ "$said" = "$2" ] && return
    echo "FAILED: --hosts $1 ${3:-}: ended with $status, said: $said"
    exit 1
}

expect h1:2,h2:2,h3:2 "right on 3 of 6"
expect h1:2,h2:1,h3:1 "right on 3 of 4"
expect h1:1,h2:2,h3:1 "right on 3 of 4" CORUNNA_COLL_RULES=/mnt/rules
expect h1:2,h2:1,h3:1 "right on 3 of 4" CORUNNA_DEV=tcpdev
echo "hosts need not be equally crowded"
