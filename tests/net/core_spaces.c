/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces of process ids: an id of one says nothing in another. Without root these cases are skipped. */
#define _GNU_SOURCE
#include "core.h"

#include "check.h"
#include "net/net_lock.h"
#include "net/net_name.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SPACES_PAUSE_MS = 200 }; /* some looks at the owner */

typedef struct spaces_shared {
    net_lock lock;
    net_spaces spaces;
    _Atomic int is_in, is_released;
} spaces_shared;

/* This process, as an owner. */
static uint32_t spaces_self(spaces_shared *shared)
{
    return net_who(net_spaces_number(&shared->spaces, cor_net_name_pids()), (uint32_t)getpid());
}

static spaces_shared *spaces_share(void)
{
    spaces_shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    return shared;
}

/* In a namespace, and with a /proc, where the owner is not. */
static int spaces_child(spaces_shared *shared)
{
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mount("proc", "/proc", "proc", 0, NULL) != 0)
        return 77;
    CHECK_EQUAL(1, getpid());
    shared->is_in = 1;
    net_lock_acquire(&shared->lock, spaces_self(shared));
    return shared->is_released ? 0 : 1;
}

/* A lock is not taken from an owner of another namespace, who seems to be no process. */
void core_lock_of_others(void)
{
    spaces_shared *shared = spaces_share();
    int status;
    CHECK(cor_net_name_pids() != 0);
    net_lock_acquire(&shared->lock, spaces_self(shared));
    fflush(stdout);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_NEWPID | CLONE_NEWNS, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit(spaces_child(shared));
    if (child < 0) {
        printf("skipped: a namespace of process ids: %s\n", strerror(errno));
        return;
    }
    while (!shared->is_in && waitpid(child, &status, WNOHANG) == 0)
        usleep(1000);
    usleep(SPACES_PAUSE_MS * 1000);
    shared->is_released = 1;
    net_lock_release(&shared->lock);
    if (!shared->is_in) {
        printf("skipped: no /proc of its own\n");
        return;
    }
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(0, WEXITSTATUS(status));
    munmap(shared, sizeof *shared);
}

/* And one is taken from an owner that has ended. */
void core_lock_of_dead(void)
{
    spaces_shared *shared = spaces_share();
    pid_t child = core_fork();
    if (child == 0) {
        net_lock_acquire(&shared->lock, spaces_self(shared));
        _exit(0);
    }
    core_wait_child(child);
    net_lock_acquire(&shared->lock, spaces_self(shared));
    net_lock_release(&shared->lock);
    munmap(shared, sizeof *shared);
}

/* Any two namespaces are told apart, as many as there may be. */
void core_lock_spaces(void)
{
    spaces_shared *shared = spaces_share();
    uint32_t inode = cor_net_name_pids(), here = net_spaces_number(&shared->spaces, inode);
    pid_t child = core_fork();
    if (child == 0)
        _exit(0);
    core_wait_child(child);
    CHECK(here != 0);
    CHECK(net_is_gone(net_who(here, (uint32_t)child), spaces_self(shared)));
    for (uint32_t i = 1; i < 2 * NET_SPACES; i++) {
        uint32_t there = net_spaces_number(&shared->spaces, inode + i);
        CHECK(there != here && there <= NET_SPACES);
        CHECK(!net_is_gone(net_who(there, (uint32_t)child), spaces_self(shared)));
    }
    CHECK_EQUAL(here, net_spaces_number(&shared->spaces, inode));
    CHECK_EQUAL(0, net_spaces_number(&shared->spaces, 0));
    munmap(shared, sizeof *shared);
}
