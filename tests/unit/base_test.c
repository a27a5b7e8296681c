/* The small things of base: copies of every short length, lists, pools, error texts. */
#include "unit_check.h"

#include "base/copy.h"
#include "base/error.h"
#include "base/list.h"
#include "base/pool.h"

#include <string.h>

static void test_copy(void)
{
    enum { MAX = 200 };
    unsigned char from[MAX], to[MAX + 2];
    for (int i = 0; i < MAX; i++)
        from[i] = (unsigned char)(i + 1);
    for (size_t length = 0; length <= MAX; length++) {
        memset(to, 0xee, sizeof to);
        cor_copy(to + 1, from, length);
        CHECK(0xee, to[0]);
        CHECK(0, memcmp(to + 1, from, length));
        CHECK(0xee, to[1 + length]);
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
    CHECK(1, cor_list_is_empty(&list));
    cor_list_append(&list, &items[1].link);
    cor_list_append(&list, &items[2].link);
    cor_list_prepend(&list, &items[0].link);
    int expected = 0;
    for (cor_link *link = list.next; link != &list; link = link->next)
        CHECK(expected++, COR_OWNER(link, item, link)->number);
    CHECK(3, expected);
    cor_list_remove(&items[1].link);
    cor_list_remove(&items[1].link); /* a removed link is a list of its own: once more does no harm */
    CHECK(1, list.next == &items[0].link && list.prev == &items[2].link);
    cor_list_remove(&items[0].link);
    cor_list_remove(&items[2].link);
    CHECK(1, cor_list_is_empty(&list));
}

static void test_pool(void)
{
    enum { COUNT = 1000, BYTES = 40 };
    cor_pool pool;
    char *objects[COUNT];
    cor_pool_init(&pool, BYTES);
    for (int i = 0; i < COUNT; i++) {
        objects[i] = cor_pool_get(&pool);
        CHECK(0, (uintptr_t)objects[i] % 16);
        memset(objects[i], i, BYTES);
    }
    CHECK(COUNT, pool.in_use);
    for (int i = 0; i < COUNT; i++)
        for (int at = 0; at < BYTES; at++)
            CHECK((char)i, objects[i][at]);
    for (int i = 0; i < COUNT; i++)
        cor_pool_put(&pool, objects[i]);
    CHECK(0, pool.in_use);
    void *again = cor_pool_get(&pool);
    CHECK(1, again == objects[COUNT - 1]); /* the warmest first */
    cor_pool_fini(&pool);
}

static void test_error(void)
{
    cor_fault fault = {0};
    CHECK(COR_ERR_TAG, cor_fault_set(&fault, COR_ERR_TAG, "tag %d of rank %d", -5, 3));
    CHECK(COR_ERR_TAG, fault.code);
    CHECK(0, strcmp("tag -5 of rank 3", fault.text));
    CHECK(COR_ERR_PEER, cor_fault_set(NULL, COR_ERR_PEER, "nobody listens"));
    char longest[600];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    cor_fault_set(&fault, COR_ERR_ARG, "%s", longest);
    CHECK(1, strlen(fault.text) < sizeof fault.text);
    CHECK(0, strcmp("invalid tag", cor_error_text(COR_ERR_TAG)));
    CHECK(1, cor_error_text(-12345) != NULL);
}

int main(void)
{
    test_copy();
    test_list();
    test_pool();
    test_error();
    return 0;
}
