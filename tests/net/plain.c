/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose connections cannot be fast. It makes some with itself, compares every byte, and prints whether any
 * went through shared memory: "fast" or "plain". plain_test.sh runs it below the preloaded library.
 *
 *   sock_plain                 nothing is in the way
 *   sock_plain file            a file lies where the link of each connection should be
 *   sock_plain file OWN        the same, and the program has its file OWN as descriptor 2 by then
 *   sock_plain garbage         a link to a segment that is no segment
 *   sock_plain other           the same, of another user; needs root
 *   sock_plain descriptors     no descriptor is left when it connects
 *   sock_plain prctl           it forbids itself what fast sockets need, by prctl, after a connection was fast
 *   sock_plain seccomp         the same by seccomp
 *   sock_plain unseen          the same, by system calls that no library sees, from its begin
 *   sock_plain uring           it uses io_uring, also on a connection that was fast; 77: the kernel forbids that
 */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"
#include "net/net_name.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PLAIN_CONNECTIONS = 3, PLAIN_BYTES = 20000, PLAIN_SKIPPED = 77, PLAIN_NOBODY = 65534 };

/* Every byte, both ways. */
static void plain_exchange(int client, int server)
{
    static unsigned char sent[PLAIN_BYTES], got[PLAIN_BYTES];
    for (int round = 0; round < 6; round++) {
        for (size_t i = 0; i < sizeof sent; i++)
            sent[i] = calls_byte(i, (unsigned)round);
        calls_write_all(round % 2 ? client : server, sent, sizeof sent);
        calls_read_all(round % 2 ? server : client, got, sizeof got);
        CHECK(memcmp(sent, got, sizeof sent) == 0);
    }
}

/* A connection from a port of our own choice. `plant`, unless NULL, puts something under its name first. */
static void plain_connect(int fds[2], void (*plant)(const char *path))
{
    struct sockaddr_in to, from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof from;
    cor_net_name name;
    char path[COR_NET_PATH_MAX];
    int listener = calls_listen(&to);
    fds[0] = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_OK(bind(fds[0], (struct sockaddr *)&from, sizeof from));
    CHECK_OK(getsockname(fds[0], (struct sockaddr *)&from, &length));
    CHECK_OK(cor_net_name_set(&name, (struct sockaddr *)&from, (struct sockaddr *)&to));
    name.space = cor_net_name_space(fds[0]);
    name.pids = cor_net_name_pids();
    cor_net_name_path(&name, path);
    if (plant)
        plant(path);
    CHECK_OK(connect(fds[0], (struct sockaddr *)&to, sizeof to));
    fds[1] = accept(listener, NULL, NULL);
    CHECK(fds[1] >= 0);
    close(listener);
    calls_greet(fds[0], fds[1]); /* both look for what was planted */
    if (plant)
        unlink(path);
}

static void plain_plant_file(const char *path)
{
    close(open(path, O_RDWR | O_CREAT | O_EXCL, 0600));
}

static void plain_plant_garbage(const char *path)
{
    char target[64];
    int fd = memfd_create("strange", MFD_ALLOW_SEALING);
    CHECK_OK(ftruncate(fd, 3 << 12));
    CHECK_OK(fchmod(fd, 0600));
    CHECK_OK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
    snprintf(target, sizeof target, "/proc/%d/fd/%d", (int)getpid(), fd);
    CHECK_OK(symlink(target, path));
}

static void plain_plant_other(const char *path)
{
    plain_plant_garbage(path);
    CHECK_OK(lchown(path, PLAIN_NOBODY, PLAIN_NOBODY));
}

/* What a mode puts in the way; NULL: nothing. */
static void (*plain_plant(const char *mode))(const char *path)
{
    if (strcmp(mode, "file") == 0)
        return plain_plant_file;
    if (strcmp(mode, "garbage") == 0)
        return plain_plant_garbage;
    return strcmp(mode, "other") == 0 ? plain_plant_other : NULL;
}

static void plain_connections(void (*plant)(const char *path))
{
    for (int i = 0; i < PLAIN_CONNECTIONS; i++) {
        int fds[2];
        plain_connect(fds, plant);
        plain_exchange(fds[0], fds[1]);
        close(fds[0]);
        close(fds[1]);
    }
}

/* The other side answers with the same bytes. */
static void plain_ask(int fd)
{
    plain_exchange(fd, fd);
}

/* A connection with another process, which was fast if the library is there. */
static int plain_begin(const char *library, pid_t *server_p)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    *server_p = calls_echo(listener);
    int fd = calls_connect(&address);
    close(listener);
    plain_ask(fd);
    CHECK_EQUAL(library != NULL, calls_is_fast());
    printf("one was fast\n");
    fflush(stdout);
    return fd;
}

/* ---- no descriptor ----------------------------------------------------------------------------------------------- */

static void plain_descriptors(void)
{
    enum { LIMIT = 64 };
    struct rlimit limit = {LIMIT, LIMIT};
    struct sockaddr_in address;
    int listener = calls_listen(&address), fds[LIMIT], count = 0, more;
    CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
    for (int i = 0; i < PLAIN_CONNECTIONS; i++) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(client >= 0);
        while ((more = dup(listener)) >= 0)
            fds[count++] = more;
        CHECK_EQUAL(EMFILE, errno);
        CHECK_OK(connect(client, (struct sockaddr *)&address, sizeof address));
        close(fds[--count]);
        int server = accept(listener, NULL, NULL); /* takes the last one */
        CHECK(server >= 0);
        plain_exchange(client, server);
        close(client);
        close(server);
    }
}

/* ---- a filter ---------------------------------------------------------------------------------------------------- */

#define PLAIN_KILL(call)                                                                                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

/* This program does none of these by itself; fast sockets would. */
static void plain_filter(int by_seccomp)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        PLAIN_KILL(memfd_create),
        PLAIN_KILL(symlinkat),
        PLAIN_KILL(readlinkat),
        PLAIN_KILL(unlinkat),
        PLAIN_KILL(sendto),
        PLAIN_KILL(recvfrom),
        PLAIN_KILL(ppoll),
        PLAIN_KILL(munmap),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rows / sizeof *rows, rows};
    CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    if (by_seccomp)
        CHECK_OK((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
    else
        CHECK_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

/* The first connection was fast before the filter came, and goes on. */
static void plain_filtered(int by_seccomp, const char *library)
{
    pid_t server;
    int fd = plain_begin(library, &server);
    plain_filter(by_seccomp);
    plain_ask(fd);
    plain_connections(NULL);
    pid_t child = calls_fork();
    if (child == 0) {
        plain_connections(NULL);
        exit(0);
    }
    calls_wait(child);
    close(fd);
    calls_wait(server);
}

/* A filter that knows the system calls of the program and no others. */
static void plain_strict(const char *library)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        PLAIN_KILL(getsockname),
        PLAIN_KILL(getsockopt),
        PLAIN_KILL(getpid),
#ifdef SYS_epoll_wait
        PLAIN_KILL(epoll_pwait),
#endif
#ifdef SYS_poll
        PLAIN_KILL(ppoll),
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rows / sizeof *rows, rows};
    struct sockaddr_in address;
    struct epoll_event event = {.events = EPOLLIN};
    pid_t server;
    int before = plain_begin(library, &server), listener = calls_listen(&address), set = epoll_create1(0);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, before, &event));
    close(before);
    calls_wait(server);
    CHECK_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
    CHECK_OK(listen(listener, 20));
    int client = calls_connect(&address), accepted = accept(listener, NULL, NULL), copy = dup(client);
    CHECK_EQUAL(copy, dup2(accepted, copy));
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, copy, &event));
    plain_exchange(client, copy);
    calls_write_all(client, "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    struct pollfd one = {set, POLLIN, 0};
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    FILE *file = fdopen(open("/dev/null", O_RDONLY), "r");
    CHECK(file != NULL);
    fclose(file);
    close(set);
    close(client);
    close(accepted);
    close(copy);
    close(listener);
}

/* ---- io_uring ---------------------------------------------------------------------------------------------------- */

typedef struct plain_ring {
    int fd, is_unseen;
    struct io_uring_params params;
    char *submit, *complete;
    struct io_uring_sqe *entries;
} plain_ring;

static void *plain_map(int fd, size_t bytes, off_t where)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, where);
    CHECK(memory != MAP_FAILED);
    return memory;
}

/* As liburing makes its system calls where it is linked into the program. */
static long plain_unseen(long number, const long words[6])
{
#if defined __x86_64__
    register long a4 __asm__("r10") = words[3], a5 __asm__("r8") = words[4], a6 __asm__("r9") = words[5];
    long rc;
    __asm__ volatile("syscall"
                     : "=a"(rc)
                     : "a"(number), "D"(words[0]), "S"(words[1]), "d"(words[2]), "r"(a4), "r"(a5), "r"(a6)
                     : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long a1 __asm__("x0") = words[0], a2 __asm__("x1") = words[1], a3 __asm__("x2") = words[2],
                     a4 __asm__("x3") = words[3], a5 __asm__("x4") = words[4], a6 __asm__("x5") = words[5],
                     number_in __asm__("x8") = number;
    __asm__ volatile("svc 0" : "+r"(a1) : "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(number_in) : "memory");
    long rc = a1;
#else
    long rc = syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    rc = rc < 0 ? -errno : rc;
#endif
    if (rc >= 0)
        return rc;
    errno = (int)-rc;
    return -1;
}

static long plain_setup(plain_ring *ring)
{
    const long words[6] = {4, (long)&ring->params};
    return ring->is_unseen ? plain_unseen(SYS_io_uring_setup, words) : syscall(SYS_io_uring_setup, words[0], words[1]);
}

static long plain_enter(const plain_ring *ring)
{
    const long words[6] = {ring->fd, 1, 1, IORING_ENTER_GETEVENTS};
    return ring->is_unseen ? plain_unseen(SYS_io_uring_enter, words)
                           : syscall(SYS_io_uring_enter, words[0], words[1], words[2], words[3], NULL, 0);
}

/* 0: the kernel does not let us. */
static int plain_ring_open(plain_ring *ring, int is_unseen)
{
    memset(ring, 0, sizeof *ring);
    ring->is_unseen = is_unseen;
    ring->fd = (int)plain_setup(ring);
    if (ring->fd < 0)
        return 0;
    const struct io_uring_params *params = &ring->params;
    ring->submit =
        plain_map(ring->fd, params->sq_off.array + params->sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
    ring->complete = plain_map(ring->fd, params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe),
                               IORING_OFF_CQ_RING);
    ring->entries = plain_map(ring->fd, params->sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
    return 1;
}

static _Atomic uint32_t *plain_word(char *ring, uint32_t offset)
{
    return (_Atomic uint32_t *)(ring + offset);
}

/* One operation; its result, as the system call of that name has it. */
static int plain_ring_run(plain_ring *ring, int operation, int fd, void *bytes, size_t length)
{
    const struct io_sqring_offsets *sq = &ring->params.sq_off;
    const struct io_cqring_offsets *cq = &ring->params.cq_off;
    uint32_t tail = atomic_load(plain_word(ring->submit, sq->tail)), at = tail % ring->params.sq_entries;
    ring->entries[at] = (struct io_uring_sqe){
        .opcode = (uint8_t)operation, .fd = fd, .addr = (uint64_t)(uintptr_t)bytes, .len = (uint32_t)length};
    atomic_store(plain_word(ring->submit, sq->array) + at, at);
    /* The kernel sees the entry before the tail. */
    atomic_store(plain_word(ring->submit, sq->tail), tail + 1);
    CHECK_EQUAL(1, plain_enter(ring));
    uint32_t head = atomic_load(plain_word(ring->complete, cq->head));
    CHECK(head != atomic_load(plain_word(ring->complete, cq->tail)));
    const struct io_uring_cqe *result =
        (const struct io_uring_cqe *)(ring->complete + cq->cqes) + head % ring->params.cq_entries;
    int rc = result->res;
    atomic_store(plain_word(ring->complete, cq->head), head + 1);
    return rc;
}

/* One end by io_uring; the other end is `other`, by plain calls, or a process that answers with the same bytes: -1. */
static void plain_ring_exchange(plain_ring *ring, int mine, int other)
{
    unsigned char sent[1000], got[1000];
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < sizeof sent; i++)
            sent[i] = calls_byte(i, (unsigned)round);
        CHECK_EQUAL(sizeof sent, plain_ring_run(ring, IORING_OP_SEND, mine, sent, sizeof sent));
        if (other >= 0) {
            calls_read_all(other, got, sizeof got);
            calls_write_all(other, got, sizeof got);
        }
        memset(got, 0, sizeof got);
        for (size_t at = 0; at < sizeof got;) {
            int done = plain_ring_run(ring, IORING_OP_RECV, mine, got + at, sizeof got - at);
            CHECK(done > 0);
            at += (size_t)done;
        }
        CHECK(memcmp(sent, got, sizeof sent) == 0);
    }
}

static void plain_ring_open_or_skip(plain_ring *ring, int is_unseen)
{
    if (plain_ring_open(ring, is_unseen))
        return;
    printf("skipped: io_uring: %s\n", strerror(errno));
    exit(PLAIN_SKIPPED);
}

static void plain_ring_pairs(plain_ring *ring)
{
    for (int i = 0; i < PLAIN_CONNECTIONS; i++) {
        int fds[2];
        calls_pair(fds);
        plain_ring_exchange(ring, fds[0], fds[1]);
        plain_ring_exchange(ring, fds[1], fds[0]);
        close(fds[0]);
        close(fds[1]);
    }
}

static void plain_uring(const char *library)
{
    plain_ring ring;
    pid_t server;
    int old = plain_begin(library, &server);
    plain_ring_open_or_skip(&ring, 0);
    plain_ring_exchange(&ring, old, -1);
    plain_ring_pairs(&ring);
    plain_ask(old);
    close(old);
    calls_wait(server);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *library = getenv("LD_PRELOAD");
    alarm(CALLS_LIMIT_S); /* a hang is a failure */
    if (strcmp(mode, "prctl") == 0 || strcmp(mode, "seccomp") == 0) {
        plain_filtered(mode[0] == 's', library);
        return 0;
    }
    if (strcmp(mode, "strict") == 0) {
        plain_strict(library);
        return 0;
    }
    if (strcmp(mode, "uring") == 0) {
        plain_uring(library);
        return 0;
    }
    if (argc > 2)
        CHECK_EQUAL(STDERR_FILENO, dup2(open(argv[2], O_WRONLY), STDERR_FILENO));
    if (strcmp(mode, "descriptors") == 0) {
        plain_descriptors();
    } else if (strcmp(mode, "unseen") == 0) {
        plain_ring ring;
        plain_ring_open_or_skip(&ring, 1);
        plain_ring_pairs(&ring);
    } else
        plain_connections(plain_plant(mode));
    printf("%s\n", calls_is_fast() ? "fast" : "plain");
    return 0;
}
