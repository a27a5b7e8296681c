/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "run/run_nested.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beginnings of names: PMI in its versions, Hydra, Open MPI up to 4, and its runtime since. */
static const char *const nested_prefixes[] = {
    "PMI_",
    "PMI2_",
    "PMIX_",
    "HYDI_",
    "MPI_LOCALRANKID=",
    "MPI_LOCALNRANKS=",
    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=",
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
};

static int nested_is_theirs(const char *entry)
{
    for (size_t i = 0; i < sizeof nested_prefixes / sizeof *nested_prefixes; i++)
        if (strncmp(entry, nested_prefixes[i], strlen(nested_prefixes[i])) == 0)
            return 1;
    return 0;
}

void cor_run_forget_surrounding(void)
{
    for (char **entry = environ; entry && *entry;) {
        size_t length = strcspn(*entry, "=");
        char name[128];
        if (nested_is_theirs(*entry) && length < sizeof name) {
            memcpy(name, *entry, length);
            name[length] = '\0';
            unsetenv(name);
            entry = environ;
        } else {
            entry++;
        }
    }
}
