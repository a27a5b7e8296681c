/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of hosts in every form, and the mapping of ranks. Messages go to stderr; this test checks what is rejected. */
#define _GNU_SOURCE
#include "check.h"
#include "launch/hosts/host_here.h"
#include "launch/hosts/host_list.h"
#include "launch/hosts/host_map.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "a:2 b:1* c:3<4 here:1 d:2@ib0": name, slots, '*' not stated, '<' at most, '@' interface. */
static const char *list_text(const host_list *list, char *out, size_t room)
{
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < list->count && at < room; i++) {
        const host_entry *host = &list->items[i];
        at += (size_t)snprintf(out + at, room - at, "%s%s:%d%s", i ? " " : "", host->is_here ? "here" : host->name,
                               host->slots, host->is_stated ? "" : "*");
        if (host->slots_max && at < room)
            at += (size_t)snprintf(out + at, room - at, "<%d", host->slots_max);
        if (host->interface && at < room)
            at += (size_t)snprintf(out + at, room - at, "@%s", host->interface);
    }
    return out;
}

static void expect_list(const char *names, const char *expected)
{
    host_list list = {0};
    char text[512];
    int code = cor_host_list_add(&list, "test", names);
    CHECK((code == 0) == (expected != NULL));
    if (code == 0 && expected)
        CHECK_TEXT(expected, list_text(&list, text, sizeof text));
    cor_host_list_fini(&list);
}

static void test_lists(void)
{
    expect_list("a", "a:1*");
    expect_list("a:4,b:4", "a:4 b:4");
    expect_list("a,b,a", "a:2* b:1*");
    expect_list("a,A:3", "a:4");
    expect_list("localhost,b,127.0.0.1:2", "here:3 b:1*");
    expect_list("::1", "here:1*");
    expect_list("[::1]:3", "here:3");
    expect_list("fe80::17,[fe80::18]:2", "fe80::17:1* fe80::18:2");
    expect_list("user@node-1.example.org:2", "user@node-1.example.org:2");
    expect_list("", "");
    static const char *const wrong[] = {",a",  "a,,b", "a:",   "a:0",    "a:x",  "a:-1",          "-a",  "a b",
                                        "a;b", "$(a)", "[::1", "[::1]x", "[]:2", "a:99999999999", "a/b", "a'b"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_list(wrong[i], NULL);
}

static void expect_file(const char *content, const char *expected)
{
    char path[] = "/tmp/host_list_test.XXXXXX", text[512];
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    close(fd);
    host_list list = {0};
    int code = cor_host_list_read(&list, "test", path);
    CHECK((code == 0) == (expected != NULL));
    if (code == 0 && expected)
        CHECK_TEXT(expected, list_text(&list, text, sizeof text));
    cor_host_list_fini(&list);
    unlink(path);
}

static void test_files(void)
{
    expect_file("a\nb\n", "a:1* b:1*");
    expect_file("a", "a:1*");
    expect_file("# nothing\n\n \t\na slots=4 max_slots=8\r\n", "a:4<8");
    expect_file("a max-slots=2 slots = 1 # comment\nb:3\n", "a:1<2 b:3");
    expect_file("a slots=2\na slots=2\n", "a:4");
    /* Other words of Open MPI's. */
    expect_file("a cpu=2\nb count=3\n", "a:2 b:3");
    expect_file("a cpu=2 slots_max=3\nb count = 3 max-cpu = 4\nc count_max=5 slots=1\n", "a:2<3 b:3<4 c:1<5");
    expect_file("a max_slots=3\n", "a:3<3");
    expect_file("a slots=2 username=me\nyou@b user-name=me\n", "me@a:2 you@b:1*");
    expect_file("a port=2222 slots=2\n", "a:2");
    /* Words of Hydra's. */
    expect_file("a:2 binding=user:0,2\nb binding=core\n", "a:2 b:1*");
    expect_file("a:4 ifhn=a-ib binding=user:1,2 user=me\n", "me@a:4@a-ib");
    expect_file("a ifhn=ib0\na:3\nb ifhn=10.1.2.3\n", "a:4@ib0 b:1*@10.1.2.3");
    expect_file("a ifhn=ib0\na ifhn=ib1\n", "a:2*@ib1");
    expect_file("", NULL);
    expect_file("# only words\n", NULL);
    expect_file("a slots=\n", NULL);
    expect_file("a slots\n", NULL);
    expect_file("a slots=4 gpus=2\n", NULL);
    expect_file("a cpus=4\n", NULL);
    expect_file("a cpu=\n", NULL);
    expect_file("a ifhn=\n", NULL);
    expect_file("a ifhn=$(b)\n", NULL);
    expect_file("a user=-oProxyCommand\n", NULL);
    expect_file("a binding\n", NULL);
    expect_file("a b\n", NULL);
    expect_file("a:4x\n", NULL);
    host_list list = {0};
    CHECK(cor_host_list_read(&list, "test", "/nonexistent/machines") != 0);
    CHECK(cor_host_list_read(&list, "test", "/") != 0);
    cor_host_list_fini(&list);
}

static void expect_slurm(const char *nodes, const char *tasks, const char *expected)
{
    host_list list = {0};
    char text[512];
    int code = cor_host_list_add_slurm(&list, "test", nodes, tasks);
    CHECK((code == 0) == (expected != NULL));
    if (code == 0 && expected)
        CHECK_TEXT(expected, list_text(&list, text, sizeof text));
    cor_host_list_fini(&list);
}

/* As many as there may be, each with a name that must be told from all others; and one more. */
static void test_many_nodes(void)
{
    host_list list = {0};
    CHECK(cor_host_list_add_slurm(&list, "test", "n[1-262144]", NULL) == 0);
    CHECK(list.count == 262144);
    CHECK(cor_host_list_add(&list, "test", "N262144,n1:3") == 0);
    CHECK(list.count == 262144);
    CHECK(list.items[0].slots == 4 && list.items[262143].slots == 2);
    cor_host_list_fini(&list);
    CHECK(cor_host_list_add_slurm(&list, "test", "n[1-262145]", NULL) != 0);
    cor_host_list_fini(&list);
}

static void test_slurm(void)
{
    expect_slurm("n1", "4", "n1:4");
    expect_slurm("n[1-3]", "4(x2),3", "n1:4 n2:4 n3:3");
    expect_slurm("n[08-10,12],m", "1(x5)", "n08:1 n09:1 n10:1 n12:1 m:1");
    expect_slurm("r[1-2]n[1-2]x", "1,2,3,4", "r1n1x:1 r1n2x:2 r2n1x:3 r2n2x:4");
    expect_slurm("n[1,3]", NULL, "n1:1* n3:1*");
    expect_slurm("n[1-3]", "4", NULL);
    expect_slurm("n[1-3", "4(x3)", NULL);
    expect_slurm("n[3-1]", "1", NULL);
    expect_slurm("n[a]", "1", NULL);
    expect_slurm("n[]", "1", "");
    expect_slurm("n1", "x", NULL);
    expect_slurm("n1", "0", NULL);
    expect_slurm("n1,n2", "2(x", NULL);
    expect_slurm("n[1-99999999999]", "1", NULL);
}

static void expect_turns(const char *names, int size, host_order order, int in_turn, int may, const char *expected)
{
    host_list list = {0};
    char text[64] = "";
    int host_of_rank[32];
    CHECK(cor_host_list_add(&list, "test", names) == 0);
    int code = cor_host_map(&list, "test", size, &(host_mapping){order, in_turn, may}, host_of_rank);
    CHECK((code == 0) == (expected != NULL));
    for (int rank = 0; code == 0 && rank < size; rank++)
        text[rank] = (char)('0' + host_of_rank[rank]);
    if (code == 0 && expected)
        CHECK_TEXT(expected, text);
    cor_host_list_fini(&list);
}

static void expect_map(const char *names, int size, host_order order, int may, const char *expected)
{
    expect_turns(names, size, order, 0, may, expected);
}

static void test_map(void)
{
    expect_turns("a:4,b:4", 8, HOST_BY_SLOT, 1, 0, "01010101");
    expect_turns("a:4,b:4", 8, HOST_BY_SLOT, 2, 0, "00110011");
    expect_turns("a:4,b:2", 6, HOST_BY_SLOT, 1, 0, "010100");
    expect_turns("a:3,b:3", 4, HOST_BY_NODE, HOST_ALL_IN_TURN, 0, "0011");
    expect_map("a:2,b:2", 4, HOST_BY_SLOT, 0, "0011");
    expect_map("a:2,b:2", 4, HOST_BY_NODE, 0, "0101");
    expect_map("a:1,b:3", 4, HOST_BY_NODE, 0, "0111");
    expect_map("a:2,b:2", 2, HOST_BY_NODE, 0, "01");
    expect_map("a:3,b:1", 3, HOST_BY_NODE, 0, "010");
    expect_map("a:1,b:1", 5, HOST_BY_NODE, 1, "01010");
    expect_map("a:2,b:2", 3, HOST_BY_SLOT, 0, "001");
    expect_map("a:2,b:2", 5, HOST_BY_SLOT, 0, NULL);
    expect_map("a:2,b:2", 5, HOST_BY_SLOT, 1, "00011");
    expect_map("a:2,b:1", 7, HOST_BY_SLOT, 1, "0000011");
    expect_map("a,b,c", 7, HOST_BY_SLOT, 0, "0001122");
    expect_map("a,b,c", 7, HOST_BY_NODE, 0, "0120120");
    expect_map("a,b,c", 2, HOST_BY_SLOT, 0, "01");
    host_order order;
    CHECK(cor_host_order_parse("round-robin", &order) == 0 && order == HOST_BY_NODE);
    CHECK(cor_host_order_parse("slot", &order) == 0 && order == HOST_BY_SLOT);
    CHECK(cor_host_order_parse("sideways", &order) != 0);
}

static void test_most(void)
{
    const host_mapping mapping = {.order = HOST_BY_SLOT, .may_oversubscribe = 1};
    host_list list = {0};
    int host_of_rank[8];
    CHECK(cor_host_list_put(&list, "test", &(host_spec){"a", 1, 1, 2, NULL}) == 0);
    CHECK(cor_host_list_put(&list, "test", &(host_spec){"b", 1, 1, 3, NULL}) == 0);
    CHECK(cor_host_map_slots(&list) == 2);
    CHECK(cor_host_map(&list, "test", 5, &mapping, host_of_rank) == 0);
    CHECK(host_of_rank[1] == 0 && host_of_rank[2] == 1 && host_of_rank[4] == 1);
    CHECK(cor_host_map(&list, "test", 6, &mapping, host_of_rank) != 0);
    cor_host_list_fini(&list);
}

static void test_find(void)
{
    host_list list = {0};
    CHECK_EQUAL(-1, cor_host_list_find(&list, "a", 1));
    CHECK(cor_host_list_add(&list, "test", "b,localhost,a") == 0);
    CHECK_EQUAL(2, cor_host_list_find(&list, "A", 1));
    CHECK_EQUAL(1, cor_host_list_find(&list, "127.0.0.1", 9));
    CHECK_EQUAL(-1, cor_host_list_find(&list, "c", 1));
    cor_host_list_fini(&list);
}

static void test_here(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    CHECK(cor_host_is_here(name, (int)strlen(name)));
    CHECK(cor_host_is_here("LocalHost", 9));
    CHECK(cor_host_is_here("127.3.4.5", 9));
    CHECK(!cor_host_is_here("192.0.2.77", 10));
    CHECK(!cor_host_is_here("2001:db8::77", 12));
    CHECK(!cor_host_is_here("elsewhere.example", 17));
}

int main(void)
{
    test_lists();
    test_files();
    test_many_nodes();
    test_slurm();
    test_map();
    test_most();
    test_find();
    test_here();
    return 0;
}
