/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bridge to another MPI: what mpidev uses of an installed MPI library, as a table of functions.
 *
 * mpidev_bridge.c is compiled once for each MPI that is installed, against the mpi.h of that MPI, to a shared object
 * that exports the table and links nothing of Corunna. It is opened when mpidev is chosen, in a way (RTLD_DEEPBIND)
 * that its MPI_* functions are those of that library and not those of the program, which may be Corunna's, with the
 * same names.
 *
 * Calls must not overlap: the MPI is started for one thread at a time. Only open, close and cancel block. Where an int
 * is returned, 0 is success, everything else an error of that MPI, which `explain` turns into a text.
 */
#ifndef COR_XXDEV_MPIDEV_BRIDGE_H
#define COR_XXDEV_MPIDEV_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

enum { COR_BRIDGE_VERSION = 1, COR_BRIDGE_ANY = -1 };

/* Two communicators: messages of one cannot match receives of the other. */
typedef enum cor_bridge_channel { COR_BRIDGE_SHORT, COR_BRIDGE_LONG, COR_BRIDGE_CHANNELS } cor_bridge_channel;

/* Why open failed, beside errors of the MPI. */
enum { COR_BRIDGE_ERR_MEMORY = -1, COR_BRIDGE_ERR_AGAIN = -2, COR_BRIDGE_ERR_THREADS = -3 };

typedef uint64_t cor_bridge_request; /* holds an MPI_Request, which may be a number or a pointer */

typedef struct cor_bridge {
    int rank, size;
    int tag_max;
    char library[64]; /* name and version, as the MPI reports them */
} cor_bridge;

typedef struct cor_bridge_ops {
    int version; /* COR_BRIDGE_VERSION */
    /* MPI_Init. COR_BRIDGE_ERR_AGAIN: it was called in this process before, and cannot be a second time. */
    int (*open)(cor_bridge **bridge_p);
    /* MPI_Finalize. No request may be under way. */
    void (*close)(cor_bridge *bridge);
    void (*abort)(cor_bridge *bridge, int status);
    void (*explain)(int error, char *out, size_t out_bytes);

    int (*barrier)(cor_bridge *bridge, cor_bridge_request *request_p);
    /* `all` has room for `bytes` of every rank, of which `mine` are those of this one. */
    int (*allgather)(cor_bridge *bridge, const void *mine, void *all, int bytes, cor_bridge_request *request_p);

    int (*isend)(cor_bridge *bridge, cor_bridge_channel channel, int peer, int tag, const void *data, size_t bytes,
                 cor_bridge_request *request_p);
    int (*issend)(cor_bridge *bridge, cor_bridge_channel channel, int peer, int tag, const void *data, size_t bytes,
                  cor_bridge_request *request_p); /* done only when the receive has been matched */
    int (*irecv)(cor_bridge *bridge, cor_bridge_channel channel, int peer, int tag, void *data, size_t bytes,
                 cor_bridge_request *request_p);
    /* Is it done? The request is then freed. Of a receive: the sender, and, up to INT_MAX, how many bytes. */
    int (*test)(cor_bridge_request *request, int *is_done_p, int *peer_p, int *bytes_p);
    /* Cancel a receive that nothing has matched, and wait for that. */
    int (*cancel)(cor_bridge_request *request);
} cor_bridge_ops;

/* The one symbol that the shared object exports, and its name. */
extern const cor_bridge_ops cor_bridge_table;
#define COR_BRIDGE_SYMBOL "cor_bridge_table"

#endif
