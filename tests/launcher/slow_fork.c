/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded ahead of the launcher's libraries: every fork but the first of a process takes half a second, as on a host
 * that is short of memory. The first one is that of the front, which starts the worker. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

__attribute__((visibility("default"))) pid_t fork(void)
{
    pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    int is_first = !getenv("SLOW_FORK");
    setenv("SLOW_FORK", "yes", 1);
    if (!is_first)
        usleep(500000);
    return real();
}
