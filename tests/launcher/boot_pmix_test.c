/* SPDX-License-Identifier: Apache-2.0 */
/* The PMIx client against a library and a server that answer late, oddly or not at all: fake_pmix.c plays them. */
#include "base/clock.h"
#include "check.h"
#include "fake_pmix.h"
#include "pmi/boot_watch.h"
#include "pmi/pmix_abi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static cor_boot *open_boot(int timeout_s)
{
    const cor_boot_config config = {.way = COR_BOOT_PMIX, .timeout_s = timeout_s};
    const cor_log quiet = {.level = COR_LOG_WARN, .rank = -1};
    cor_fault fault = {0};
    cor_boot *boot = NULL;
    int code = cor_boot_open(&config, &quiet, &boot, &fault);
    if (code != COR_OK)
        CHECK_FAIL("%s", fault.text);
    return boot;
}

static int64_t since_ms(uint64_t began_ns)
{
    return (int64_t)((cor_clock_ns() - began_ns) / 1000000);
}

static void test_exchange(fake_play_fn play)
{
    cor_boot *boot = open_boot(600);
    const char *const *values = NULL;
    cor_fault fault = {0};
    play(FAKE_FENCE_OPENS, FAKE_ABORT_IS_HEARD, NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(boot->ops->exchange(boot, "card", "mine", &values, &fault) == COR_OK);
        CHECK_TEXT("mine", values[0]);
        CHECK_TEXT("mine", values[1]);
    }
    boot->ops->close(boot);
}

typedef struct meanwhile {
    fake_play_fn play;
    int calls;
    int ends_fence;
} meanwhile;

/* The fence opens after some calls. */
static int count_call(void *subject, cor_fault *fault)
{
    meanwhile *self = subject;
    if (++self->calls == 3)
        self->play(FAKE_FENCE_OPENS, FAKE_ABORT_IS_HEARD, NULL);
    return self->ends_fence ? cor_fault_set(fault, COR_ERR_PEER, "the test ends the fence") : COR_OK;
}

/* A rank that waits in a fence makes progress for others. */
static void test_meanwhile(fake_play_fn play)
{
    cor_boot *boot = open_boot(600);
    cor_fault fault = {0};
    meanwhile self = {.play = play};
    play(FAKE_FENCE_IS_LATE, FAKE_ABORT_IS_HEARD, NULL);
    CHECK(boot->ops->fence(boot, "come", &fault) == COR_OK);
    boot->meanwhile = count_call;
    boot->subject = &self;
    play(FAKE_FENCE_WAITS, FAKE_ABORT_IS_HEARD, NULL);
    CHECK(boot->ops->fence(boot, "come", &fault) == COR_OK);
    CHECK(self.calls >= 3);
    self.ends_fence = 1;
    play(FAKE_FENCE_STAYS, FAKE_ABORT_IS_HEARD, NULL);
    CHECK_EQUAL(COR_ERR_PEER, boot->ops->fence(boot, "come", &fault));
    CHECK_TEXT("the test ends the fence", fault.text);
    boot->ops->close(boot);
}

/* The server ends: a fence does, and a rank that waits elsewhere can ask. That of another rank is none of our business.
 * `status` is how the library's version says so. */
static void test_orphan(fake_play_fn play, fake_lose_server_fn lose_server, int status)
{
    cor_boot *boot = open_boot(600);
    cor_fault fault = {0};
    CHECK(!boot->ops->is_orphaned(boot));
    CHECK(lose_server("fake", status));
    CHECK(!boot->ops->is_orphaned(boot));
    CHECK(lose_server("the daemons", status));
    CHECK(boot->ops->is_orphaned(boot));
    play(FAKE_FENCE_STAYS, FAKE_ABORT_IS_HEARD, NULL);
    CHECK_EQUAL(COR_ERR_BOOT, boot->ops->fence(boot, "come", &fault));
    CHECK_TEXT("rank 0: the launcher's process on this host has ended before all ranks had come", fault.text);
    boot->ops->close(boot);
}

/* The library may live on after a boot has ended, for another part of the program, and has nothing to tell it any
 * more. */
static void test_late_event(fake_lose_server_fn lose_server)
{
    cor_boot *boot = open_boot(600);
    cor_fault fault = {0};
    CHECK_OK(boot->ops->finalize(boot, &fault));
    CHECK_EQUAL(0, lose_server("the daemons", PMIX_ABI_LOST_CONNECTION));
    CHECK_EQUAL(0, boot->ops->is_orphaned(boot));
    boot->ops->close(boot);
    CHECK_EQUAL(0, lose_server("the daemons", PMIX_ABI_LOST_CONNECTION));
}

static void test_fence(fake_play_fn play)
{
    cor_boot *boot = open_boot(1);
    cor_fault fault = {0};
    uint64_t began_ns = cor_clock_ns();
    play(FAKE_FENCE_STAYS, FAKE_ABORT_IS_HEARD, NULL);
    CHECK(boot->ops->fence(boot, "come", &fault) == COR_ERR_BOOT);
    CHECK(strstr(fault.text, "rank 0: not all ranks have come within 1 s (setting pmi.timeout)") != NULL);
    CHECK(since_ms(began_ns) < check_patience_ms(10000));
    play(FAKE_FENCE_IS_PARTIAL, FAKE_ABORT_IS_HEARD, NULL);
    CHECK(boot->ops->fence(boot, "come", &fault) == COR_ERR_PEER);
    CHECK(strstr(fault.text, "another rank has ended before all ranks had come") != NULL);
    boot->ops->close(boot);
}

/* A process that publishes its id as a rank does, and waits for its end. */
static pid_t start_peer(char text[BOOT_TEXT_MAX + 1])
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        boot_watch watch = {0};
        memset(text, 0, BOOT_TEXT_MAX + 1);
        cor_boot_watch_encode(&watch, "theirs", text);
        if (write(ends[1], text, BOOT_TEXT_MAX + 1) > 0)
            for (;;)
                pause();
        _exit(1);
    }
    CHECK(read(ends[0], text, BOOT_TEXT_MAX + 1) == BOOT_TEXT_MAX + 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

/* The other rank is a process of this host, and dies: is_reaped, with nothing left of it. */
static void test_death(fake_play_fn play, int is_reaped)
{
    char expected[128], theirs[BOOT_TEXT_MAX + 1] = "";
    cor_boot *boot = open_boot(600);
    const char *const *values = NULL;
    cor_fault fault = {0};
    pid_t peer = start_peer(theirs);
    play(FAKE_FENCE_OPENS, FAKE_ABORT_IS_HEARD, theirs);
    CHECK(boot->ops->exchange(boot, "card", "mine", &values, &fault) == COR_OK);
    CHECK_TEXT("theirs", values[1]);
    play(FAKE_FENCE_IS_LATE, FAKE_ABORT_IS_HEARD, theirs);
    CHECK(boot->ops->fence(boot, "come", &fault) == COR_OK);
    play(FAKE_FENCE_STAYS, FAKE_ABORT_IS_HEARD, theirs);
    kill(peer, SIGKILL);
    if (is_reaped)
        waitpid(peer, NULL, 0);
    uint64_t began_ns = cor_clock_ns();
    CHECK(boot->ops->fence(boot, "come", &fault) == COR_ERR_PEER);
    snprintf(expected, sizeof expected,
             "rank 1 is lost: its process %d on this host has ended before all ranks had come", (int)peer);
    CHECK_TEXT(expected, fault.text);
    CHECK(since_ms(began_ns) >= 1500 && since_ms(began_ns) < check_patience_ms(10000));
    play(FAKE_FENCE_IS_PARTIAL, FAKE_ABORT_IS_HEARD, theirs);
    CHECK(boot->ops->fence(boot, "come", &fault) == COR_ERR_PEER);
    CHECK_TEXT(expected, fault.text);
    /* A rank that has passed the last fence ends, and we may see that first. */
    play(FAKE_FENCE_IS_LATE, FAKE_ABORT_IS_HEARD, theirs);
    CHECK(boot->ops->fence(boot, "come", &fault) == COR_OK);
    if (!is_reaped)
        waitpid(peer, NULL, 0);
    boot->ops->close(boot);
}

/* Which way a rank goes with the variables of both. */
static const char *way_with(int pmi_fd)
{
    const cor_boot_config config = {.timeout_s = 600};
    const cor_log quiet = {.level = COR_LOG_WARN, .rank = -1};
    char number[16];
    cor_fault fault = {0};
    cor_boot *boot = NULL;
    snprintf(number, sizeof number, "%d", pmi_fd);
    setenv("PMI_FD", number, 1);
    setenv("PMI_RANK", "1", 1);
    setenv("PMI_SIZE", "3", 1);
    if (cor_boot_open(&config, &quiet, &boot, &fault) != COR_OK)
        CHECK_FAIL("%s", fault.text);
    const char *name = boot->ops->name;
    boot->ops->close(boot);
    return name;
}

/* PMIx's launcher, below one with PMI-1: of that there are the variables, and at its descriptor nothing, a file, or a
 * socket that is not the launcher's. */
static void test_nearer_pmix(void)
{
    int ends[2], null = open("/dev/null", O_RDONLY);
    CHECK_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    CHECK_TEXT("pmix", way_with(1000));
    CHECK_TEXT("pmix", way_with(null));
    CHECK_TEXT("pmix", way_with(ends[0]));
    CHECK_EQUAL(0, cor_boot_expected_size());
    setenv("OMPI_COMM_WORLD_SIZE", "7", 1);
    CHECK_EQUAL(7, cor_boot_expected_size());
    unsetenv("OMPI_COMM_WORLD_SIZE");
    close(ends[0]);
    close(ends[1]);
    close(null);
}

/* The other way round: the process that has made the socket is above. */
static void test_nearer_pmi1(void)
{
    static const char words[] = "cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes keylen_max=64 vallen_max=1024\n"
                                "cmd=my_kvsname kvsname=space\ncmd=universe_size size=5\ncmd=appnum appnum=1\n";
    int ends[2], status;
    CHECK_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    CHECK(write(ends[1], words, sizeof words - 1) == (ssize_t)(sizeof words - 1));
    pid_t pid = fork();
    if (pid == 0) {
        CHECK_TEXT("pmi1", way_with(ends[0]));
        CHECK_EQUAL(3, cor_boot_expected_size());
        _exit(0);
    }
    CHECK_EQUAL(pid, waitpid(pid, &status, 0));
    CHECK_EQUAL(0, status);
    close(ends[0]);
    close(ends[1]);
}

/* A rank does not hang if the server does not end it. */
static void test_abort(fake_play_fn play, fake_abort how, int least_ms)
{
    cor_boot *boot = open_boot(600);
    play(FAKE_FENCE_OPENS, how, NULL);
    uint64_t began_ns = cor_clock_ns();
    boot->ops->abort(boot, 3, "the test was told to");
    int64_t took_ms = since_ms(began_ns);
    CHECK(took_ms >= least_ms && took_ms <= check_patience_ms(10000));
    play(FAKE_FENCE_OPENS, FAKE_ABORT_IS_HEARD, NULL);
    boot->ops->close(boot);
}

int main(void)
{
    fake_play_fn play;
    fake_lose_server_fn lose_server;
    alarm(600);
    setenv("PMIX_NAMESPACE", "fake", 1);
    setenv("PMIX_RANK", "0", 1);
    setenv("PMIX_SERVER_URI", "nowhere", 1);
    void *library = dlopen("libpmix.so.2", RTLD_NOW), *function = library ? dlsym(library, "fake_play") : NULL;
    if (!function) {
        fprintf(stderr, "LD_LIBRARY_PATH does not lead to the fake library: %s\n", dlerror());
        return 1;
    }
    memcpy(&play, &function, sizeof function);
    function = dlsym(library, "fake_lose_server");
    memcpy(&lose_server, &function, sizeof function);
    test_orphan(play, lose_server, PMIX_ABI_LOST_CONNECTION);
    test_orphan(play, lose_server, PMIX_ABI_LOST_SERVER);
    test_late_event(lose_server);
    test_nearer_pmix();
    test_nearer_pmi1();
    unsetenv("PMI_FD");
    test_exchange(play);
    test_meanwhile(play);
    test_fence(play);
    test_death(play, 0);
    test_death(play, 1);
    test_abort(play, FAKE_ABORT_IS_REFUSED, 0);
    test_abort(play, FAKE_ABORT_IS_HEARD, 1000);
    test_abort(play, FAKE_ABORT_HANGS, 1000);
    return 0;
}
