/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tagged device: messages go through a library that matches tagged messages itself, UCX (ucxdev) or libfabric
 * (ofidev), and so over whatever network that one knows. Our launcher starts the ranks.
 *
 * A tag of the library holds context, sender, type class and tag:
 *
 *     0 | context 16 | sender 15 | type class 4 | tag 28
 *
 * so a job has at most 32768 ranks, and tags end at 2^28 - 1. A receive does not compare the type class. The library
 * writes a message before it tells what has come: so where both sides name different types of elements, the receive ends
 * with COR_ERR_MISMATCH, but the bytes are written.
 *
 * What it cannot: cancel sends; bound what a receiver stores without having asked for it.
 */
#ifndef COR_XXDEV_TAGGED_H
#define COR_XXDEV_TAGGED_H

#include "base/knob.h"
#include "xxdev/plugin.h"
#include "xxdev/xxdev.h"

enum { COR_TAGGED_TEXT_MAX = 64 };

/* Of either library. */
typedef struct cor_tagged_config {
    char transports[COR_TAGGED_TEXT_MAX];
    char interface[COR_TAGGED_TEXT_MAX];
    size_t eager_max; /* of ofidev; and so */
    int sleeps;
    int handles_errors; /* of ucxdev */
} cor_tagged_config;

extern const cor_knob_table cor_ucx_knobs, cor_ofi_knobs;

/* A library, and what its environment must say before it is loaded, for a job of so many ranks. */
typedef struct cor_tagged_kind {
    cor_plugin plugin;
    void (*prepare)(int size);
} cor_tagged_kind;

extern const cor_tagged_kind cor_tagged_ucx, cor_tagged_ofi;

/* options->settings is a cor_tagged_config. */
int cor_ucx_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault);
int cor_ofi_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault);

/* Can a device use the library? COR_ERR_UNSUPPORTED. */
int cor_tagged_check(const cor_tagged_kind *kind, const char *device, cor_fault *fault);

#endif
