/* SPDX-License-Identifier: Apache-2.0 */
/* Rank files: what they say, and what is refused. */
#define _GNU_SOURCE
#include "check.h"
#include "launch/hosts/rank_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The hosts and slots of all ranks as "a/0 b/1:0-2", or NULL: refused. `hosts`: those that are given; NULL: none. */
static void expect(const char *text, size_t length, const char *hosts, int size, const char *expected)
{
    char path[] = "/tmp/rank_file_test.XXXXXX", told[256] = "";
    int fd = mkstemp(path);
    rank_file file = {0};
    host_list list = {0};
    CHECK(fd >= 0 && write(fd, text, length) == (ssize_t)length);
    close(fd);
    CHECK(!hosts || cor_host_list_add(&list, "test", hosts) == 0);
    int code = cor_rank_file_read(&file, "test", path, size, &list);
    unlink(path);
    if ((code == 0) != (expected != NULL))
        CHECK_FAIL("\"%s\" was %s", text, code == 0 ? "taken" : "refused");
    for (int rank = 0; code == 0 && rank < file.size; rank++)
        sprintf(told + strlen(told), "%s%s/%s", rank ? " " : "", list.items[file.hosts[rank]].name, file.slots[rank]);
    if (expected)
        CHECK_TEXT(expected, told);
    cor_rank_file_fini(&file);
    cor_host_list_fini(&list);
}

#define EXPECT(text, hosts, size, expected) expect(text, strlen(text), hosts, size, expected)

int main(void)
{
    EXPECT("rank 0=a slot=0\nrank 1=b slot=1:0-2\n", NULL, 0, "a/0 b/1:0-2");
    EXPECT("# first\n\n  rank 1 = b  slot = 0:0,1  # second\r\nrank\t0=a\tslots=*", NULL, 2, "a/* b/0:0,1");
    EXPECT("rank 0=b slot=0\nrank 1=a slot=1\nrank 2=b slot=1\n", "a:2,b:2,c", 3, "b/0 a/1 b/1");
    EXPECT("rank 0=+n1 slot=0\nrank 1=+n0 slot=1\n", "a,b", 0, "b/0 a/1");
    EXPECT("RANK 0=A slot=0\n", "a", 0, "a/0");
    EXPECT("rank 0=a slot=0\n", "b", 0, NULL);     /* not among the hosts */
    EXPECT("rank 0=+n2 slot=0\n", "a,b", 0, NULL); /* likewise */
    EXPECT("rank 0=+nx slot=0\n", "a,b", 0, NULL);
    EXPECT("rank 0=+n0 slot=0\n", NULL, 0, NULL);                /* of no list */
    EXPECT("rank 0=a slot=0\nrank 2=a slot=1\n", NULL, 0, NULL); /* no rank 1 */
    EXPECT("rank 0=a slot=0\n", NULL, 2, NULL);                  /* likewise */
    EXPECT("rank 0=a slot=0\nrank 1=a slot=1\n", NULL, 1, NULL); /* a rank too many */
    EXPECT("rank 0=a slot=0\nrank 0=b slot=1\n", NULL, 0, NULL); /* twice */
    EXPECT("rank 999999999=a slot=0\n", NULL, 0, NULL);
    EXPECT("rank 0=a slot=\n", NULL, 0, NULL);
    EXPECT("rank 0=a slot=p1\n", NULL, 0, NULL);
    EXPECT("rank 0=a slot=0 slot=1\n", NULL, 0, NULL);
    EXPECT("rank 0=a\n", NULL, 0, NULL);
    EXPECT("rank 0= slot=0\n", NULL, 0, NULL);
    EXPECT("rank x=a slot=0\n", NULL, 0, NULL);
    EXPECT("rank -1=a slot=0\n", NULL, 0, NULL);
    EXPECT("rank 0=a;reboot slot=0\n", NULL, 0, NULL);
    EXPECT("rank 0=-oProxyCommand=x slot=0\n", NULL, 0, NULL);
    EXPECT("0 a\n", NULL, 0, NULL);
    EXPECT("# nothing\n", NULL, 0, NULL);
    expect("rank 0=a\0 slot=0\n", 17, NULL, 0, NULL);
    rank_file file = {0};
    host_list list = {0};
    CHECK(cor_rank_file_read(&file, "test", "/nonexistent/file", 0, &list) != 0);
    return 0;
}
