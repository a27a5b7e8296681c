#!/bin/sh
# Who chooses the algorithm: the built-in rules, a user's file, a knob; and what is said when that cannot be.
#   choice_test.sh LAUNCHER PROGRAM
set -u
launcher=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect STATUS PATTERN COMMAND...: it ends so, 1 standing for any failure, and says so.
expect() {
    status=$1 pattern=$2
    shift 2
    timeout 60 "$@" > "$work/said" 2>&1
    got=$?
    [ "$got" -gt 1 ] && [ "$status" = 1 ] && got=1
    if [ "$got" != "$status" ] || ! grep -Eq -- "$pattern" "$work/said"; then
        echo "FAILED: $*: expected $status and '$pattern', got $got and:"
        head -c 2000 "$work/said"
        failed=1
    fi
}

# ---- what is printed ------------------------------------------------------------------------------------------------
expect 0 "^bcast on 16 ranks, 1 node" "$launcher" info --coll bcast -n 16
expect 0 "CORUNNA_COLL_REDUCE_SCATTER_BLOCK=NAME forces one" "$launcher" info --coll reduce_scatter_block -n 4
expect 0 "^ +0 \.\. .* +[0-9]+: neighbor_alltoallw nbft" "$launcher" info --coll all -n 5
expect 0 "operator not commutative" "$launcher" info --coll allreduce -n 5
expect 1 "there is no collective operation \"bcst\"; did you mean bcast\?" "$launcher" info --coll bcst -n 4

# A choice that is forced is what runs, or the refusal of the calls it cannot serve.
export CORUNNA_COLL_BCAST="Chain segment=4k"
expect 0 "^ +0 \.\. +chain +coll.bcast=Chain segment=4k" "$launcher" info --coll bcast -n 2
expect 0 "^ +0 \.\. .* [0-9]+: barrier " "$launcher" info --coll barrier -n 2
export CORUNNA_COLL_BCAST=inter # for the others the rules are left
expect 0 "^ +0 \.\. .* [0-9]+: bcast " "$launcher" info --coll bcast -n 2
export CORUNNA_COLL_BCAST=bde
expect 1 "^corunna info: coll.bcast: bcast knows neither .*\"bde\"" "$launcher" info --coll bcast -n 2
unset CORUNNA_COLL_BCAST
expect 0 "^    fails: the algorithm bde that coll.allreduce asks for needs a number of ranks that is a power" \
    env CORUNNA_COLL_ALLREDUCE=bde "$launcher" info --coll allreduce -n 3
expect 0 "^ +0 \.\. +bde +coll.allreduce=bde" env CORUNNA_COLL_ALLREDUCE=bde "$launcher" info --coll allreduce -n 4

# ---- a user's file: its rules come first ----------------------------------------------------------------------------
printf '# ours\nbcast bytes<=100 ranks>=4 binomial\nbcast bytes<=200 chain segment=4k\n' > "$work/rules"
export CORUNNA_COLL_RULES="$work/rules"
expect 0 "^ +0 \.\. 100 +binomial +own 2: bcast bytes<=100 ranks>=4 binomial" "$launcher" info --coll bcast -n 4
expect 0 "^ +101 \.\. 200 +chain +own 3: bcast bytes<=200 chain segment=4k" "$launcher" info --coll bcast -n 4
expect 0 "^ +0 \.\. 200 +chain +own 3" "$launcher" info --coll bcast -n 3
expect 0 "^right" "$launcher" run -n 4 "$program"
printf 'bcast bytes<=100 mts\n' > "$work/rules"
expect 1 "$work/rules, line 1: bcast knows neither .*\"mts\"; did you mean mst\?" "$launcher" info --coll bcast -n 4
expect 1 "rank [01] .*: MPI_Bcast: .*line 1: bcast knows neither .*\"mts\"; did you mean mst\?" \
    "$launcher" run -n 2 "$program"
export CORUNNA_COLL_RULES="$work/none"
expect 1 "cannot open the file of rules $work/none" "$launcher" run -n 2 "$program"
unset CORUNNA_COLL_RULES

# ---- a knob wins or fails loudly ------------------------------------------------------------------------------------
expect 0 "^right" env CORUNNA_COLL_BCAST="chain segment=1k" "$launcher" run -n 3 "$program"
expect 0 "^right" "$launcher" run --tune coll.bcast=knomial -n 3 "$program"
expect 0 "^right" env CORUNNA_COLL_BCAST=nodes CORUNNA_COLL_NODE_RANKS=2 "$launcher" run -n 4 "$program"
expect 1 "rank [01] .*: MPI_Bcast: the algorithm nodes that coll.bcast asks for needs several nodes" \
    env CORUNNA_COLL_BCAST=nodes "$launcher" run -n 2 "$program"
expect 1 "coll.allreduce: allreduce knows neither .*\"bcde\"; did you mean bde\?" \
    env CORUNNA_COLL_ALLREDUCE=bcde "$launcher" run -n 2 "$program"
expect 1 "MPI_Allreduce: the algorithm bde that coll.allreduce asks for needs a number of ranks that is a power" \
    env CORUNNA_COLL_ALLREDUCE=bde "$launcher" run -n 3 "$program"
expect 1 "MPI_Bcast: coll.bcast: bcast knows neither .*\"bukket\"" env CORUNNA_COLL_BCAST=bukket \
    "$launcher" run -n 2 "$program"
# As the papers write them; and what there is.
expect 0 "^right" env CORUNNA_COLL_BCAST=nbFT CORUNNA_COLL_ALLREDUCE=BDE "$launcher" run -n 4 "$program"
expect 0 "^right" env CORUNNA_COLL_BCAST="bucket posted=0 barrier=1" "$launcher" run -n 3 "$program"
expect 1 "\"ring\"; it has board, bft, nbft, mst, .*bucket, " \
    env CORUNNA_COLL_BCAST=ring "$launcher" run -n 2 "$program"
expect 1 "did you mean bucket\? It has board, bft, " env CORUNNA_COLL_BCAST=bukket "$launcher" run -n 2 "$program"
# Who asks is told which one runs, once for a communicator and a kind of call.
expect 0 "rank 1.*: bcast on communicator [0-9]+ of 3 ranks, blocking: chain segment=1k$" \
    env CORUNNA_LOG=debug CORUNNA_COLL_BCAST="chain segment=1k" "$launcher" run -n 3 "$program"
expect 1 "the number is out of range in \"radix=1\"" \
    "$launcher" run --tune "coll.bcast=knomial radix=1" -n 2 "$program"

[ $failed = 0 ] && echo "the right one chooses"
exit $failed
