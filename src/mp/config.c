#include "mp/config.h"

#define CONFIG_FIELD(field) offsetof(cor_mp_config, field)

static const cor_knob config_mp_rows[] = {
    {"log", COR_KNOB_CHOICE, CONFIG_FIELD(log_level), "warn", COR_LOG_LEVELS, 0, 0,
     "what is told on stderr; debug says which wire, which protocol and why"},
    {"dev", COR_KNOB_CHOICE, CONFIG_FIELD(device), "hybdev", "hybdev|smdev|tcpdev|niodev", 0, 0,
     "the device that moves messages: shared memory inside a host and TCP between hosts, or one of them alone; "
     "niodev is another name for tcpdev"},
};

static const cor_knob_table config_mp_knobs = {config_mp_rows, sizeof config_mp_rows / sizeof *config_mp_rows};

const cor_config_part cor_config_parts[] = {
    {"general", &config_mp_knobs, offsetof(cor_config, mp)},
    {"start", &cor_boot_knobs, offsetof(cor_config, boot)},
    {"messages and waiting", &cor_soft_knobs, offsetof(cor_config, soft)},
    {"shared memory", &cor_sm_knobs, offsetof(cor_config, sm)},
    {"TCP", &cor_tcp_knobs, offsetof(cor_config, tcp)},
    {"collective operations", &cor_coll_knobs, offsetof(cor_config, coll)},
};

const size_t cor_config_part_count = sizeof cor_config_parts / sizeof *cor_config_parts;

/* Variables of ours that are no knobs. */
static const char *const config_other_variables[] = {"CORUNNA_JAR",
                                                     "CORUNNA_JOB",
                                                     "CORUNNA_LIBRARY",
                                                     "CORUNNA_TEST_SEED",
                                                     "CORUNNA_TEST_COUNT",
                                                     "CORUNNA_OBJECT_FILTER",
                                                     "CORUNNA_RUN_LAUNCHER",
                                                     "CORUNNA_RUN_PREFIX",
                                                     "CORUNNA_RUN_FAN",
                                                     "CORUNNA_RUN_HOST_TIMEOUT",
                                                     NULL};

int cor_config_load(const char *const *overrides, cor_config *config_p, cor_fault *fault)
{
    for (size_t i = 0; i < cor_config_part_count; i++) {
        const cor_config_part *part = &cor_config_parts[i];
        int rc = cor_knobs_load(part->table, overrides, (char *)config_p + part->offset, NULL, fault);
        if (rc != COR_OK)
            return rc;
    }
    return COR_OK;
}

int cor_config_check(const char *const *overrides, const cor_log *log, cor_fault *fault)
{
    const cor_knob_table *tables[sizeof cor_config_parts / sizeof *cor_config_parts];
    for (size_t i = 0; i < cor_config_part_count; i++)
        tables[i] = cor_config_parts[i].table;
    return cor_knobs_check(tables, cor_config_part_count, overrides, config_other_variables, log, fault);
}
