/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/run_nested.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beginnings of names: PMI in its versions, but for what the user sets for PMIx, and Hydra. */
static const char *const nested_any[] = {
    "PMI_", "PMI2_", "PMIX_", "HYDI_", "MPI_LOCALRANKID=", "MPI_LOCALNRANKS=", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=",
    NULL,
};

/* Open MPI's launcher, up to its version 4, and its runtime since. Users set variables of the same families: they go
 * only where that launcher has started this process. */
static const char *const nested_openmpi[] = {
    "OMPI_COMM_WORLD_",
    "OMPI_APP_CTX_NUM_PROCS=",
    "OMPI_NUM_APP_CTX=",
    "OMPI_FIRST_RANKS=",
    "OMPI_UNIVERSE_SIZE=",
    "OMPI_COMMAND=",
    "OMPI_ARGV=",
    "OMPI_FILE_LOCATION=",
    "OMPI_MCA_ess",
    "OMPI_MCA_orte_",
    "OMPI_MCA_pmix=",
    "OMPI_MCA_initial_wdir=",
    "OMPI_MCA_shmem_RUNTIME_QUERY_hint=",
    "PRTE_LAUNCHED=",
    "PRTE_MCA_ess",
    "PRTE_MCA_prte_",
    NULL,
};

static int nested_begins(const char *entry, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (strncmp(entry, *prefixes, strlen(*prefixes)) == 0)
            return 1;
    return 0;
}

static int nested_is_theirs(const char *entry, int is_in_openmpi)
{
    return (nested_begins(entry, nested_any) && strncmp(entry, "PMIX_MCA_", sizeof "PMIX_MCA_" - 1) != 0) ||
           (is_in_openmpi && nested_begins(entry, nested_openmpi));
}

void cor_run_forget_surrounding(void)
{
    int is_in_openmpi = getenv("OMPI_COMM_WORLD_RANK") && getenv("PMIX_NAMESPACE");
    char **kept = environ;
    for (char **entry = environ; entry && *entry; entry++)
        if (!nested_is_theirs(*entry, is_in_openmpi))
            *kept++ = *entry;
    if (kept)
        *kept = NULL;
}
