/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one list of all algorithms, by primitive. X(row): a const cor_algorithm, defined in the file that builds it.
 * Every row can be named by a rule, is printed by `corunna info --coll` and is tested. Algorithms that no rule of
 * tune/default.rules names come last.
 */
#ifndef COR_COLL_ALGORITHM_LIST_H
#define COR_COLL_ALGORITHM_LIST_H

#define COR_ALGORITHM_LIST(X)                                                                                         \
    /* barrier */                                                                                                     \
    X(cor_barrier_board_flat_row)                                                                                     \
    X(cor_barrier_board_dissemination_row)                                                                            \
    X(cor_barrier_dissemination_row)                                                                                  \
    X(cor_barrier_tree_row)                                                                                           \
    X(cor_barrier_nodes_row)                                                                                          \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_barrier_mst_row)                                                                                            \
    X(cor_barrier_ft_row)                                                                                             \
    /* bcast */                                                                                                       \
    X(cor_bcast_board_rounds_row)                                                                                     \
    X(cor_bcast_board_direct_row)                                                                                     \
    X(cor_bcast_nbft_row)                                                                                             \
    X(cor_bcast_mst_row)                                                                                              \
    X(cor_bcast_binomial_row)                                                                                         \
    X(cor_bcast_bucket_row)                                                                                           \
    X(cor_bcast_chain_row)                                                                                            \
    X(cor_bcast_nodes_row)                                                                                            \
    X(cor_bcast_scatter_bde_row)                                                                                      \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_bcast_bft_row)                                                                                              \
    X(cor_bcast_four_row)                                                                                             \
    X(cor_bcast_knomial_row)                                                                                          \
    X(cor_bcast_double_tree_row)                                                                                      \
    /* gather, gatherv */                                                                                             \
    X(cor_gather_board_rounds_row)                                                                                    \
    X(cor_gather_board_direct_row)                                                                                    \
    X(cor_gatherv_board_rounds_row)                                                                                   \
    X(cor_gatherv_board_direct_row)                                                                                   \
    X(cor_gather_nbft_row)                                                                                            \
    X(cor_gather_mst_row)                                                                                             \
    X(cor_gatherv_nbft_row)                                                                                           \
    X(cor_gatherv_mst_row)                                                                                            \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_gather_bft_row)                                                                                             \
    X(cor_gather_nodes_row)                                                                                           \
    X(cor_gather_allgather_row)                                                                                       \
    X(cor_gatherv_bft_row)                                                                                            \
    X(cor_gatherv_nodes_row)                                                                                          \
    /* scatter, scatterv */                                                                                           \
    X(cor_scatter_board_rounds_row)                                                                                   \
    X(cor_scatter_board_direct_row)                                                                                   \
    X(cor_scatterv_board_rounds_row)                                                                                  \
    X(cor_scatterv_board_direct_row)                                                                                  \
    X(cor_scatter_nbft_row)                                                                                           \
    X(cor_scatter_mst_row)                                                                                            \
    X(cor_scatterv_nbft_row)                                                                                          \
    X(cor_scatterv_mst_row)                                                                                           \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_scatter_bft_row)                                                                                            \
    X(cor_scatter_nodes_row)                                                                                          \
    X(cor_scatter_bcast_row)                                                                                          \
    X(cor_scatterv_bft_row)                                                                                           \
    X(cor_scatterv_nodes_row)                                                                                         \
    /* allgather, allgatherv */                                                                                       \
    X(cor_allgather_board_rounds_row)                                                                                 \
    X(cor_allgather_board_direct_row)                                                                                 \
    X(cor_allgatherv_board_rounds_row)                                                                                \
    X(cor_allgatherv_board_direct_row)                                                                                \
    X(cor_allgather_bucket_row)                                                                                       \
    X(cor_allgather_doubling_row)                                                                                     \
    X(cor_allgather_bruck_row)                                                                                        \
    X(cor_allgatherv_bucket_row)                                                                                      \
    X(cor_allgatherv_doubling_row)                                                                                    \
    X(cor_allgather_nodes_row)                                                                                        \
    X(cor_allgatherv_nodes_row)                                                                                       \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_allgather_mst_row)                                                                                          \
    X(cor_allgather_bde_row)                                                                                          \
    X(cor_allgather_nbft_row)                                                                                         \
    X(cor_allgatherv_mst_row)                                                                                         \
    X(cor_allgatherv_bde_row)                                                                                         \
    X(cor_allgatherv_bruck_row)                                                                                       \
    X(cor_allgatherv_nbft_row)                                                                                        \
    /* alltoall, alltoallv, alltoallw */                                                                              \
    X(cor_alltoall_board_rounds_row)                                                                                  \
    X(cor_alltoall_board_direct_row)                                                                                  \
    X(cor_alltoallv_board_rounds_row)                                                                                 \
    X(cor_alltoallv_board_direct_row)                                                                                 \
    X(cor_alltoallw_board_rounds_row)                                                                                 \
    X(cor_alltoallw_board_direct_row)                                                                                 \
    X(cor_alltoall_nbft_row)                                                                                          \
    X(cor_alltoall_pairwise_row)                                                                                      \
    X(cor_alltoall_bruck_row)                                                                                         \
    X(cor_alltoallv_nbft_row)                                                                                         \
    X(cor_alltoallw_nbft_row)                                                                                         \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_alltoallv_pairwise_row)                                                                                     \
    X(cor_alltoallw_pairwise_row)                                                                                     \
    /* reduce */                                                                                                      \
    X(cor_reduce_board_chain_row)                                                                                     \
    X(cor_reduce_board_shares_row)                                                                                    \
    X(cor_reduce_board_rooted_row)                                                                                    \
    X(cor_reduce_mst_row)                                                                                             \
    X(cor_reduce_rabenseifner_row)                                                                                    \
    X(cor_reduce_scatter_gather_row)                                                                                  \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_reduce_bft_row)                                                                                             \
    X(cor_reduce_nbft_row)                                                                                            \
    X(cor_reduce_binomial_row)                                                                                        \
    X(cor_reduce_chain_row)                                                                                           \
    X(cor_reduce_nodes_row)                                                                                           \
    X(cor_reduce_allreduce_row)                                                                                       \
    /* allreduce */                                                                                                   \
    X(cor_allreduce_board_rounds_row)                                                                                 \
    X(cor_allreduce_board_direct_row)                                                                                 \
    X(cor_allreduce_board_chain_row)                                                                                  \
    X(cor_allreduce_board_shares_row)                                                                                 \
    X(cor_allreduce_mst_row)                                                                                          \
    X(cor_allreduce_doubling_row)                                                                                     \
    X(cor_allreduce_rabenseifner_row)                                                                                 \
    X(cor_allreduce_nodes_row)                                                                                        \
    X(cor_allreduce_bucket_row)                                                                                       \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_allreduce_bde_row)                                                                                          \
    /* reduce_scatter, reduce_scatter_block */                                                                        \
    X(cor_reduce_scatter_board_rounds_row)                                                                            \
    X(cor_reduce_scatter_block_board_rounds_row)                                                                      \
    X(cor_reduce_scatter_halving_row)                                                                                 \
    X(cor_reduce_scatter_pairwise_row)                                                                                \
    X(cor_reduce_scatter_nbft_row)                                                                                    \
    X(cor_reduce_scatter_block_halving_row)                                                                           \
    X(cor_reduce_scatter_block_pairwise_row)                                                                          \
    X(cor_reduce_scatter_block_nbft_row)                                                                              \
    X(cor_reduce_scatter_bucket_row)                                                                                  \
    X(cor_reduce_scatter_block_bucket_row)                                                                            \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_reduce_scatter_mst_row)                                                                                     \
    X(cor_reduce_scatter_bde_row)                                                                                     \
    X(cor_reduce_scatter_block_mst_row)                                                                               \
    X(cor_reduce_scatter_block_bde_row)                                                                               \
    /* scan, exscan */                                                                                                \
    X(cor_scan_board_chain_row)                                                                                       \
    X(cor_exscan_board_chain_row)                                                                                     \
    X(cor_scan_linear_row)                                                                                            \
    X(cor_scan_doubling_row)                                                                                          \
    X(cor_exscan_linear_row)                                                                                          \
    X(cor_exscan_doubling_row)                                                                                        \
    /*   chosen by no built-in rule: to be forced, or for rules of your own */                                        \
    X(cor_scan_nbft_row)                                                                                              \
    X(cor_exscan_nbft_row)                                                                                            \
    /* neighbourhoods */                                                                                              \
    X(cor_neighbor_allgather_nbft_row)                                                                                \
    X(cor_neighbor_allgatherv_nbft_row)                                                                               \
    X(cor_neighbor_alltoall_nbft_row)                                                                                 \
    X(cor_neighbor_alltoallv_nbft_row)                                                                                \
    X(cor_neighbor_alltoallw_nbft_row)                                                                                \
    /* intercommunicators */                                                                                          \
    X(cor_barrier_inter_row)                                                                                          \
    X(cor_bcast_inter_row)                                                                                            \
    X(cor_gather_inter_row)                                                                                           \
    X(cor_gatherv_inter_row)                                                                                          \
    X(cor_scatter_inter_row)                                                                                          \
    X(cor_scatterv_inter_row)                                                                                         \
    X(cor_allgather_inter_row)                                                                                        \
    X(cor_allgatherv_inter_row)                                                                                       \
    X(cor_alltoall_inter_row)                                                                                         \
    X(cor_alltoallv_inter_row)                                                                                        \
    X(cor_alltoallw_inter_row)                                                                                        \
    X(cor_reduce_inter_row)                                                                                           \
    X(cor_allreduce_inter_row)                                                                                        \
    X(cor_reduce_scatter_inter_row)                                                                                   \
    X(cor_reduce_scatter_block_inter_row)

#endif
