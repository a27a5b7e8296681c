/* SPDX-License-Identifier: Apache-2.0 */
/*
 * win: one-sided communication. A window is memory of each member of a communicator which the others read, write and
 * update without its help.
 *
 * An operation is described once (cor_win_op) and carried out on the target's memory in one of three ways, which is
 * decided for each target when the window is made (cor_win_way_of):
 *
 *   direct    the target's memory is in this address space: the target is a thread of this process, or the memory was
 *             allocated with the window on this host. Loads, stores and atomic instructions of the calling thread.
 *   copy      the device has remote memory to the target: the kernel or an adapter copies. Only put and get of plain
 *             memory, in few blocks; what it does not do goes by message.
 *   message   everything else. The target carries the operation out when it makes progress: in any call of the library.
 *
 * Atomicity. Accumulating operations on one element are atomic to each other, whichever ways their origins take: both
 * ways use atomic instructions on elements of 1, 2, 4 and 8 bytes that are aligned to their size, and the lock of
 * wide elements of the target (win_element.h) on all others.
 *
 * Completion. With cor_win_start an operation has begun; its local buffers may be used again after a synchronization
 * (fence, complete, unlock, flush, flush_local), or when its request is complete. It is complete at the target after
 * fence, unlock, flush, or the target's wait.
 *
 * Epochs are checked: an operation without access to its target, or a synchronization that does not fit the present
 * epoch, gives COR_ERR_RMA_SYNC.
 *
 * Arguments. The faces check handles, ranks, counts and displacements below zero. The engine checks that an operation
 * stays inside the window (COR_ERR_RMA_RANGE).
 *
 * Losses. When any member is lost, waits of a window end with COR_ERR_PEER, and with them their epoch: another member
 * may have left the window because of the loss, and would never answer. Such a window can only be freed.
 *
 * Threads: every function takes the lock of the rank itself. Functions that are collective are called by one thread at
 * a time for a window.
 *
 * Errors: as in mp.h.
 */
#ifndef COR_WIN_WIN_H
#define COR_WIN_WIN_H

#include "dtype/op.h"
#include "mp/group.h"
#include "mp/mp.h"

typedef struct cor_win cor_win;

typedef enum cor_win_flavour {
    COR_WIN_CREATED,   /* over memory of the program */
    COR_WIN_ALLOCATED, /* memory is allocated with the window */
    COR_WIN_SHARED,    /* likewise, and all members access all of it with loads and stores */
    COR_WIN_DYNAMIC,   /* memory is attached later, and named by its address */
} cor_win_flavour;

typedef struct cor_win_options {
    int is_without_locks;   /* the program promises that it uses no passive targets */
    int is_noncontiguous;   /* SHARED: parts need not be adjacent */
    size_t alignment_bytes; /* of allocated memory, a power of 2 up to COR_WIN_ALIGNMENT_MAX; 0: a cache line */
} cor_win_options;

#define COR_WIN_ALIGNMENT_MAX ((size_t)1 << 30)

/* ---- win_make.c: life; all collective over the communicator ------------------------------------------------------ */

/* Over `bytes` at `base`; displacements of operations on this member count `unit` bytes. `options` may be NULL. The
 * communicator is not referenced any more after the call. COR_ERR_MEMORY, COR_ERR_EXHAUSTED, COR_ERR_PEER, at every
 * member if at one. */
int cor_win_create(cor_comm *comm, void *base, size_t bytes, size_t unit, const cor_win_options *options,
                   cor_win **win_p);
/* With new memory, which is zero, at *base_p (NULL for no bytes). */
int cor_win_allocate(cor_comm *comm, size_t bytes, size_t unit, const cor_win_options *options, void **base_p,
                     cor_win **win_p);
/* The same; COR_ERR_RMA_SHARED: not all members are on one host. */
int cor_win_allocate_shared(cor_comm *comm, size_t bytes, size_t unit, const cor_win_options *options, void **base_p,
                            cor_win **win_p);
int cor_win_create_dynamic(cor_comm *comm, const cor_win_options *options, cor_win **win_p);
/* Completes what is under way, waits for all members, and frees: *win_p is then NULL, also with COR_ERR_PEER. It is
 * unchanged with COR_ERR_RMA_SYNC, at this member only and before it waits: an epoch is open; and with
 * COR_ERR_FINALIZED. */
int cor_win_free(cor_win **win_p);
/* Only the check: not collective. */
int cor_win_check_free(cor_win *win);

/* Not collective. Attach memory to a dynamic window: COR_ERR_RMA_ATTACH: it overlaps attached memory. Detach memory
 * that begins at base: COR_ERR_RMA_ATTACH: none does. */
int cor_win_attach(cor_win *win, void *base, size_t bytes);
int cor_win_detach(cor_win *win, const void *base);

/* ---- properties, not collective ---------------------------------------------------------------------------------- */

cor_comm *cor_win_comm(const cor_win *win); /* the window's own copy: members in their order */
cor_win_flavour cor_win_flavour_of(const cor_win *win);
/* The memory of this member. */
void *cor_win_base(const cor_win *win);
size_t cor_win_bytes(const cor_win *win, int member);
size_t cor_win_unit(const cor_win *win, int member);
/* The memory of a member, for loads and stores of this one; COR_PROC_NULL: the first member that has some. The base is
 * NULL where it has none, or is not in this address space. */
void cor_win_shared_query(const cor_win *win, int member, size_t *bytes_p, size_t *unit_p, void **base_p);

typedef enum cor_win_way { COR_WIN_DIRECT, COR_WIN_COPY, COR_WIN_MESSAGE } cor_win_way;
cor_win_way cor_win_way_of(const cor_win *win, int target);

/* ---- win_op.c: operations ---------------------------------------------------------------------------------------- */

typedef enum cor_win_kind {
    COR_WIN_PUT,            /* origin -> target */
    COR_WIN_GET,            /* target -> result */
    COR_WIN_ACCUMULATE,     /* target = target op origin */
    COR_WIN_GET_ACCUMULATE, /* the same, and the old value -> result */
    COR_WIN_COMPARE_SWAP,   /* one element: target = origin if it equals compare; the old value -> result */
} cor_win_kind;

/* An operation. All in it is copied by cor_win_start; buffers belong to the operation until it is complete locally. The
 * packed streams of origin and result are as long as that of the target, except where nothing of them is used. */
typedef struct cor_win_op {
    cor_win_kind kind;
    int target;           /* a member, or COR_PROC_NULL */
    int64_t displacement; /* in the target's units; the address in a dynamic window */
    size_t count;         /* elements of `type` at the target */
    const cor_dtype *type;
    cor_payload origin;  /* not of GET; empty for the operator MPI_NO_OP */
    cor_payload result;  /* of GET, GET_ACCUMULATE, COMPARE_SWAP */
    const void *compare; /* of COMPARE_SWAP: one element */
    /* Of the accumulating ones: the predefined type of all elements (cor_dtype_only), and the operator, which is
     * predefined, too, and defined for it. */
    const cor_dtype *element;
    const cor_op *op; /* not of COMPARE_SWAP */
} cor_win_op;

/* request_p NULL: complete with a later synchronization. Otherwise *request_p is the request of an operation (Rput and
 * the like), complete when the local buffers may be used again. A request of a COR_PROC_NULL target is complete. */
int cor_win_start(cor_win *win, const cor_win_op *op, cor_request **request_p);

/* ---- win_epoch.c: active targets --------------------------------------------------------------------------------- */

/* Asserts, the numbers of the MPI ABI. */
enum {
    COR_WIN_NOCHECK = 1024,
    COR_WIN_NOPRECEDE = 2048,
    COR_WIN_NOPUT = 4096,
    COR_WIN_NOSTORE = 8192,
    COR_WIN_NOSUCCEED = 16384,
};

int cor_win_fence(cor_win *win, int asserts);
/* Groups are parts of the window's; they are referenced as long as needed. */
int cor_win_post(cor_win *win, cor_group *group, int asserts);
int cor_win_begin(cor_win *win, cor_group *group, int asserts); /* MPI_Win_start */
int cor_win_complete(cor_win *win);
int cor_win_wait(cor_win *win);
int cor_win_test(cor_win *win, int *flag_p);

/* ---- win_passive.c: passive targets ------------------------------------------------------------------------------ */

int cor_win_lock(cor_win *win, int target, int is_exclusive, int asserts);
int cor_win_unlock(cor_win *win, int target);
int cor_win_lock_all(cor_win *win, int asserts);
int cor_win_unlock_all(cor_win *win);
/* Complete at the target, or locally; target COR_WIN_ALL: at all. */
enum { COR_WIN_ALL = -1 };
int cor_win_flush(cor_win *win, int target);
int cor_win_flush_local(cor_win *win, int target);
int cor_win_sync(cor_win *win);

#endif
