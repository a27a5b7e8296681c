/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/info/info_parts.h"

#include "launch/bind/bind_machine.h"
#include "launch/run_path.h"
#include "pmi/boot.h"

#include <limits.h>
#include <stdio.h>
#include <strings.h>

static void parts_print(const char *kind, const char *name, const char *summary, const cor_fault *missing)
{
    printf("%s%s: %s\n", kind, name, summary);
    if (missing->code != COR_OK)
        printf("    not here: %s\n", missing->text);
}

static int parts_check_hwloc(cor_fault *fault)
{
    bind_machine machine;
    return cor_bind_machine_ask_hwloc(&machine, fault);
}

static int parts_check_java(cor_fault *fault)
{
    char jar[PATH_MAX], java[PATH_MAX];
    if (!cor_run_path_jar(jar, sizeof jar))
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "there is no %.180s: this Corunna was built or installed without Java", jar);
    if (!cor_run_path_find("java", java))
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "there is no java in PATH (Debian package default-jre-headless)");
    return COR_OK;
}

typedef struct info_part {
    const char *name, *summary;
    int (*check)(cor_fault *fault);
} info_part;

static const info_part parts[] = {
    {"Java", "ranks in Java, by mpjrun and by corunna run java", parts_check_java},
    {"hwloc", "caches and NUMA nodes for --map-by and --bind-to", parts_check_hwloc},
    {"PMIx", "ranks started by srun --mpi=pmix or by Open MPI's mpirun", cor_boot_check_pmix},
};

static int parts_is_named(const char *name, const char *word)
{
    return !word || strcasecmp(name, word) == 0;
}

int cor_info_parts(const cor_config *config, const char *word)
{
    int count = 0;
    for (size_t i = 0; i < cor_device_kind_count; i++) {
        cor_fault missing = {0};
        if (!parts_is_named(cor_device_kinds[i].name, word))
            continue;
        cor_device_check((int)i, &config->devices, &missing);
        parts_print("device ", cor_device_kinds[i].name, cor_device_kinds[i].summary, &missing);
        count++;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cor_fault missing = {0};
        if (!parts_is_named(parts[i].name, word))
            continue;
        parts[i].check(&missing);
        parts_print("", parts[i].name, parts[i].summary, &missing);
        count++;
    }
    return count;
}
