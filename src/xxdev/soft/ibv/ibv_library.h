/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libibverbs and librdmacm, looked up when a verbs wire is opened, so that Corunna runs without them.
 * Functions that the headers define inline (posting, polling) need no library. */
#ifndef COR_IBV_LIBRARY_H
#define COR_IBV_LIBRARY_H

#include "base/error.h"

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#define IBW_VERBS_LIST(X)                                                                                             \
    X(ibv_fork_init)                                                                                                  \
    X(ibv_get_device_list)                                                                                            \
    X(ibv_free_device_list)                                                                                           \
    X(ibv_open_device)                                                                                                \
    X(ibv_close_device)                                                                                               \
    X(ibv_query_device)                                                                                               \
    X(ibv_query_port)                                                                                                 \
    X(ibv_query_gid)                                                                                                  \
    X(ibv_get_device_name)                                                                                            \
    X(ibv_alloc_pd)                                                                                                   \
    X(ibv_dealloc_pd)                                                                                                 \
    X(ibv_reg_mr)                                                                                                     \
    X(ibv_dereg_mr)                                                                                                   \
    X(ibv_create_comp_channel)                                                                                        \
    X(ibv_destroy_comp_channel)                                                                                       \
    X(ibv_create_cq)                                                                                                  \
    X(ibv_destroy_cq)                                                                                                 \
    X(ibv_get_cq_event)                                                                                               \
    X(ibv_ack_cq_events)                                                                                              \
    X(ibv_create_srq)                                                                                                 \
    X(ibv_destroy_srq)                                                                                                \
    X(ibv_create_qp)                                                                                                  \
    X(ibv_modify_qp)                                                                                                  \
    X(ibv_destroy_qp)                                                                                                 \
    X(ibv_create_ah)                                                                                                  \
    X(ibv_destroy_ah)                                                                                                 \
    X(ibv_wc_status_str)                                                                                              \
    X(ibv_get_async_event)                                                                                            \
    X(ibv_ack_async_event)                                                                                            \
    X(ibv_event_type_str)

#define IBW_CM_LIST(X)                                                                                                \
    X(rdma_create_event_channel)                                                                                      \
    X(rdma_destroy_event_channel)                                                                                     \
    X(rdma_create_id)                                                                                                 \
    X(rdma_destroy_id)                                                                                                \
    X(rdma_bind_addr)                                                                                                 \
    X(rdma_listen)                                                                                                    \
    X(rdma_get_src_port)                                                                                              \
    X(rdma_set_option)                                                                                                \
    X(rdma_resolve_addr)                                                                                              \
    X(rdma_resolve_route)                                                                                             \
    X(rdma_create_qp)                                                                                                 \
    X(rdma_destroy_qp)                                                                                                \
    X(rdma_connect)                                                                                                   \
    X(rdma_accept)                                                                                                    \
    X(rdma_reject)                                                                                                    \
    X(rdma_disconnect)                                                                                                \
    X(rdma_get_cm_event)                                                                                              \
    X(rdma_ack_cm_event)                                                                                              \
    X(rdma_event_str)

/* Members have the prefix do_, because the header defines some functions as macros. */
typedef struct ibw_library {
#define IBW_MEMBER(name) __typeof__(name) *do_##name;
    IBW_VERBS_LIST(IBW_MEMBER)
    IBW_CM_LIST(IBW_MEMBER)
#undef IBW_MEMBER
} ibw_library;

int ibw_library_open(ibw_library *library_p, cor_fault *fault);

#endif
