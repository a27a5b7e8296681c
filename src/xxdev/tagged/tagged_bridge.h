/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bridge to a library that matches tagged messages itself, UCX or libfabric: what the tagged device asks of it, as
 * a table of functions.
 *
 * Each bridge is a source file that is compiled against its library's headers to a shared object, which exports the
 * table and links nothing of ours. It is opened when its device is chosen.
 *
 * A message has a tag of 64 bits. A receive names a tag and a mask: it takes the first message whose tag has the same
 * bits where the mask has ones. Messages to one peer that match the same receive are matched in the order sent.
 *
 * Calls do not overlap and do not block, but for open and close. Where an int is returned, a negative one is an error
 * of the library, which `explain` turns into a text.
 */
#ifndef COR_XXDEV_TAGGED_BRIDGE_H
#define COR_XXDEV_TAGGED_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

enum { COR_TAGGED_VERSION = 5 };

typedef struct cor_tagged_library cor_tagged_library;

/* A transfer that is under way, for the bridge alone: the device has one at the head of what it knows of the transfer, and
 * it is not moved until the transfer has ended. */
typedef struct cor_tagged_transfer {
    cor_tagged_library *library;
    void *request; /* the library's own, of a receive that can be cancelled */
    size_t bytes;
    int is_cancelling; /* the device has asked for that */
    struct cor_tagged_result
        *at_once; /* where a receive that ends during the call which starts it leaves its result */
    /* A receive that has met its message, but goes on, and from whom, where the bridge knows: for the device to read. */
    int is_matched, matched_peer;
} cor_tagged_transfer;

/* What a message carries. It must live until the transfer has ended. */
typedef struct cor_tagged_data {
    void *memory;
    size_t bytes;
    int is_in_pieces; /* it is read and written through the functions in cor_tagged_options instead */
} cor_tagged_data;

/* How a transfer ended. */
typedef enum cor_tagged_end {
    COR_TAGGED_OK,
    COR_TAGGED_TRUNCATED, /* the message is longer than the receive, which may have what fits */
    COR_TAGGED_CANCELLED,
    COR_TAGGED_FAILED, /* `error` says why */
} cor_tagged_end;

typedef struct cor_tagged_result {
    cor_tagged_end end;
    int error;
    uint64_t tag; /* of a receive: the message's, and how long it is, also when it was truncated */
    size_t bytes;
} cor_tagged_result;

typedef struct cor_tagged_options {
    int rank, size;
    const char *transports; /* in the library's own words; "": those that its own variables say */
    const char *interface;
    size_t
        eager_max_bytes; /* longer messages are announced, where the bridge does that itself; the same on all ranks */
    int handles_errors; /* the library tells of peers that cannot be reached, where it can choose; the same on all ranks */
    int sleeps;   /* the library shall have a descriptor to sleep on, though that costs time; where it can choose */
    int tag_bits; /* so many of a tag are used, from the right */
    int tag_peer_shift, tag_peer_bits; /* where in a tag the sender stands; left of it stands the context */
    void (*read)(cor_tagged_transfer *transfer, size_t offset, void *to, size_t bytes);
    void (*write)(cor_tagged_transfer *transfer, size_t offset, const void *from, size_t bytes);
    /* A transfer that was started has ended. Called from progress(), probe(), cancel() and lose(). */
    void (*done)(cor_tagged_transfer *transfer, const cor_tagged_result *result);
    /* This peer cannot be reached any more, though no transfer need have failed. Called from progress(). */
    void (*unreached)(void *device, int peer, int error);
    void *device;
} cor_tagged_options;

/* What send and receive return. */
enum { COR_TAGGED_STARTED, COR_TAGGED_DONE /* at once; done() is not called */ };

typedef struct cor_tagged_ops {
    int version;      /* COR_TAGGED_VERSION */
    const char *name; /* "UCX" */
    /* 0, or why not, a sentence. */
    int (*open)(const cor_tagged_options *options, cor_tagged_library **library_p, char *why, size_t why_bytes);
    /* No transfer is under way but receives that nothing will match. */
    void (*close)(cor_tagged_library *library);
    void (*library_version)(char *out, size_t out_bytes);
    /* What all ranks must choose alike, beside the version, and by which settings: "ofi.provider or FI_PROVIDER". */
    void (*choice)(cor_tagged_library *library, char *out, size_t out_bytes);
    const char *choice_settings;
    /* Which way messages to this peer take, a few words. */
    void (*describe)(cor_tagged_library *library, int peer, char *out, size_t out_bytes);
    void (*explain)(int error, char *out, size_t out_bytes);
    /* Does this error say that the peer cannot be reached any more? */
    int (*is_gone)(int error);

    /* Of this rank, valid until close(). */
    const void *(*address)(cor_tagged_library *library, size_t *bytes_p);
    /* The address of a peer, this rank among them, which is copied. is_near: it runs on this host. */
    int (*connect)(cor_tagged_library *library, int peer, const void *address, size_t bytes, int is_near);

    /* is_sync: done only when a receive has matched the message. */
    int (*send)(cor_tagged_library *library, int peer, uint64_t tag, cor_tagged_data data, int is_sync,
                cor_tagged_transfer *transfer);
    /* *result_p is set if it is done at once. Where the library tells of peers that cannot be reached, it does so from here on
     * of the one that the tag names. */
    int (*receive)(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_data data,
                   cor_tagged_transfer *transfer, cor_tagged_result *result_p);
    /* 1: a message that no receive has matched is there; `message_p` not NULL: it is taken out of matching, for
     * receive_message(). Of the peer in the tag the library tells as with receive(). */
    int (*probe)(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_result *found_p,
                 void **message_p);
    int (*receive_message)(cor_tagged_library *library, void *message, cor_tagged_data data,
                           cor_tagged_transfer *transfer, cor_tagged_result *result_p);
    /* Ask to cancel a receive; it ends in any case. */
    void (*cancel)(cor_tagged_library *library, cor_tagged_transfer *transfer);
    /* Nothing waits for this send any more: 1, and what is left of its data was copied; or 0: the library reads them just now,
     * or there is no memory; ask again. NULL: it cannot, and may read them until the send ends. */
    int (*forget)(cor_tagged_library *library, cor_tagged_transfer *transfer);
    /* This peer is gone: nothing is sent to it any more, and what waits for it need not end. */
    void (*lose)(cor_tagged_library *library, int peer);

    /* So many receives can meet messages at a time; later ones wait until some of these have ended. */
    int (*receives_max)(cor_tagged_library *library);

    int (*progress)(cor_tagged_library *library); /* returns how many events */
    /* The arrival of a message that no receive has met counts as progress; else only a probe tells of it. */
    int tells_arrivals;
    /* A descriptor that is readable when there is progress to make, after arm() has said 1; -1: there is none. */
    int (*descriptor)(cor_tagged_library *library);
    int (*arm)(cor_tagged_library *library); /* 0: make progress first, or some was made */
} cor_tagged_ops;

/* The one symbol that the shared object exports, and its name. */
extern __attribute__((visibility("default"))) const cor_tagged_ops cor_tagged_table;
#define COR_TAGGED_SYMBOL "cor_tagged_table"

#endif
