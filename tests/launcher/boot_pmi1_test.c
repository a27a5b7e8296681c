/* SPDX-License-Identifier: Apache-2.0 */
/* The PMI-1 client against launchers that answer oddly or not at all: their words are laid into the socket before. */
#include "base/patience.h"
#include "check.h"
#include "pmi/boot.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define GREETING_BEFORE                                                                                               \
    "pmi_subversion=1 rc=0 cmd=response_to_init pmi_version=1\n"                                                      \
    "vallen_max=1024 cmd=maxes kvsname_max=64 keylen_max=64\n"                                                        \
    "kvsname=space cmd=my_kvsname\n"
/* Our client asks for the numbers of slots and of the program, which a launcher need not know. */
#define GREETING GREETING_BEFORE "cmd=universe_size size=5\ncmd=appnum appnum=1\n"
#define GREETING_IGNORANT GREETING_BEFORE "cmd=universe_size rc=-1 msg=unknown\ncmd=appnum rc=-1 msg=unknown\n"

typedef struct odd_launcher {
    const char *words;
    const char *text; /* what the fault must say, or what the ranks have told */
} odd_launcher;

/* Boot against these words, then exchange and finalize; the first fault. */
static int conn(const char *words, size_t length, int size, char *heard, size_t room, cor_fault *fault)
{
    int ends[2];
    char number[16];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(write(ends[1], words, length) == (ssize_t)length);
    shutdown(ends[1], SHUT_WR);
    snprintf(number, sizeof number, "%d", ends[0]);
    setenv("PMI_FD", number, 1);
    setenv("PMI_RANK", "0", 1);
    snprintf(number, sizeof number, "%d", size);
    setenv("PMI_SIZE", number, 1);
    const cor_log quiet = {.level = COR_LOG_WARN, .rank = -1};
    const char *const *values = NULL;
    cor_boot *boot = NULL;
    heard[0] = '\0';
    const cor_boot_config config = {.timeout_s = 600};
    int code = cor_boot_open(&config, &quiet, &boot, fault);
    CHECK((code == COR_OK) == (boot != NULL));
    if (code == COR_OK) {
        CHECK((fcntl(ends[0], F_GETFD) & FD_CLOEXEC) != 0);
        code = boot->ops->exchange(boot, "card", "mine", &values, fault);
        for (int rank = 0; code == COR_OK && rank < size; rank++)
            snprintf(heard + strlen(heard), room - strlen(heard), "%s,", values[rank]);
        if (code == COR_OK)
            code = boot->ops->finalize(boot, fault);
        boot->ops->close(boot);
    }
    close(ends[0]);
    close(ends[1]);
    return code;
}

/* With these all goes well; a value may come in pieces. */
static const odd_launcher fine_launchers[] = {
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\nvalue=1:a cmd=get_result rc=0\nmsg=success rc=0 value=1:b=c "
              "cmd=get_result\ncmd=finalize_ack\n",
     "a,b=c,"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result value=3:a\ncmd=get_result value=b=\n"
              "cmd=get_result value=c\ncmd=get_result value=1:d\ncmd=finalize_ack\n",
     "ab=c,d,"},
    {GREETING_IGNORANT "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result value=1:a\ncmd=get_result value=1:d\n"
                       "cmd=finalize_ack\n",
     "a,d,"},
};

static const odd_launcher odd_launchers[] = {
    {"", "closed the connection instead of answering with response_to_init"},
    {"cmd=response_to_init rc=0 pmi_version=1", "closed the connection"},
    {"HTTP/1.1 400 Bad Request\n", "answered cmd= instead of response_to_init"},
    {"\001\002\003\n", "sent invalid PMI-1"},
    {"cmd=response_to_init rc=0 pmi_version=2 pmi_subversion=0\n", "uses PMI version 2"},
    {"cmd=response_to_init rc=-1 msg=go_away\n", "rc=-1: go_away"},
    {"cmd=response_to_init rc=zero pmi_version=1\n", "rc=zero"},
    {"cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes\n", "maximum lengths of keys and values"},
    {"cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes keylen_max=9 vallen_max=9\ncmd=my_kvsname\n",
     "no valid key-value space"},
    {"cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes keylen_max=3 vallen_max=9\ncmd=my_kvsname kvsname=s\n",
     "allows keys of 3"},
    {"cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes keylen_max=64 vallen_max=6\ncmd=my_kvsname kvsname=s\n",
     "values of 6 characters"},
    /* Pieces: one missing, none or nonsense for their number, and too many. */
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result value=2:a\ncmd=get_result rc=-1 msg=lost\n",
     "lost"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result value=a\n", "no valid card of rank 0"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result value=:a\n", "no valid card of rank 0"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result value=0:a\n", "no valid card of rank 0"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result value=99999:a\n", "no valid card of rank 0"},
    {GREETING "cmd=put_result rc=-1 msg=duplicate_key\n", "duplicate_key"},
    {GREETING "cmd=put_result rc=0\n", "closed the connection instead of answering with barrier_out"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result rc=0\n", "no valid card of rank 0"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result rc=-1 msg=key_not_found value=unknown\n",
     "key_not_found"},
};

static void test_overlong(void)
{
    size_t length = 100000;
    char *words = malloc(length), heard[64];
    cor_fault fault = {0};
    memset(words, 'x', length);
    CHECK(conn(words, length, 2, heard, sizeof heard, &fault) == COR_ERR_BOOT);
    CHECK(strstr(fault.text, "a PMI line is longer than") != NULL);
    /* A value longer than an exchange may carry. */
    static const char before[] = GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result rc=0 value=";
    memcpy(words, before, sizeof before - 1);
    memset(words + sizeof before - 1, '1', 1);
    memset(words + sizeof before, ':', 1);
    memset(words + sizeof before + 1, 'v', COR_BOOT_VALUE_MAX + 1);
    words[sizeof before + COR_BOOT_VALUE_MAX + 2] = '\n';
    CHECK(conn(words, sizeof before + COR_BOOT_VALUE_MAX + 3, 2, heard, sizeof heard, &fault) == COR_ERR_BOOT);
    CHECK(strstr(fault.text, "no valid card") != NULL);
    free(words);
}

/* A launcher that says nothing at all is not waited for longer than the setting allows. */
static void test_silence(void)
{
    int ends[2];
    char number[16];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    snprintf(number, sizeof number, "%d", ends[0]);
    setenv("PMI_FD", number, 1);
    const cor_log quiet = {.level = COR_LOG_WARN, .rank = -1};
    const cor_boot_config config = {.timeout_s = 1};
    cor_boot *boot = NULL;
    cor_fault fault = {0};
    CHECK(cor_boot_open(&config, &quiet, &boot, &fault) == COR_ERR_BOOT);
    CHECK(strstr(fault.text, "not answered with response_to_init within 1 s (setting pmi.timeout)") != NULL);
    close(ends[0]);
    close(ends[1]);
}

/* Of a long pause between two looks one step counts. */
static void test_patience(void)
{
    const uint64_t ms = 1000000;
    cor_patience waited = cor_patience_begin(1000 * ms);
    CHECK_EQUAL(200 * ms, cor_patience_passed_ns(&waited, 1200 * ms));
    CHECK_EQUAL(200 * ms, cor_patience_passed_ns(&waited, 1200 * ms));
    CHECK_EQUAL((200 + COR_PATIENCE_STEP_MS) * ms, cor_patience_passed_ns(&waited, 3600 * 1000 * ms));
    CHECK_EQUAL((300 + COR_PATIENCE_STEP_MS) * ms, cor_patience_passed_ns(&waited, (3600 * 1000 + 100) * ms));
}

/* A rank of a job that has got these words so far, and waits for the next. */
static pid_t stopped_start(const char *words, int timeout_s, int *end_p)
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(write(ends[1], words, strlen(words)) == (ssize_t)strlen(words));
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        const cor_log quiet = {.level = COR_LOG_WARN, .rank = -1};
        const cor_boot_config config = {.timeout_s = timeout_s};
        char number[16];
        cor_boot *boot = NULL;
        cor_fault fault = {0};
        snprintf(number, sizeof number, "%d", ends[0]);
        setenv("PMI_FD", number, 1);
        CHECK_OK(cor_boot_open(&config, &quiet, &boot, &fault));
        if (boot->ops->fence(boot, "come", &fault) != COR_OK)
            CHECK_FAIL("%s", fault.text);
        _exit(0);
    }
    close(ends[0]);
    *end_p = ends[1];
    return pid;
}

/* Two ranks are stopped for longer than they may wait, one in its first request and one in a fence, and go on. */
static void test_stopped(void)
{
    static const char *const words[2][2] = {{"", GREETING "cmd=barrier_out\n"}, {GREETING, "cmd=barrier_out\n"}};
    int ends[2], status, timeout_s = 2 + check_patience_ms(1000) / 1000;
    pid_t ranks[2];
    for (int i = 0; i < 2; i++) {
        ranks[i] = stopped_start(words[i][0], timeout_s, &ends[i]);
        check_asleep(ranks[i]);
        CHECK_EQUAL(0, kill(ranks[i], SIGSTOP));
    }
    sleep((unsigned)timeout_s + 1);
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(0, kill(ranks[i], SIGCONT));
    for (int i = 0; i < 2; i++) {
        check_asleep(ranks[i]);
        CHECK(write(ends[i], words[i][1], strlen(words[i][1])) == (ssize_t)strlen(words[i][1]));
        CHECK_EQUAL(ranks[i], waitpid(ranks[i], &status, 0));
        CHECK_EQUAL(0, status);
        close(ends[i]);
    }
}

/* Hydra lists the ranks that have died; other launchers are not asked. */
static void test_deaths(int is_hydra)
{
    static const char words[] = GREETING "cmd=get_result rc=-1 msg=key_PMI_dead_processes_not_found value=unknown\n"
                                         "cmd=get_result rc=0 msg=success value=0,4-6\n"
                                         "cmd=get_result rc=0 msg=success value=0,4-6\n"
                                         "cmd=get_result rc=0 msg=success value=0,4-6,,x\n";
    int ends[2];
    char number[16];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(write(ends[1], words, sizeof words - 1) == (ssize_t)(sizeof words - 1));
    snprintf(number, sizeof number, "%d", ends[0]);
    setenv("PMI_FD", number, 1);
    setenv("PMI_SIZE", "8", 1);
    if (is_hydra)
        setenv("HYDI_CONTROL_FD", "1", 1);
    const cor_log quiet = {.level = COR_LOG_WARN, .rank = -1};
    const cor_boot_config config = {.timeout_s = 600};
    cor_boot *boot = NULL;
    cor_fault fault = {0};
    CHECK(cor_boot_open(&config, &quiet, &boot, &fault) == COR_OK);
    CHECK_EQUAL(5, boot->universe);
    CHECK_EQUAL(1, boot->appnum);
    CHECK(!boot->ops->has_ended(boot, 5));
    CHECK(boot->ops->has_ended(boot, 5) == is_hydra);
    CHECK(!boot->ops->has_ended(boot, 3));
    CHECK(!boot->ops->has_ended(boot, 7));
    boot->ops->close(boot);
    unsetenv("HYDI_CONTROL_FD");
    close(ends[0]);
    close(ends[1]);
}

static void test_launcher(const odd_launcher *odd, int is_fine)
{
    char heard[256];
    cor_fault fault = {0};
    int code = conn(odd->words, strlen(odd->words), 2, heard, sizeof heard, &fault);
    CHECK(code == (is_fine ? COR_OK : COR_ERR_BOOT));
    if (is_fine)
        CHECK_TEXT(odd->text, heard);
    else if (!strstr(fault.text, odd->text))
        fprintf(stderr, "\"%s\" lacks \"%s\"\n", fault.text, odd->text);
    CHECK(is_fine || strstr(fault.text, odd->text) != NULL);
}

int main(void)
{
    alarm(600);
    for (size_t i = 0; i < sizeof fine_launchers / sizeof fine_launchers[0]; i++)
        test_launcher(&fine_launchers[i], 1);
    for (size_t i = 0; i < sizeof odd_launchers / sizeof odd_launchers[0]; i++)
        test_launcher(&odd_launchers[i], 0);
    test_overlong();
    test_silence();
    test_patience();
    test_stopped();
    test_deaths(0);
    test_deaths(1);
    return 0;
}
