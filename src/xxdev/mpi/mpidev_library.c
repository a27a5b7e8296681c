/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/mpi/mpidev_library.h"

#include "xxdev/plugin.h"

#include <stdlib.h>

typedef struct library_kind {
    const char *name;
    const char *variables[2]; /* its launcher sets one of them */
    cor_plugin plugin;
} library_kind;

static const library_kind library_kinds[] = {
    {"openmpi",
     {"PMIX_NAMESPACE", "PMIX_RANK"}, /* OMPI_COMM_WORLD_RANK is set by our launcher, too */
     {"mpidev", "mpi_openmpi", "Open MPI", "libopenmpi-dev", COR_BRIDGE_SYMBOL, COR_BRIDGE_VERSION, 1}},
    {"mpich",
     {"PMI_FD", "PMI_RANK"},
     {"mpidev", "mpi_mpich", "MPICH", "libmpich-dev", COR_BRIDGE_SYMBOL, COR_BRIDGE_VERSION, 1}},
};

enum { LIBRARY_AUTO, LIBRARY_KINDS = sizeof library_kinds / sizeof *library_kinds };

#define LIBRARY_FIELD(field) offsetof(cor_mpidev_config, field)

static const cor_knob library_knob_rows[] = {
    {"mpi.library", COR_KNOB_CHOICE, LIBRARY_FIELD(library), "auto", "auto|openmpi|mpich", 0, 0,
     "the MPI that mpidev sends messages through; auto: the one whose launcher has started this process, else the "
     "first one found"},
    {"mpi.eager_max", COR_KNOB_SIZE, LIBRARY_FIELD(eager_max_bytes), "8k", NULL, 64, 1 << 20,
     "bytes of the longest message sent at once, through a buffer; longer ones are sent without a copy when the "
     "receive is posted"},
};

const cor_knob_table cor_mpidev_knobs = {library_knob_rows, sizeof library_knob_rows / sizeof *library_knob_rows};

/* ---- which one -------------------------------------------------------------------------------------------------- */

/* The one whose launcher has started this process, or NULL. */
static const library_kind *library_by_launcher(void)
{
    for (int i = 0; i < LIBRARY_KINDS; i++)
        for (int k = 0; k < 2; k++)
            if (getenv(library_kinds[i].variables[k]))
                return &library_kinds[i];
    return NULL;
}

/* The one that is meant, or NULL. */
static const library_kind *library_choose(const cor_mpidev_config *config, const char **why_p)
{
    const library_kind *kind = library_by_launcher();
    if (config->library != LIBRARY_AUTO) {
        *why_p = "the setting mpi.library says so";
        return &library_kinds[config->library - 1];
    }
    *why_p = "its launcher has started this process";
    for (int i = 0; !kind && i < LIBRARY_KINDS; i++)
        if (cor_plugin_is_there(&library_kinds[i].plugin)) {
            *why_p = "no launcher has started this process, and it is there";
            kind = &library_kinds[i];
        }
    return kind;
}

static int library_none(cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                         "mpidev needs an MPI library, and this Corunna was built without any: build it where the "
                         "headers of Open MPI or MPICH are installed (Debian packages libopenmpi-dev, libmpich-dev)");
}

int mpidev_library_open(const cor_mpidev_config *config, const cor_log *log, const cor_bridge_ops **ops_p,
                        cor_fault *fault)
{
    const char *why;
    const library_kind *kind = library_choose(config, &why);
    if (!kind)
        return library_none(fault);
    COR_LOG(log, DEBUG, "mpidev: %s, because %s", kind->plugin.library, why);
    const void *table = NULL;
    int rc = cor_plugin_open(&kind->plugin, &table, fault);
    *ops_p = table;
    return rc;
}

int cor_mpidev_check(const cor_mpidev_config *config, cor_fault *fault)
{
    const cor_log silent = {.level = COR_LOG_ERROR, .rank = -1};
    const cor_bridge_ops *ops;
    return mpidev_library_open(config, &silent, &ops, fault);
}

const char *cor_mpidev_launcher(const cor_mpidev_config *config, cor_fault *fault)
{
    const char *why;
    const library_kind *kind = library_choose(config, &why);
    if (!kind)
        library_none(fault);
    return kind ? kind->name : NULL;
}
