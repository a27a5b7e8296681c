/* SPDX-License-Identifier: Apache-2.0 */
/* mpjboot, mpjhalt and prunjava: commands of other libraries for Java, which scripts call before and after a job, or in
 * the place of mpjrun. */
#include "cmd/commands.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *why;
} needless_rows[] = {
    {"mpjboot", "mpjrun starts what it needs on other hosts itself, and there are no daemons"},
    {"mpjhalt", "there are no daemons, and a job that has ended leaves nothing behind"},
    {"prunjava", "mpjrun -np 4 Class, or mpirun -n 4 java Class, starts a Java program"},
};

int cor_command_needless(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "", *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof needless_rows / sizeof *needless_rows; i++)
        if (strncmp(name, needless_rows[i].name, strlen(needless_rows[i].name)) == 0)
            printf("%s is not needed: %s\n", needless_rows[i].name, needless_rows[i].why);
    return 0;
}
