/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may stand in the file that `corunna tune` has left, or a user has changed since: rules, and settings that the
 * launcher takes for its ranks. Any bytes: a setting is taken only whole, with a value that is allowed.
 *
 * FUZZ_SOURCES: src/launch/options/run_tuned.c src/base/machine.c
 * FUZZ_SOURCES: src/base/knob.c src/base/knob_map.c src/base/knob_name.c src/base/log.c src/base/error.c
 */
#define _GNU_SOURCE
#include "base/machine.h"
#include "launch/options/run_tuned.h"
#include "mp/config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* ---- a short list of settings, in place of the long one
 * ------------------------------------------------------------ */

typedef struct fuzz_config {
    size_t ring, packet;
} fuzz_config;

static const cor_knob fuzz_rows[] = {
    {"sm.ring", COR_KNOB_SIZE, offsetof(fuzz_config, ring), "256k", NULL, 4096, 1L << 30, ""},
    {"tcp.packet", COR_KNOB_SIZE, offsetof(fuzz_config, packet), "64k", NULL, 64, 1L << 30, ""},
};

static const cor_knob_table fuzz_table = {fuzz_rows, sizeof fuzz_rows / sizeof *fuzz_rows};
static const char *const fuzz_others[] = {"CORUNNA_COLL_RULES", "CORUNNA_TUNED", NULL};

int cor_config_load(const char *const *overrides, cor_config *config_p, cor_fault *fault)
{
    fuzz_config config;
    (void)config_p;
    return cor_knobs_load(&fuzz_table, overrides, &config, NULL, fault);
}

int cor_config_check(const char *const *overrides, const cor_log *log, cor_fault *fault)
{
    const cor_knob_table *const tables[] = {&fuzz_table};
    return cor_knobs_check(tables, 1, overrides, fuzz_others, log, fault);
}

/* ---- the file
 * ------------------------------------------------------------------------------------------------------- */

static char fuzz_folder[] = "/tmp/fuzz_tuned.XXXXXX", fuzz_path[PATH_MAX];

static void fuzz_remove(void)
{
    unlink(fuzz_path);
    *strrchr(fuzz_path, '/') = '\0';
    rmdir(fuzz_path);
    rmdir(fuzz_folder);
}

/* Sentences are as many as inputs: they are not looked at. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    stderr = fopen("/dev/null", "w");
    if (!stderr || !mkdtemp(fuzz_folder) || setenv("XDG_CONFIG_HOME", fuzz_folder, 1) != 0 ||
        cor_machine_tuned_path(fuzz_path, sizeof fuzz_path, 1) != 0)
        abort();
    atexit(fuzz_remove);
    return 0;
}

/* The bytes stand behind the lines that make it a file of this machine; with an odd first byte they are all of it. */
static void fuzz_write(const unsigned char *data, size_t size)
{
    char machine[COR_MACHINE_MAX];
    FILE *file = fopen(fuzz_path, "w");
    if (!file)
        abort();
    cor_machine_print(machine);
    if (size == 0 || data[0] % 2 == 0)
        fprintf(file, "# mine\n" COR_MACHINE_LINE "%s\n", machine);
    if (size > 0 && fwrite(data, 1, size, file) != size)
        abort();
    fclose(file);
}

static void fuzz_check(const char *name, const char *variable)
{
    const char *value = getenv(variable);
    const char *const none[] = {NULL};
    cor_fault fault = {0};
    if (value && (cor_config_load(none, NULL, &fault) != COR_OK || !cor_run_is_tuned(name)))
        abort();
    unsetenv(variable);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    fuzz_write(data, size);
    cor_run_use_tuned("fuzz", NULL);
    fuzz_check("sm.ring", "CORUNNA_SM_RING");
    fuzz_check("tcp.packet", "CORUNNA_TCP_PACKET");
    if (getenv("CORUNNA_COLL_RULES") && strcmp(getenv("CORUNNA_COLL_RULES"), fuzz_path) != 0)
        abort();
    unsetenv("CORUNNA_COLL_RULES");
    unsetenv("CORUNNA_TUNED");
    return 0;
}
