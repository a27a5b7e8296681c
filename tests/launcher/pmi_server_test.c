/* SPDX-License-Identifier: Apache-2.0 */
/* The PMI server as a state machine: bytes in, answers out. */
#include "check.h"
#include "pmi/pmi_server.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct server_test {
    cor_pmi_server *server;
    int aborted_rank, aborted_status;
    char aborted_reason[200];
} server_test;

static void on_abort(void *context, int rank, int status, const char *reason)
{
    server_test *test = context;
    test->aborted_rank = rank;
    test->aborted_status = status;
    snprintf(test->aborted_reason, sizeof test->aborted_reason, "%s", reason);
}

static int say(server_test *test, int rank, const char *text)
{
    cor_fault fault = {0};
    return cor_pmi_server_feed(test->server, rank, text, strlen(text), &fault);
}

/* Everything pending for a rank, taken. */
static const char *hear(server_test *test, int rank, char *out, size_t room)
{
    size_t length;
    const char *pending = cor_pmi_server_pending(test->server, rank, &length);
    snprintf(out, room, "%.*s", (int)length, pending ? pending : "");
    cor_pmi_server_sent(test->server, rank, length);
    return out;
}

static void ask(server_test *test, int rank, const char *question, const char *answer)
{
    char out[4096];
    CHECK_OK(say(test, rank, question));
    CHECK_TEXT(answer, hear(test, rank, out, sizeof out));
}

static void open_test(server_test *test, int size)
{
    cor_fault fault = {0};
    memset(test, 0, sizeof *test);
    test->aborted_rank = -1;
    CHECK_OK(cor_pmi_server_create(size, "job", on_abort, test, &test->server, &fault));
}

/* What the owner does when a rank dies is announced if it says so. */
static void test_promise(void)
{
    server_test test;
    open_test(&test, 2);
    cor_pmi_server_announce_failures(test.server);
    ask(&test, 0, "cmd=init pmi_version=1 pmi_subversion=1\n",
        "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1 pipeline=1 appnum=0 universe=0 losses=told\n");
    cor_pmi_server_destroy(test.server);
}

static void test_talk(void)
{
    server_test test;
    char out[4096];
    open_test(&test, 2);
    CHECK(!cor_pmi_server_is_active(test.server, 0));
    ask(&test, 0, "cmd=init pmi_version=2 pmi_subversion=0\n",
        "cmd=response_to_init rc=-1 pmi_version=1 pmi_subversion=1 msg=only_version_1\n");
    CHECK(!cor_pmi_server_is_active(test.server, 0));
    ask(&test, 0, "pmi_subversion=1 pmi_version=1 cmd=init\n",
        "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1 pipeline=1 appnum=0 universe=0\n");
    CHECK(cor_pmi_server_is_active(test.server, 0));
    ask(&test, 0, "cmd=get_my_kvsname\n", "cmd=my_kvsname rc=0 kvsname=job_1\n");
    cor_pmi_server_set_appnum(test.server, 1, 3);
    ask(&test, 0, "cmd=get_appnum\ncmd=get_universe_size\n",
        "cmd=appnum rc=0 appnum=0\ncmd=universe_size rc=0 size=-1\n");
    ask(&test, 1, "cmd=get_appnum\n", "cmd=appnum rc=0 appnum=3\n");
    ask(&test, 0, "cmd=get kvsname=job_1 key=PMI_process_mapping\n",
        "cmd=get_result rc=0 msg=success value=(vector,(0,1,2))\n");
    ask(&test, 0, "cmd=put kvsname=job_1 key=card value=a=b#c\n", "cmd=put_result rc=0 msg=success\n");
    ask(&test, 1, "cmd=get kvsname=job_1 key=card\n", "cmd=get_result rc=0 msg=success value=a=b#c\n");
    ask(&test, 1, "cmd=get kvsname=job_2 key=card\n", "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
    ask(&test, 1, "cmd=put kvsname=job_1 key=card\n", "cmd=put_result rc=-1 msg=kvsname_key_or_value_missing\n");
    /* In pieces, and several at once. */
    ask(&test, 1, "cmd=ge", "");
    ask(&test, 1, "t kvsname=job_1 key=card\ncmd=get kvsname=job_1 key=none\n",
        "cmd=get_result rc=0 msg=success value=a=b#c\ncmd=get_result rc=-1 msg=key_not_found value=unknown\n");
    /* A barrier. */
    ask(&test, 0, "cmd=barrier_in\n", "");
    CHECK(cor_pmi_server_missing(test.server) == -1);
    ask(&test, 1, "cmd=barrier_in\n", "cmd=barrier_out rc=0 msg=success\n");
    CHECK_TEXT("cmd=barrier_out rc=0 msg=success\n", hear(&test, 0, out, sizeof out));
    ask(&test, 0, "cmd=finalize\n", "cmd=finalize_ack rc=0 msg=success\n");
    CHECK(!cor_pmi_server_is_active(test.server, 0));
    /* The same process again has a key-value space of its own. */
    say(&test, 0, "cmd=init pmi_version=1 pmi_subversion=1\n");
    hear(&test, 0, out, sizeof out);
    ask(&test, 0, "cmd=get_my_kvsname\n", "cmd=my_kvsname rc=0 kvsname=job_2\n");
    cor_pmi_server_destroy(test.server);
}

static void test_trouble(void)
{
    server_test test;
    open_test(&test, 3);
    ask(&test, 0, "cmd=dance\n", "cmd=error rc=-1 msg=unknown_command info=failed\n");
    ask(&test, 0, "cmd=lookup_name service=x\n", "cmd=lookup_result rc=-1 msg=unknown_command info=failed\n");
    ask(&test, 0, "\n", "");
    CHECK(say(&test, 1, "hello\n") == COR_ERR_BOOT);
    CHECK_OK(say(&test, 0, "cmd=abort exitcode=12 reason=no%20more%20disk\n"));
    CHECK(test.aborted_rank == 0 && test.aborted_status == 12);
    CHECK_TEXT("no more disk", test.aborted_reason);
    CHECK_OK(say(&test, 2, "cmd=abort\n"));
    CHECK(test.aborted_rank == 2 && test.aborted_status == 1);
    /* Rank 1 leaves; that matters only once another rank waits. */
    cor_pmi_server_rank_ended(test.server, 1);
    CHECK(cor_pmi_server_missing(test.server) == -1);
    CHECK_OK(say(&test, 0, "cmd=barrier_in\n"));
    CHECK(cor_pmi_server_missing(test.server) == 1);
    CHECK(say(&test, 0, "cmd=barrier_in\n") == COR_ERR_BOOT);
    /* A rank that never reads its answers is cut off before it eats the memory. */
    int code = COR_OK;
    for (int i = 0; code == COR_OK && i < 10000000; i++)
        code = say(&test, 2, "cmd=get_maxes\n");
    CHECK(code == COR_ERR_BOOT);
    cor_pmi_server_destroy(test.server);
}

/* Many keys, to make the store grow. */
static void test_many(void)
{
    server_test test;
    char question[128], answer[128];
    open_test(&test, 1);
    for (int i = 0; i < 3000; i++) {
        snprintf(question, sizeof question, "cmd=put kvsname=s%d key=k%d value=v%d\n", i % 3, i, i);
        ask(&test, 0, question, "cmd=put_result rc=0 msg=success\n");
    }
    for (int i = 0; i < 3000; i++) {
        snprintf(question, sizeof question, "cmd=get kvsname=s%d key=k%d\n", i % 3, i);
        snprintf(answer, sizeof answer, "cmd=get_result rc=0 msg=success value=v%d\n", i);
        ask(&test, 0, question, answer);
    }
    ask(&test, 0, "cmd=put kvsname=s0 key=k0 value=new\n", "cmd=put_result rc=0 msg=success\n");
    ask(&test, 0, "cmd=get kvsname=s0 key=k0\n", "cmd=get_result rc=0 msg=success value=new\n");
    cor_pmi_server_destroy(test.server);
}

/* Rank `rank` puts values of 1000 characters until it has put `most`, or is refused. Returns how many were kept; answer
 * and fault are of the last one. */
static int put_many(server_test *test, int rank, int most, cor_fault *fault, char *answer, size_t room)
{
    char question[1200];
    int kept = 0, code = COR_OK;
    for (int i = 0; i < most && code == COR_OK; i++) {
        size_t length;
        snprintf(question, sizeof question, "cmd=put kvsname=job_1 key=k%d-%d value=%01000d\n", rank, i, i);
        code = cor_pmi_server_feed(test->server, rank, question, strlen(question), fault);
        const char *pending = cor_pmi_server_pending(test->server, rank, &length);
        snprintf(answer, room, "%.*s", (int)length, pending ? pending : "");
        cor_pmi_server_sent(test->server, rank, length);
        kept += strcmp(answer, "cmd=put_result rc=0 msg=success\n") == 0;
    }
    return kept;
}

/* What a rank and a job may put is bounded, and a large job fits well within that. */
static void test_limits(void)
{
    server_test test;
    cor_fault fault = {0};
    char answer[512];
    open_test(&test, 2000);
    int fits = 1;
    for (int rank = 0; rank < 2000; rank++)
        fits = fits && put_many(&test, rank, 20, &fault, answer, sizeof answer) == 20;
    CHECK(fits);
    int kept = put_many(&test, 7, 1 << 20, &fault, answer, sizeof answer);
    CHECK(kept > 800 && kept < 1024);
    CHECK_TEXT("rank 7 puts more than 1024 KiB by PMI, the limit of a rank", fault.text);
    CHECK_TEXT("cmd=put_result rc=-1 msg=rank_7_puts_more_than_1024_KiB_by_PMI,_the_limit_of_a_rank\n", answer);
    /* It may still put what replaces something, and the others what they like. */
    ask(&test, 7, "cmd=put kvsname=job_1 key=k7-0 value=short\n", "cmd=put_result rc=0 msg=success\n");
    ask(&test, 8, "cmd=put kvsname=job_1 key=more value=x\n", "cmd=put_result rc=0 msg=success\n");
    /* Together they may not put any amount either. */
    kept = 0;
    fault = (cor_fault){0};
    for (int rank = 100; rank < 500 && !fault.code; rank++)
        kept += put_many(&test, rank, 900, &fault, answer, sizeof answer);
    CHECK(kept > 150000 && kept < 256 << 10);
    CHECK(strstr(fault.text, "the ranks of this job put more than 256 MiB by PMI, which is the limit; rank ") ==
          fault.text);
    cor_pmi_server_destroy(test.server);
    /* One that begins again and again is bounded as well. */
    int code = COR_OK, rounds = 0;
    open_test(&test, 1);
    for (; code == COR_OK && rounds < 100000; rounds++) {
        size_t length;
        code = say(&test, 0, "cmd=init pmi_version=1 pmi_subversion=1\n");
        cor_pmi_server_pending(test.server, 0, &length);
        cor_pmi_server_sent(test.server, 0, length);
    }
    CHECK(code == COR_ERR_MEMORY && rounds > 1000);
    cor_pmi_server_destroy(test.server);
}

/* Random traffic of three ranks: whatever it says, the server answers or refuses, and stays whole. */
static void test_random(void)
{
    static const char *const words[] = {"cmd=",     "init",       "get",           "put",      " ",
                                        "\n",       "key=a",      "kvsname=job_1", " value=",  "barrier_in",
                                        "finalize", "mcmd=spawn", "endcmd",        "abort",    "pmi_version=1",
                                        "=",        "\001",       "get_maxes\n",   "cmd=get\n"};
    uint32_t state = 99;
    int refused = 0, answered = 0;
    for (int job = 0; job < 300; job++) {
        server_test test;
        open_test(&test, 3);
        for (int step = 0; step < 300; step++) {
            state = state * 1664525u + 1013904223u;
            int rank = (int)((state >> 8) % 3);
            size_t length;
            refused += say(&test, rank, words[(state >> 16) % (sizeof words / sizeof words[0])]) != COR_OK;
            answered += cor_pmi_server_pending(test.server, rank, &length) != NULL;
            cor_pmi_server_sent(test.server, rank, length / 2);
        }
        cor_pmi_server_destroy(test.server);
    }
    CHECK(refused > 100 && answered > 100);
}

/* ---- several servers -------------------------------------------------------------------------------------------- */

/* A root with rank 0 and a server below it with ranks 1 and 2. */
typedef struct share_test {
    server_test root, leaf;
    char updates[4096]; /* what the leaf has told last */
    int fences;
} share_test;

static void on_root_fence(void *context, const char *updates, size_t length)
{
    share_test *test = context;
    cor_fault fault = {0};
    CHECK_OK(cor_pmi_server_release(test->leaf.server, updates, length, &fault));
    CHECK_OK(cor_pmi_server_release(test->root.server, NULL, 0, &fault));
}

static void on_leaf_fence(void *context, const char *updates, size_t length)
{
    share_test *test = context;
    snprintf(test->updates, sizeof test->updates, "%.*s", (int)length, updates ? updates : "");
    test->fences++;
}

static void test_share(void)
{
    share_test test = {0};
    cor_fault fault = {0};
    CHECK_OK(cor_pmi_server_create(3, "job", on_abort, &test, &test.root.server, &fault));
    CHECK_OK(cor_pmi_server_create(3, "job", on_abort, &test, &test.leaf.server, &fault));
    cor_pmi_server_share(test.root.server, 2, on_root_fence);
    cor_pmi_server_share(test.leaf.server, 2, on_leaf_fence);
    for (int round = 0; round < 3; round++) {
        char question[128], answer[128];
        for (int rank = 0; rank < 3; rank++) {
            snprintf(question, sizeof question, "cmd=put kvsname=job_1 key=k%d-%d value=v%d\n", round, rank, rank);
            ask(rank == 0 ? &test.root : &test.leaf, rank, question, "cmd=put_result rc=0 msg=success\n");
        }
        ask(&test.root, 0, "cmd=barrier_in\n", "");
        ask(&test.leaf, 1, "cmd=barrier_in\n", "");
        CHECK(test.fences == round);
        ask(&test.leaf, 2, "cmd=barrier_in\n", "");
        CHECK(test.fences == round + 1);
        snprintf(answer, sizeof answer, "kvsname=job_1 key=k%d-1 value=v1\nkvsname=job_1 key=k%d-2 value=v2\n", round,
                 round);
        CHECK_TEXT(answer, test.updates);
        CHECK_OK(cor_pmi_server_arrive(test.root.server, test.updates, strlen(test.updates), &fault));
        for (int rank = 0; rank < 3; rank++) {
            char out[256];
            server_test *server = rank == 0 ? &test.root : &test.leaf;
            CHECK_TEXT("cmd=barrier_out rc=0 msg=success\n", hear(server, rank, out, sizeof out));
            for (int other = 0; other < 3; other++) {
                snprintf(question, sizeof question, "cmd=get kvsname=job_1 key=k%d-%d\n", round, other);
                snprintf(answer, sizeof answer, "cmd=get_result rc=0 msg=success value=v%d\n", other);
                ask(server, rank, question, answer);
            }
        }
    }
    /* Nonsense from another server is refused, and a rank that will never come is found where it belongs. */
    static const char *const wrong[] = {"no newline", "key=a value=b\n", "kvsname=a value=b\n", "\001\n", "=x\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(cor_pmi_server_arrive(test.root.server, wrong[i], strlen(wrong[i]), &fault) != COR_OK);
    ask(&test.leaf, 1, "cmd=barrier_in\n", "");
    CHECK(cor_pmi_server_missing(test.leaf.server) == -1);
    cor_pmi_server_rank_ended(test.leaf.server, 2);
    CHECK(cor_pmi_server_missing(test.leaf.server) == 2);
    cor_pmi_server_destroy(test.root.server);
    cor_pmi_server_destroy(test.leaf.server);
}

/* The values of all ranks are in the table once all ranks have put theirs, and are written there once. */
static void test_gather(void)
{
    server_test test;
    char bytes[8] = "";
    open_test(&test, 2);
    ask(&test, 0, "cmd=gather kvsname=job_1 key=k\n", "cmd=gather_result rc=0 offset=0 bytes=0\n");
    int fd = cor_pmi_server_open_table(test.server);
    CHECK(fd >= 0);
    ask(&test, 0, "cmd=put kvsname=job_1 key=k0 value=ab\n", "cmd=put_result rc=0 msg=success\n");
    ask(&test, 0, "cmd=gather kvsname=job_1 key=k\n", "cmd=gather_result rc=0 offset=0 bytes=0\n");
    ask(&test, 1, "cmd=put kvsname=job_1 key=k1 value=c\n", "cmd=put_result rc=0 msg=success\n");
    for (int i = 0; i < 4; i++)
        ask(&test, i % 2, "cmd=gather kvsname=job_1 key=k\n", "cmd=gather_result rc=0 offset=0 bytes=5\n");
    CHECK_EQUAL(5, pread(fd, bytes, sizeof bytes, 0));
    CHECK_EQUAL(0, memcmp(bytes, "ab\0c", 5));
    ask(&test, 0, "cmd=gather kvsname=job_2 key=k\n", "cmd=gather_result rc=0 offset=0 bytes=0\n");
    ask(&test, 0, "cmd=gather\n", "cmd=gather_result rc=0 offset=0 bytes=0\n");
    cor_pmi_server_destroy(test.server);
}

int main(void)
{
    test_talk();
    test_gather();
    test_promise();
    test_trouble();
    test_many();
    test_limits();
    test_random();
    test_share();
    return 0;
}
