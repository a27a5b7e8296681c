/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of all devices: name, summary, knobs, and the function that opens one. A new device is a row here and, in
 * registry.c, its settings and knob tables; nothing elsewhere.
 */
#ifndef COR_XXDEV_REGISTRY_H
#define COR_XXDEV_REGISTRY_H

#include "base/knob.h"
#include "xxdev/xxdev.h"

struct cor_listen_options;

/* The rows, the default first: name, function that opens it, function that checks what is missing, how its ranks start,
 * its settings in registry.c, the memory it shares, whether ranks on one host are kept apart as if each had its own,
 * summary. */
#define COR_DEVICE_LIST(first, next)                                                                                  \
    first(hybdev, registry_open_hyb, registry_check_hyb, NULL, soft, registry_memory_sm, 0,                           \
          "shared memory inside a host, RDMA or TCP between hosts")                                                   \
        next(smdev, registry_open_sm, NULL, NULL, soft, registry_memory_sm, 0, "shared memory alone")                 \
            next(tcpdev, registry_open_tcp, NULL, NULL, soft, NULL, 1, "TCP alone")                                   \
                next(niodev, registry_open_tcp, NULL, NULL, soft, NULL, 1, "another name for tcpdev")                 \
                    next(ibvdev, registry_open_ibv, registry_check_ibv, NULL, soft, NULL, 1,                          \
                         "InfiniBand, RoCE or iWARP alone")                                                           \
                        next(mpidev, cor_mpidev_open, registry_check_mpi, &registry_start_mpi, mpi, NULL, 0,          \
                             "through the Open MPI or MPICH of this system, started by its launcher")                 \
                            next(ucxdev, registry_open_ucx, registry_check_ucx, NULL, soft, NULL, 0,                  \
                                 "through UCX, over whatever network that knows")                                     \
                                next(ofidev, registry_open_ofi, registry_check_ofi, NULL, soft, NULL, 0,              \
                                     "through libfabric, over whatever network that knows")                           \
                                    next(simdev, cor_simdev_open, NULL, NULL, sim, NULL, 1,                           \
                                         "in virtual time, over a network that a model describes: corunna run --sim")

#define COR_DEVICE_FIRST_NAME(name, open, check, start, settings, memory, is_apart, summary) #name
#define COR_DEVICE_NEXT_NAME(name, open, check, start, settings, memory, is_apart, summary) "|" #name
/* The choices of a knob, whose value is an index of cor_device_kinds. */
#define COR_DEVICE_NAMES COR_DEVICE_LIST(COR_DEVICE_FIRST_NAME, COR_DEVICE_NEXT_NAME)

/* How the ranks of a device start, where the library that moves its messages also starts the ranks. */
typedef struct cor_device_start {
    /* Make the boot; the first thing that a rank opens. */
    int (*boot)(const void *settings, const cor_log *log, struct cor_boot **boot_p, cor_fault *fault);
    /* The MPI whose launcher starts the ranks: "openmpi", "mpich"; NULL, with the fault: none can. */
    const char *(*launcher)(const void *settings, cor_fault *fault);
} cor_device_start;

/* Shared memory: the most that one rank of a host needs to write to another, and that all ranks of a host need. */
typedef struct cor_device_memory {
    size_t pair_bytes, host_bytes;
} cor_device_memory;

typedef struct cor_device_kind {
    const char *name, *summary;
    int (*open)(const cor_device_options *options, cor_device **device_p, cor_fault *fault);
    int (*check)(const void *settings, cor_fault *fault); /* NULL: it needs nothing that could be missing */
    const cor_device_start *start; /* NULL: by a launcher that offers PMI, such as corunna run (pmi/boot.h) */
    size_t settings_offset;        /* in cor_device_settings */
    cor_device_memory (*memory)(const void *settings, int ranks); /* NULL: its ranks share none */
    int is_apart;                                                 /* cor_host_options */
} cor_device_kind;

extern const cor_device_kind cor_device_kinds[];
extern const size_t cor_device_kind_count;

/* Values of the knobs of all devices. */
typedef struct cor_device_settings {
    _Alignas(16) unsigned char bytes[2304];
} cor_device_settings;

/* A knob table and the offset of its values in cor_device_settings. */
typedef struct cor_device_knobs {
    const char *title;
    const cor_knob_table *table;
    size_t offset;
} cor_device_knobs;

enum { COR_DEVICE_KNOB_TABLES = 8 };
extern const cor_device_knobs cor_device_knob_tables[COR_DEVICE_KNOB_TABLES];

/* Open the device of this index; options->settings need not be set. */
int cor_device_open(int kind, const cor_device_options *options, const cor_device_settings *settings,
                    cor_device **device_p, cor_fault *fault);

/* Are the libraries and adapters that it needs on this host? COR_ERR_UNSUPPORTED: the fault says what is missing.
 * Libraries are loaded for this, but not started: opening the device may still fail. */
int cor_device_check(int kind, const cor_device_settings *settings, cor_fault *fault);

/* For a device with its own start: its boot, and the MPI whose launcher it needs. */
int cor_device_boot(int kind, const cor_device_settings *settings, const cor_log *log, struct cor_boot **boot_p,
                    cor_fault *fault);
const char *cor_device_launcher(int kind, const cor_device_settings *settings, cor_fault *fault);

/* Where a process listens, whichever device moves its messages: the knobs tcp.interface and tcp.ports. */
void cor_device_listen_options(const cor_device_settings *settings, struct cor_listen_options *options);

/* The first of several names of one device. */
int cor_device_canonical(int kind);

/* Zero for a device whose ranks share no memory. */
cor_device_memory cor_device_memory_of(int kind, const cor_device_settings *settings, int ranks);

#endif
