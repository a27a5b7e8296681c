/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole configuration of a rank: one struct, and the one list of all knob tables (config.c) from which
 * `corunna info`, the check for misspelt names and the documentation come.
 */
#ifndef COR_MP_CONFIG_H
#define COR_MP_CONFIG_H

#include "base/knob.h"
#include "mp/coll_config.h"
#include "mp/win_config.h"
#include "pmi/boot.h"
#include "trace/record.h"
#include "xxdev/registry.h"

typedef struct cor_mp_config {
    int log_level; /* cor_log_level */
    int device;    /* index of cor_device_kinds */
} cor_mp_config;

typedef struct cor_config {
    cor_mp_config mp;
    cor_boot_config boot;
    cor_host_config host;
    cor_wait_config wait;
    cor_device_settings devices;
    cor_coll_config coll;
    cor_win_config win;
    cor_trace_config trace;
} cor_config;

/* One module's table and the offset of its struct in cor_config. */
typedef struct cor_config_part {
    const char *title;
    const cor_knob_table *table;
    size_t offset;
} cor_config_part;

enum { COR_CONFIG_PARTS = 7 + COR_DEVICE_KNOB_TABLES };

/* Part 0 .. COR_CONFIG_PARTS - 1. */
cor_config_part cor_config_part_at(size_t index);

/* Load everything. `overrides` as in cor_knobs_load. */
int cor_config_load(const char *const *overrides, cor_config *config_p, cor_fault *fault);
/* Report unknown names, as cor_knobs_check does. */
int cor_config_check(const char *const *overrides, const cor_log *log, cor_fault *fault);

#endif
