#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who chooses the algorithm: the built-in rules, a user's file, a knob; and what is said when that cannot be.
#   choice_test.sh LAUNCHER PROGRAM
. "$(dirname "$0")/said_lib.sh"

# ---- what is printed ------------------------------------------------------------------------------------------------
ends 0 "^bcast on 16 ranks, 1 node" "$launcher" info --coll bcast -n 16
ends 0 "CORUNNA_COLL_REDUCE_SCATTER_BLOCK=NAME forces one" "$launcher" info --coll reduce_scatter_block -n 4
ends 0 "^ +0 \.\. .* +[0-9]+: neighbor_alltoallw nbft" "$launcher" info --coll all -n 5
ends 0 "operator not commutative" "$launcher" info --coll allreduce -n 5
ends 1 "unknown collective operation \"bcst\"; did you mean bcast\?" "$launcher" info --coll bcst -n 4

# A choice that is forced is what runs, or the refusal of the calls it cannot serve.
export CORUNNA_COLL_BCAST="Chain segment=4k"
ends 0 "^ +0 \.\. +chain +coll.bcast=Chain segment=4k" "$launcher" info --coll bcast -n 2
ends 0 "^ +0 \.\. .* [0-9]+: barrier " "$launcher" info --coll barrier -n 2
export CORUNNA_COLL_BCAST=inter # for the others the rules are left
ends 0 "^ +0 \.\. .* [0-9]+: bcast " "$launcher" info --coll bcast -n 2
export CORUNNA_COLL_BCAST=bde
ends 1 "^corunna info: coll.bcast: bcast has no algorithm or condition \"bde\"" "$launcher" info --coll bcast -n 2
unset CORUNNA_COLL_BCAST
ends 0 "^    fails: the algorithm bde that coll.allreduce asks for needs a number of ranks that is a power" \
    env CORUNNA_COLL_ALLREDUCE=bde "$launcher" info --coll allreduce -n 3
ends 0 "^ +0 \.\. +bde +coll.allreduce=bde" env CORUNNA_COLL_ALLREDUCE=bde "$launcher" info --coll allreduce -n 4

# ---- a user's file: its rules come first ----------------------------------------------------------------------------
printf '# ours\nbcast bytes<=100 ranks>=4 binomial\nbcast bytes<=200 chain segment=4k\n' > "$work/rules"
export CORUNNA_COLL_RULES="$work/rules"
ends 0 "^ +0 \.\. 100 +binomial +own 2: bcast bytes<=100 ranks>=4 binomial" "$launcher" info --coll bcast -n 4
ends 0 "^ +101 \.\. 200 +chain +own 3: bcast bytes<=200 chain segment=4k" "$launcher" info --coll bcast -n 4
ends 0 "^ +0 \.\. 200 +chain +own 3" "$launcher" info --coll bcast -n 3
ends 0 "^right" "$launcher" run -n 4 "$program"
# Bounds of rules that fit nothing divide nothing.
printf 'bcast bytes<0 mst\nbcast bytes<=100 ranks>=2 bft\nbcast bytes>9 bytes<5 mst\n' > "$work/rules"
ends 0 "^ +0 \.\. 100 +bft +own 2: " "$launcher" info --coll bcast -n 4
printf 'barrier bytes<0 mst\nbarrier bytes>18446744073709551615 mst\n' > "$work/rules"
ends 0 "^ +0 \.\.  .* [0-9]+: barrier" "$launcher" info --coll barrier -n 2
printf 'bcast mst\000junk\n' > "$work/rules"
ends 1 "$work/rules, line 1: contains a zero byte" "$launcher" info --coll bcast -n 4
printf 'bcast bytes<=100 mts\n' > "$work/rules"
ends 1 "$work/rules, line 1: bcast has no algorithm or condition \"mts\"; did you mean mst\?" \
    "$launcher" info --coll bcast -n 4
ends 1 "rank [01] .*: MPI_Init: .*line 1: bcast has no algorithm or condition \"mts\"; did you mean mst\?" \
    "$launcher" run -n 2 "$program"
export CORUNNA_COLL_RULES="$work/none"
ends 1 "cannot open the rules file $work/none" "$launcher" run -n 2 "$program"
unset CORUNNA_COLL_RULES

# ---- a knob wins or fails loudly ------------------------------------------------------------------------------------
ends 0 "^right" env CORUNNA_COLL_BCAST="chain segment=1k" "$launcher" run -n 3 "$program"
ends 0 "^right" "$launcher" run --tune coll.bcast=knomial -n 3 "$program"
ends 0 "^right" "$launcher" run --tune "coll.force=allreduce:mst,bcast:knomial radix=3" -n 3 "$program"
ends 1 "coll.force has no value for \"bcats\"; did you mean bcast\?" \
    "$launcher" run --tune coll.force=bcats:mst -n 2 "$program"
ends 1 "MPI_Bcast: the algorithm nodes that coll.bcast asks for needs several nodes" \
    env CORUNNA_COLL_FORCE=bcast:nodes "$launcher" run -n 2 "$program"
ends 0 "^right" env CORUNNA_COLL_BCAST=nodes CORUNNA_COLL_NODE_RANKS=2 "$launcher" run -n 4 "$program"
ends 1 "rank [01] .*: MPI_Bcast: the algorithm nodes that coll.bcast asks for needs several nodes" \
    env CORUNNA_COLL_BCAST=nodes "$launcher" run -n 2 "$program"
ends 1 "coll.allreduce: allreduce has no algorithm or condition \"bcde\"; did you mean bde\?" \
    env CORUNNA_COLL_ALLREDUCE=bcde "$launcher" run -n 2 "$program"
ends 1 "MPI_Allreduce: the algorithm bde that coll.allreduce asks for needs a number of ranks that is a power" \
    env CORUNNA_COLL_ALLREDUCE=bde "$launcher" run -n 3 "$program"
ends 1 "rank [01] .*: MPI_Init: coll.bcast: bcast has no algorithm or condition \"bukket\"" \
    env CORUNNA_COLL_BCAST=bukket "$launcher" run -n 2 "$program"
# As the papers write them; and what there is.
ends 0 "^right" env CORUNNA_COLL_BCAST=nbFT CORUNNA_COLL_ALLREDUCE=BDE "$launcher" run -n 4 "$program"
ends 0 "^right" env CORUNNA_COLL_BCAST="bucket posted=0 barrier=1" "$launcher" run -n 3 "$program"
ends 1 "\"ring\"; it has board_rounds, board_direct, nbft, mst, .*bucket, " \
    env CORUNNA_COLL_BCAST=ring "$launcher" run -n 2 "$program"
ends 1 "did you mean bucket\? It has board_rounds, board_direct, nbft, " \
    env CORUNNA_COLL_BCAST=bukket "$launcher" run -n 2 "$program"
# A user who asks is told which one runs, once for a communicator and a kind of call.
ends 0 "rank 1.*: bcast on communicator [0-9]+ of 3 ranks, blocking: chain segment=1k$" \
    env CORUNNA_LOG=debug CORUNNA_COLL_BCAST="chain segment=1k" "$launcher" run -n 3 "$program"
ends 0 "piece=0: .*; less than 1k counts as 1k, more than fits " "$launcher" info --coll bcast -n 2
ends 0 "^right" "$launcher" run --tune "coll.bcast=board_rounds piece=1" -n 2 "$program"
# All ways on a board, of which the rules choose one.
ends 0 "rank 1.*: allreduce on communicator [0-9]+ of 2 ranks, blocking: board_rounds; .*board_chain$" \
    env CORUNNA_LOG=debug CORUNNA_COLL_ALLREDUCE=board CORUNNA_COLL_BCAST=Board "$launcher" run -n 2 "$program"
ends 1 "coll.bcast: a family of algorithms takes no parameters; name one algorithm for \"piece=1\"" \
    "$launcher" run --tune "coll.bcast=board piece=1" -n 2 "$program"
ends 1 "the number must be 2 to 64k in \"radix=1\"" \
    "$launcher" run --tune "coll.bcast=knomial radix=1" -n 2 "$program"

finish "the right one chooses"
