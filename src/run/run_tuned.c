#include "run/run_tuned.h"

#include "base/machine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tuned_is_told(void)
{
    const char *level = getenv("CORUNNA_LOG");
    return level && (strcmp(level, "info") == 0 || strcmp(level, "debug") == 0 || strcmp(level, "trace") == 0);
}

void cor_run_use_tuned(const char *command_name)
{
    char path[PATH_MAX], other[COR_MACHINE_MAX];
    if (getenv("CORUNNA_COLL_RULES"))
        return;
    int found = cor_machine_find_tuned(path, sizeof path, other);
    if (found == 1)
        setenv("CORUNNA_COLL_RULES", path, 1);
    if (found == 1 && tuned_is_told())
        fprintf(stderr, "%s: rules of %s\n", command_name, path);
    if (found == -1 && tuned_is_told())
        fprintf(stderr, "%s: %s is left out: it was made on another machine (%s)\n", command_name, path,
                *other ? other : "which it does not name");
}
