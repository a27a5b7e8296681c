/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may come over a TCP connection once it is believed: any bytes, in any pieces. The first byte says how they are
 * cut; the rest goes through the receiving half of the wire, into buffers and straight into place.
 *
 * FUZZ_SOURCES: src/xxdev/soft/tcp/tcp_frame.c src/xxdev/soft/tcp/tcp_receive.c src/xxdev/soft/tcp/tcp_send.c
 * FUZZ_SOURCES: src/xxdev/soft/tcp/tcp_link.c src/xxdev/soft/tcp/tcp_call.c src/xxdev/soft/tcp/tcp_greet.c
 * FUZZ_SOURCES: src/xxdev/soft/tcp/tcp_address.c src/xxdev/soft/tcp/tcp_interface.c
 * FUZZ_SOURCES: src/xxdev/soft/tcp/tcp_wait.c src/xxdev/soft/tcp/tcp_incoming.c src/xxdev/soft/tcp/tcp_listen.c
 * FUZZ_SOURCES: src/base/hello.c src/base/greeting.c src/base/place.c src/base/listen.c src/base/listen_interface.c
 * FUZZ_SOURCES: src/base/listen_filter.c
 * FUZZ_SOURCES: src/wait/host_bell.c src/base/futex.c
 * FUZZ_SOURCES: src/base/error.c src/base/log.c src/base/sha256.c
 */
#include "wait/host.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { FUZZ_PACKET_MAX = 4096 };

typedef struct fuzz_sink {
    cor_payload landing; /* base NULL: none */
    unsigned sum;
} fuzz_sink;

static void fuzz_deliver(void *sink, int peer, const cor_header *header, const void *data, size_t bytes)
{
    fuzz_sink *s = sink;
    const unsigned char *at = data;
    (void)peer;
    s->sum += header->kind + header->id;
    if (!at)
        at = s->landing.base;
    for (size_t i = 0; i < bytes; i++)
        s->sum += at[i];
    free(s->landing.base);
    s->landing.base = NULL;
}

/* Exactly as long as it says, so that one byte too many is seen. */
static int fuzz_land(void *sink, int peer, const cor_header *header, size_t bytes, cor_wire_landing *landing_p)
{
    fuzz_sink *s = sink;
    (void)peer;
    if (header->id % 2 == 0 || bytes > FUZZ_PACKET_MAX)
        return 0;
    free(s->landing.base); /* asked for before, and then the connection was lost */
    s->landing = cor_payload_plain(calloc(1, bytes), bytes);
    *landing_p = (cor_wire_landing){&s->landing, 0};
    return 1;
}

static void fuzz_repaid(void *sink, int peer)
{
    ((fuzz_sink *)sink)->sum += (unsigned)peer;
}

static void fuzz_lost(void *sink, int peer, const cor_fault *why)
{
    ((fuzz_sink *)sink)->sum += (unsigned)peer + (unsigned)strlen(why->text);
}

/* A head that is understood is told again the same way. */
static void fuzz_head(const unsigned char *data, size_t size)
{
    uint8_t again[TCP_FRAME_BYTES];
    tcp_frame frame;
    cor_fault fault;
    if (size < TCP_FRAME_BYTES || tcp_frame_decode(data, FUZZ_PACKET_MAX, &frame, &fault) != COR_OK)
        return;
    tcp_frame_encode(&frame, again);
    if (memcmp(again, data, sizeof again) != 0)
        abort();
}

static void fuzz_stream(const unsigned char *data, size_t size, size_t piece)
{
    static const char text[] = "tcp3,1,host,-,127.0.0.1/8+1";
    char *texts[2] = {(char *)(uintptr_t)text, (char *)(uintptr_t)text};
    tcp_link *links[2] = {NULL, NULL}, *open[2] = {NULL, NULL};
    const cor_log log = {.level = -1};
    fuzz_sink sink = {0};
    int ends[2];
    cor_host host = {0}; /* no other process is on it */
    tcp_wire wire = {
        .options = {.size = 2,
                    .host = &host,
                    .log = &log,
                    .deliver = fuzz_deliver,
                    .land = fuzz_land,
                    .zcopy_done = fuzz_repaid,
                    .lost = fuzz_lost,
                    .sink = &sink},
        .config = {.eager_max_bytes = 1024,
                   .packet_max_bytes = FUZZ_PACKET_MAX,
                   .retain_bytes = 1 << 14,
                   .reconnect_s = 1},
        .epoll_fd = epoll_create1(0),
        .links = links,
        .open = open,
        .texts = texts,
    };
    tcp_link *link = tcp_link_get(&wire, 1);
    if (!link || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
        abort();
    tcp_watch(&wire, ends[0], TCP_AT_LINK, 1, 0, 1);
    tcp_link_open(&wire, link, ends[0], 0, 0);
    /* Something that can be acknowledged. */
    cor_header header = {.kind = 1};
    cor_payload payload = cor_payload_plain(data, size < 100 ? size : 100);
    for (int i = 0; i < 3; i++)
        if (tcp_send(&wire.base, 1, &header, &payload, 0, payload.bytes) != COR_OK)
            abort();
    for (size_t at = 0; at < size && link->state == TCP_OPEN; at += piece) {
        ssize_t written = write(ends[1], data + at, size - at < piece ? size - at : piece);
        (void)written;
        while (link->state == TCP_OPEN && tcp_receive(&wire, link, 0) > 0)
            ;
    }
    close(ends[1]);
    if (link->state == TCP_OPEN)
        tcp_receive(&wire, link, 0);
    tcp_link_tell(&wire, link);
    tcp_link_destroy(&wire, link);
    close(wire.epoll_fd);
    free(sink.landing.base);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < 1)
        return 0;
    fuzz_head(data + 1, size - 1);
    fuzz_stream(data + 1, size - 1, 1 + (size_t)data[0] * 8);
    return 0;
}
