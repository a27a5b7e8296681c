#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Learning while a program runs (coll.learn): results stay right, all ranks choose alike, and what was learnt can be
# read and used.
#   learn_test.sh LAUNCHER PROGRAM
. "$(dirname "$0")/said_lib.sh"
unset CORUNNA_COLL_RULES
export XDG_CONFIG_HOME="$work"

# alike FILE: what each class has come to, told by all ranks of its communicator in the same words but for the times,
# which the ranks have agreed on.
alike() {
    sed -n 's/^corunna: rank [0-9]*: debug: \([a-z_]* .*on communicator [0-9]* of [0-9]* ranks: learnt .*\)/\1/p' "$1" |
        sort | uniq -c > "$work/learnt"
    [ -s "$work/learnt" ] || { echo "FAILED: nothing was learnt"; failed=1; }
    awk '{ for (i = 1; i < NF; i++) if ($i == "of" && $(i + 2) == "ranks:" && $1 % $(i + 1) != 0) bad = bad "\n" $0 }
        END { if (bad) { print "FAILED: ranks differ:" bad; exit 1 } }' "$work/learnt" || failed=1
}

for ranks in 2 5; do
    ends 0 "^right" env CORUNNA_LOG=debug "$launcher" run -n $ranks \
        --tune coll.learn=unbounded --tune coll.learn_file="$work/rules" "$program" 60
    cp "$work/said" "$work/log"
    alike "$work/log"
    grep -q "allreduce of [0-9]* to [0-9]* bytes on communicator [0-9]* of $ranks ranks: learnt [a-z_]*, [0-9.]* us" \
        "$work/log" ||
        { echo "FAILED: allreduce on $ranks ranks was not learnt"; failed=1; }
    grep -q "rank 0.*: learning: [1-9][0-9]* trials and [1-9][0-9]* agreements in [1-9][0-9]* calls took" "$work/log" ||
        { echo "FAILED: what it took is not told"; failed=1; }
    grep -q "debug: gatherv .*: learnt" "$work/log" &&
        { echo "FAILED: gatherv, whose bytes not every rank knows"; failed=1; }

    # The file is one of rules, each with its reason, and the library reads it.
    grep -q "^# Written by coll.learn on 20" "$work/rules" || { echo "FAILED: no file"; failed=1; }
    grep -v '^#' "$work/rules" | grep -Ev "^[a-z_]+ .*ranks=[0-9]+ nodes=1 .*blocking.* [a-z_]+" &&
        { echo "FAILED: strange rules"; failed=1; }
    ends 0 "^right" "$launcher" run -n $ranks --tune coll.rules="$work/rules" "$program" 2
done
# A rule of it is what `info` shows.
line=$(grep -v '^#' "$work/rules" | grep -n "ranks=5 " | head -n 1)
if [ -n "$line" ]; then
    primitive=${line#*:}
    ends 0 "own [0-9]+: ${primitive%% *} " \
        env CORUNNA_COLL_RULES="$work/rules" "$launcher" info --coll "${primitive%% *}" -n 5
fi

# As if on several nodes; with arguments compared; as much as 1 % of the run, and nothing in its first calls.
ends 0 "^right" "$launcher" run -n 4 --tune coll.learn=unbounded --tune coll.node_ranks=2 --tune check=yes "$program" 12
ends 0 "^right" "$launcher" run -n 3 --tune coll.learn=yes "$program" 40
ends 0 "rank 0.*: learning: 0 trials and 0 agreements in" \
    env CORUNNA_LOG=info "$launcher" run -n 2 --tune coll.learn=yes "$program" 1

# Never more than 1 % of the run, and what the last step took longer than it was expected to, on no rank. What a step
# took is known to all at the next one: where the machine stops ranks in both, it is two steps. So much holds in every
# run, and one step in one run of five.
# share_holds STEPS: of the last run
share_holds() {
    awk -v steps="$1" '
        { trials += $1; if ($2 / 100 * $3 > $3 / 100 + steps * $4 / 1000 + 0.00001 * $3 + 0.00001) bad = 1 }
        END { exit !(NR == 2 && trials > 0 && !bad) }' "$work/shares"
}
runs=0
until [ $runs = 5 ] || { [ $runs -gt 0 ] && share_holds 1; }; do
    runs=$((runs + 1))
    ends 0 "^right" env CORUNNA_LOG=info "$launcher" run -n 2 --tune coll.learn=yes "$program" 1500
    took='took \([0-9.]*\) % of \([0-9.]*\) s, the longest \([0-9.]*\) ms'
    sed -n "s/^corunna: rank [0-9]*.*: learning: \([0-9]*\) trials .* $took\$/\1 \2 \3 \4/p" "$work/said" \
        > "$work/shares"
    share_holds 2 || { echo "FAILED: the share of trials, two steps: $(cat "$work/shares")"; failed=1; }
done
share_holds 1 || { echo "FAILED: the share of trials in $runs runs: $(cat "$work/shares")"; failed=1; }

# Off: nothing is told. What is forced is not learnt about.
ends 0 "^right" env CORUNNA_LOG=debug "$launcher" run -n 2 "$program" 5
grep -q "learn" "$work/said" && { echo "FAILED: it learns without being asked"; failed=1; }
ends 0 "^right" env CORUNNA_LOG=debug "$launcher" run -n 2 \
    --tune coll.learn=unbounded --tune coll.bcast=mst "$program" 20
grep -q "bcast .*learnt" "$work/said" && { echo "FAILED: what is forced is learnt about"; failed=1; }

# A file that cannot be written is told, and the program ends well; a wrong word is refused.
ends 0 "coll.learn_file: cannot .*$work/none/rules" \
    "$launcher" run -n 2 --tune coll.learn=yes --tune coll.learn_file="$work/none/rules" "$program" 1
ends 1 "coll.learn is \"perhaps\"; it must be one of no\|yes\|unbounded" \
    "$launcher" run -n 2 --tune coll.learn=perhaps "$program" 1

finish "what was learnt holds"
