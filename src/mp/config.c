/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/config.h"

#define CONFIG_FIELD(field) offsetof(cor_mp_config, field)

static const cor_knob config_mp_rows[] = {
    {"log", COR_KNOB_CHOICE, CONFIG_FIELD(log_level), "warn", COR_LOG_LEVELS, 0, 0,
     "level of messages on stderr; debug shows wires, protocols and the reasons for choosing them"},
    {"dev", COR_KNOB_CHOICE, CONFIG_FIELD(device), "hybdev", COR_DEVICE_NAMES, 0, 0,
     "the device that moves messages: shared memory inside a host, RDMA or TCP between hosts, or one of them "
     "alone; niodev is another name for tcpdev; mpidev goes through another MPI"},
};

static const cor_knob_table config_mp_knobs = {config_mp_rows, sizeof config_mp_rows / sizeof *config_mp_rows};

cor_config_part cor_config_part_at(size_t index)
{
    static const cor_config_part before[] = {
        {"general", &config_mp_knobs, offsetof(cor_config, mp)},
        {"start", &cor_boot_knobs, offsetof(cor_config, boot)},
        {"waiting", &cor_wait_knobs, offsetof(cor_config, wait)},
        {"ranks of one host", &cor_host_knobs, offsetof(cor_config, host)},
        {"one-sided communication", &cor_win_knobs, offsetof(cor_config, win)},
        {"traces and statistics", &cor_trace_knobs, offsetof(cor_config, trace)},
    };
    enum { BEFORE = sizeof before / sizeof *before };
    if (index < BEFORE)
        return before[index];
    if (index < BEFORE + COR_DEVICE_KNOB_TABLES) {
        const cor_device_knobs *knobs = &cor_device_knob_tables[index - BEFORE];
        return (cor_config_part){knobs->title, knobs->table, offsetof(cor_config, devices) + knobs->offset};
    }
    return (cor_config_part){"collective operations", &cor_coll_knobs, offsetof(cor_config, coll)};
}

/* Corunna's variables that are not knobs of message passing; NET is of fast sockets. */
static const char *const config_other_variables[] = {"CORUNNA_JAR",
                                                     "CORUNNA_TUNED",
                                                     "CORUNNA_JOB",
                                                     COR_LEASH_VARIABLE,
                                                     "CORUNNA_NAMES",
                                                     COR_PARENT_VARIABLE,
                                                     "CORUNNA_LIBRARY",
                                                     "CORUNNA_NET_ON",
                                                     "CORUNNA_NET_RING",
                                                     "CORUNNA_NET_BUFFER",
                                                     "CORUNNA_NET_SPIN_US",
                                                     COR_RECORD_VARIABLE,
                                                     "CORUNNA_TEST_SEED",
                                                     "CORUNNA_TEST_COUNT",
                                                     "CORUNNA_TEST_SLOW",
                                                     "CORUNNA_OBJECT_FILTER",
                                                     "CORUNNA_RUN_LAUNCHER",
                                                     "CORUNNA_RUN_PREFIX",
                                                     "CORUNNA_RUN_FAN",
                                                     "CORUNNA_RUN_HOST_TIMEOUT",
                                                     NULL};

int cor_config_load(const char *const *overrides, cor_config *config_p, cor_fault *fault)
{
    for (size_t i = 0; i < COR_CONFIG_PARTS; i++) {
        cor_config_part part = cor_config_part_at(i);
        int rc = cor_knobs_load(part.table, overrides, (char *)config_p + part.offset, NULL, fault);
        if (rc != COR_OK)
            return rc;
    }
    return COR_OK;
}

int cor_config_check(const char *const *overrides, const cor_log *log, cor_fault *fault)
{
    const cor_knob_table *tables[COR_CONFIG_PARTS];
    for (size_t i = 0; i < COR_CONFIG_PARTS; i++)
        tables[i] = cor_config_part_at(i).table;
    return cor_knobs_check(tables, COR_CONFIG_PARTS, overrides, config_other_variables, log, fault);
}
