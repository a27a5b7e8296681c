/* SPDX-License-Identifier: Apache-2.0 */
/* The small things of base: copies of every short length, lists, pools, error texts, families of processes. */
#include "check.h"

#include "base/copy.h"
#include "base/error.h"
#include "base/list.h"
#include "base/pool.h"
#include "base/process.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_copy(void)
{
    enum { MAX = 200 };
    unsigned char from[MAX], to[MAX + 2];
    for (int i = 0; i < MAX; i++)
        from[i] = (unsigned char)(i + 1);
    for (size_t length = 0; length <= MAX; length++) {
        memset(to, 0xee, sizeof to);
        cor_copy(to + 1, from, length);
        CHECK_EQUAL(0xee, to[0]);
        CHECK_EQUAL(0, memcmp(to + 1, from, length));
        CHECK_EQUAL(0xee, to[1 + length]);
    }
}

typedef struct item {
    int number;
    cor_link link;
} item;

static void test_list(void)
{
    cor_list list;
    item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
    cor_list_init(&list);
    CHECK_EQUAL(1, cor_list_is_empty(&list));
    cor_list_append(&list, &items[1].link);
    cor_list_append(&list, &items[2].link);
    cor_list_prepend(&list, &items[0].link);
    int expected = 0;
    for (cor_link *link = list.next; link != &list; link = link->next)
        CHECK_EQUAL(expected++, COR_OWNER(link, item, link)->number);
    CHECK_EQUAL(3, expected);
    cor_list_remove(&items[1].link);
    cor_list_remove(&items[1].link); /* a removed link is a list of its own: once more does no harm */
    CHECK(list.next == &items[0].link && list.prev == &items[2].link);
    cor_list_remove(&items[0].link);
    cor_list_remove(&items[2].link);
    CHECK_EQUAL(1, cor_list_is_empty(&list));
}

static void test_pool(void)
{
    enum { COUNT = 1000, BYTES = 40 };
    cor_pool pool;
    char *objects[COUNT];
    cor_pool_init(&pool, BYTES);
    for (int i = 0; i < COUNT; i++) {
        objects[i] = cor_pool_get(&pool);
        CHECK_EQUAL(0, (uintptr_t)objects[i] % 16);
        memset(objects[i], i, BYTES);
    }
    CHECK_EQUAL(COUNT, pool.in_use);
    for (int i = 0; i < COUNT; i++)
        for (int at = 0; at < BYTES; at++)
            CHECK_EQUAL((char)i, objects[i][at]);
    for (int i = 0; i < COUNT; i++)
        cor_pool_put(&pool, objects[i]);
    CHECK_EQUAL(0, pool.in_use);
    void *again = cor_pool_get(&pool);
    CHECK(again == objects[COUNT - 1]); /* the warmest first */
    cor_pool_fini(&pool);
}

static void test_error(void)
{
    cor_fault fault = {0};
    CHECK_EQUAL(COR_ERR_TAG, cor_fault_set(&fault, COR_ERR_TAG, "tag %d of rank %d", -5, 3));
    CHECK_EQUAL(COR_ERR_TAG, fault.code);
    CHECK_EQUAL(0, strcmp("tag -5 of rank 3", fault.text));
    CHECK_EQUAL(COR_ERR_PEER, cor_fault_set(NULL, COR_ERR_PEER, "nobody listens"));
    char longest[600];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    cor_fault_set(&fault, COR_ERR_ARG, "%s", longest);
    CHECK(strlen(fault.text) < sizeof fault.text);
    CHECK_EQUAL(0, strcmp("invalid tag", cor_error_text(COR_ERR_TAG)));
    CHECK(cor_error_text(-12345) != NULL);
}

/* A process that waits to be ended, and its child, likewise; *child_p is the child. */
static pid_t start_family(pid_t *child_p)
{
    int report[2];
    CHECK_EQUAL(0, pipe(report));
    pid_t parent = fork();
    if (parent == 0) {
        pid_t child = fork();
        if (child > 0 && write(report[1], &child, sizeof child) != (ssize_t)sizeof child)
            _exit(1);
        /* Both end with the test, however that ends. */
        close(report[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    CHECK_EQUAL(sizeof *child_p, read(report[0], child_p, sizeof *child_p));
    close(report[0]);
    close(report[1]);
    return parent;
}

static void test_ancestor(void)
{
    pid_t children[2], own = getpid();
    pid_t parents[2] = {start_family(&children[0]), start_family(&children[1])};
    CHECK_EQUAL(own, cor_process_common_ancestor(NULL, 0));
    CHECK_EQUAL(own, cor_process_common_ancestor(&(pid_t){getpid()}, 1));
    CHECK_EQUAL(own, cor_process_common_ancestor(parents, 2));
    CHECK_EQUAL(own, cor_process_common_ancestor(children, 2));
    /* An ancestor of this process, and a process that is not an ancestor of any. */
    CHECK_EQUAL(getppid() > 1 ? getppid() : 0, cor_process_common_ancestor(&(pid_t){getppid()}, 1));
    CHECK_EQUAL(0, cor_process_common_ancestor(&(pid_t){1}, 1));
    kill(children[0], SIGKILL);
    kill(children[1], SIGKILL);
    for (int i = 0; i < 2; i++) {
        kill(parents[i], SIGKILL);
        waitpid(parents[i], NULL, 0);
    }
    CHECK_EQUAL(0, cor_process_common_ancestor(parents, 2));
}

int main(void)
{
    test_copy();
    test_list();
    test_pool();
    test_error();
    test_ancestor();
    return 0;
}
