/* The PMI-1 client against launchers that answer oddly or not at all: their words are laid into the socket before. */
#include "launcher_check.h"
#include "pmi/boot.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define GREETING                                                                                                      \
    "pmi_subversion=1 rc=0 cmd=response_to_init pmi_version=1\n"                                                      \
    "vallen_max=1024 cmd=maxes kvsname_max=64 keylen_max=64\n"                                                        \
    "kvsname=space cmd=my_kvsname\n"

typedef struct odd_launcher {
    const char *words;
    const char *complaint; /* what the fault must say, or NULL when all is well */
} odd_launcher;

/* Boot against these words, then exchange and finalize; the first fault. */
static int talk(check_log *log, const char *words, size_t length, int size, char *heard, size_t room, cor_fault *fault)
{
    int ends[2];
    char number[16];
    CHECK(log, socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(log, write(ends[1], words, length) == (ssize_t)length);
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
    const cor_boot_config config = {.timeout_s = 20};
    int code = cor_boot_open(&config, &quiet, &boot, fault);
    CHECK(log, (code == COR_OK) == (boot != NULL));
    if (code == COR_OK) {
        CHECK(log, (fcntl(ends[0], F_GETFD) & FD_CLOEXEC) != 0);
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

static const odd_launcher odd_launchers[] = {
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\nvalue=a cmd=get_result rc=0\nmsg=success rc=0 value=b=c "
              "cmd=get_result\ncmd=finalize_ack\n",
     NULL},
    {"", "hung up instead of answering with response_to_init"},
    {"cmd=response_to_init rc=0 pmi_version=1", "hung up"},
    {"HTTP/1.1 400 Bad Request\n", "answered cmd= where response_to_init was due"},
    {"\001\002\003\n", "does not speak PMI-1"},
    {"cmd=response_to_init rc=0 pmi_version=2 pmi_subversion=0\n", "speaks PMI version 2"},
    {"cmd=response_to_init rc=-1 msg=go_away\n", "rc=-1: go_away"},
    {"cmd=response_to_init rc=zero pmi_version=1\n", "rc=zero"},
    {"cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes\n", "how long keys and values may be"},
    {"cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes keylen_max=9 vallen_max=9\ncmd=my_kvsname\n",
     "no usable key-value space"},
    {"cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes keylen_max=3 vallen_max=9\ncmd=my_kvsname kvsname=s\n",
     "takes keys up to 3"},
    {GREETING "cmd=put_result rc=-1 msg=duplicate_key\n", "duplicate_key"},
    {GREETING "cmd=put_result rc=0\n", "hung up instead of answering with barrier_out"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result rc=0\n", "no usable value of card of rank 0"},
    {GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result rc=-1 msg=key_not_found value=unknown\n",
     "key_not_found"},
};

static void test_overlong(check_log *log)
{
    size_t length = 100000;
    char *words = malloc(length), heard[64];
    cor_fault fault = {0};
    memset(words, 'x', length);
    CHECK(log, talk(log, words, length, 2, heard, sizeof heard, &fault) == COR_ERR_BOOT);
    CHECK(log, strstr(fault.text, "a PMI line is longer than") != NULL);
    /* A value longer than an exchange may carry. */
    static const char before[] = GREETING "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result rc=0 value=";
    memcpy(words, before, sizeof before - 1);
    memset(words + sizeof before - 1, 'v', 300);
    words[sizeof before - 1 + 300] = '\n';
    CHECK(log, talk(log, words, sizeof before + 300, 2, heard, sizeof heard, &fault) == COR_ERR_BOOT);
    CHECK(log, strstr(fault.text, "no usable value") != NULL);
    free(words);
}

int main(void)
{
    check_log log = {0};
    alarm(30);
    for (size_t i = 0; i < sizeof odd_launchers / sizeof odd_launchers[0]; i++) {
        const odd_launcher *odd = &odd_launchers[i];
        char heard[256];
        cor_fault fault = {0};
        int code = talk(&log, odd->words, strlen(odd->words), 2, heard, sizeof heard, &fault);
        if (odd->complaint && !strstr(fault.text, odd->complaint))
            fprintf(stderr, "launcher %zu: \"%s\" lacks \"%s\"\n", i, fault.text, odd->complaint);
        CHECK(&log, code == (odd->complaint ? COR_ERR_BOOT : COR_OK));
        CHECK(&log, !odd->complaint || strstr(fault.text, odd->complaint) != NULL);
        if (!odd->complaint)
            CHECK_TEXT(&log, heard, "a,b=c,");
    }
    test_overlong(&log);
    return check_verdict(&log);
}
