/* SPDX-License-Identifier: Apache-2.0 */
/* Life of the wire: listen, tell where, learn where the others are. */
#define _GNU_SOURCE
#include "xxdev/soft/tcp/tcp.h"

#include "base/cpu.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define TCP_FIELD(field) offsetof(cor_tcp_config, field)

static const cor_knob tcp_knob_rows[] = {
    {"tcp.eager_max", COR_KNOB_SIZE, TCP_FIELD(eager_max_bytes), "128k", NULL, 0, 1 << 24,
     "bytes of the longest message sent at once; longer ones are sent after the receive is posted; at most "
     "tcp.packet"},
    {"tcp.packet", COR_KNOB_SIZE, TCP_FIELD(packet_max_bytes), "512k", NULL, 1 << 10, 1 << 26,
     "bytes of a piece of a long message; less than half of tcp.retain"},
    {"tcp.retain", COR_KNOB_SIZE, TCP_FIELD(retain_bytes), "2M", NULL, 1 << 14, 1 << 28,
     "bytes of copies of packets to one peer, kept until they are acknowledged; a power of two"},
    {"tcp.reconnect_s", COR_KNOB_INT, TCP_FIELD(reconnect_s), "0", NULL, 0, 1 << 20,
     "extra seconds to retry connecting before a silent or refusing peer is declared failed, for networks with "
     "long interruptions"},
    {"tcp.heartbeat_s", COR_KNOB_INT, TCP_FIELD(heartbeat_s), "10", NULL, 0, 30000,
     "seconds without a sign of life of its host after which a peer is declared failed; 0: no limit"},
    {"tcp.interface", COR_KNOB_TEXT, TCP_FIELD(interface), "", "names of interfaces or networks like 10.0.0.0/8", 0,
     COR_LISTEN_INTERFACE_MAX,
     "where to listen: names of interfaces or networks such as 10.0.0.0/8, separated by commas; empty: on all "
     "addresses that other ranks can reach"},
    {"tcp.ports", COR_KNOB_TEXT, TCP_FIELD(ports), "", "a range of ports like 20000-20100", 0, COR_LISTEN_PORTS_MAX,
     "ports to listen on, such as 20000-20100, for hosts behind firewalls: one for each rank of a host; empty: any"},
};

const cor_knob_table cor_tcp_knobs = {tcp_knob_rows, sizeof tcp_knob_rows / sizeof *tcp_knob_rows};

enum { TCP_ZCOPY_MIN = 32 << 10 };

static int tcp_check_config(const cor_tcp_config *config, cor_fault *fault)
{
    if (config->retain_bytes & (config->retain_bytes - 1))
        return cor_fault_set(fault, COR_ERR_KNOB, "tcp.retain is %zu; it must be a power of two",
                             config->retain_bytes);
    if (config->eager_max_bytes > config->packet_max_bytes)
        return cor_fault_set(fault, COR_ERR_KNOB, "tcp.eager_max is %zu; at most tcp.packet (%zu) is possible",
                             config->eager_max_bytes, config->packet_max_bytes);
    if (config->packet_max_bytes + TCP_FRAME_BYTES > config->retain_bytes / 2)
        return cor_fault_set(fault, COR_ERR_KNOB, "tcp.packet is %zu; less than half of tcp.retain (%zu) is possible",
                             config->packet_max_bytes, config->retain_bytes);
    return COR_OK;
}

/* ---- who we are ------------------------------------------------------------------------------------------------- */

/* Where loopback is the same loopback: one running kernel and one network namespace. */
static uint32_t tcp_read_host_key(void)
{
    char text[128] = "";
    uint8_t digest[COR_SHA256_BYTES];
    cor_sha256 hash;
    cor_sha256_init(&hash);
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t length = read(fd, text, sizeof text);
        close(fd);
        cor_sha256_add(&hash, text, length > 0 ? (size_t)length : 0);
    }
    ssize_t length = readlink("/proc/self/ns/net", text, sizeof text);
    cor_sha256_add(&hash, text, length > 0 ? (size_t)length : 0);
    cor_sha256_end(&hash, digest);
    return cor_get32(digest);
}

static void tcp_read_self(tcp_address *address)
{
    char host[TCP_HOST_MAX] = "";
    address->host_key = tcp_read_host_key();
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        snprintf(host, sizeof host, "unknown");
    for (char *at = host; *at; at++)
        if (*at <= ' ' || *at >= 127 || *at == ',')
            *at = '_';
    memcpy(address->host, host, sizeof host);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void tcp_close(cor_wire *base)
{
    tcp_wire *wire = tcp_of(base);
    for (int i = 0; wire->links && i < wire->options.size; i++)
        if (wire->links[i]) {
            tcp_send_control(wire, wire->links[i], TCP_BYE);
            tcp_link_destroy(wire, wire->links[i]);
        }
    tcp_incoming_all_close(wire);
    for (int i = 0; i < wire->address.place_count; i++)
        tcp_listen_close(wire, i);
    free(wire->listeners);
    while (!cor_list_is_empty(&wire->notes)) {
        tcp_note *note = COR_OWNER(wire->notes.next, tcp_note, link);
        cor_list_remove(&note->link);
        free(note);
    }
    if (wire->epoll_fd >= 0)
        close(wire->epoll_fd);
    for (int i = 0; wire->texts && i < wire->options.size; i++)
        free(wire->texts[i]);
    free(wire->texts);
    free(wire->links);
    free(wire->open);
    free(wire->awaited);
    free(wire);
}

static int tcp_open_sockets(tcp_wire *wire, cor_fault *fault)
{
    size_t size = (size_t)wire->options.size;
    wire->texts = calloc(size, sizeof *wire->texts);
    wire->links = calloc(size, sizeof(tcp_link *));
    wire->open = calloc(size, sizeof(tcp_link *));
    wire->awaited = calloc(size, sizeof *wire->awaited);
    if (!wire->texts || !wire->links || !wire->open || !wire->awaited)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d TCP peers", wire->options.size);
    wire->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (wire->epoll_fd < 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot prepare to wait for connections: %s", strerror(errno));
    tcp_read_self(&wire->address);
    if (wire->options.rank == 0) {
        if (cor_random_bytes(wire->address.secret, COR_SECRET_BYTES) != COR_OK)
            return cor_fault_set(fault, COR_ERR_SYSTEM, "the kernel gives no random bytes: %s", strerror(errno));
        wire->address.has_secret = 1;
    }
    return tcp_interface_choose(wire, fault);
}

static int tcp_open(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    const cor_tcp_config *config = options->config;
    int rc = tcp_check_config(config, fault);
    if (rc != COR_OK)
        return rc;
    tcp_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the TCP wire");
    wire->base = (cor_wire){.ops = &cor_tcp_wire,
                            .source = {.arm = tcp_arm, .fds = tcp_fds, .wait_and_poll = tcp_wait_and_poll}};
    wire->options = *options;
    wire->config = *config;
    wire->epoll_fd = -1;
    cor_list_init(&wire->notes);
    rc = tcp_open_sockets(wire, fault);
    if (rc != COR_OK) {
        tcp_close(&wire->base);
        return rc;
    }
    *wire_p = &wire->base;
    return COR_OK;
}

static void tcp_address_of(cor_wire *base, char *text)
{
    tcp_wire *wire = tcp_of(base);
    tcp_address told;
    tcp_address_print(&wire->address, text);
    /* What found no room in the text will not be called. */
    if (tcp_address_parse(text, &told, NULL) != COR_OK)
        return;
    for (int i = told.place_count; i < wire->address.place_count; i++)
        tcp_listen_close(wire, i);
    wire->address.place_count = told.place_count;
}

/* Ranks of other hosts whose addresses would all lead back to this host. */
static void tcp_leave_out(const tcp_wire *wire, uint8_t *reached)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return; /* it will be told when they are called */
    for (int rank = 0; rank < wire->options.size; rank++) {
        tcp_address address;
        if (tcp_address_parse(wire->texts[rank], &address, NULL) == COR_OK &&
            address.host_key != wire->address.host_key && !tcp_interface_reaches(all, &address))
            reached[rank] = 0;
    }
    freeifaddrs(all);
}

static void tcp_obstacle(cor_wire *base, int rank, char *out, size_t out_bytes)
{
    const tcp_wire *wire = tcp_of(base);
    tcp_address address;
    char where[80];
    if (tcp_address_parse(wire->texts[rank], &address, NULL) != COR_OK)
        return;
    cor_place_print(&address.places[0].socket.any, where, sizeof where);
    snprintf(
        out, out_bytes,
        "rank %d on %s offers no address that can be called from here: %s is this host itself (tcp.interface, here "
        "\"%.40s\", says where ranks listen)",
        rank, address.host, where, wire->config.interface);
}

static int tcp_connect(cor_wire *base, const char *const *addresses, uint8_t *reached, cor_fault *fault)
{
    tcp_wire *wire = tcp_of(base);
    int here = 0;
    for (int rank = 0; rank < wire->options.size; rank++) {
        tcp_address address;
        int rc = tcp_address_parse(addresses[rank], &address, fault);
        if (rc != COR_OK)
            return rc;
        if (rank == 0 && !address.has_secret)
            return cor_fault_set(fault, COR_ERR_PROTOCOL, "rank 0 has told no secret for the connections of this job");
        if (rank == 0)
            memcpy(wire->secret, address.secret, sizeof wire->secret);
        here += address.host_key == wire->address.host_key;
        wire->texts[rank] = strdup(addresses[rank]);
        if (!wire->texts[rank])
            return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d TCP peers", wire->options.size);
        reached[rank] = 1;
    }
    if (here < wire->options.size)
        tcp_leave_out(wire, reached);
    tcp_interface_trim(wire, here - 1, wire->options.size - here);
    return COR_OK;
}

static int tcp_attach(cor_wire *base, cor_fault *fault)
{
    (void)base;
    (void)fault;
    return COR_OK;
}

static void tcp_settle(cor_wire *base)
{
    tcp_wire *wire = tcp_of(base);
    wire->await_ns = cor_clock_ns() + TCP_AWAIT_MS * 1000000ull;
    tcp_timer(wire, wire->await_ns);
}

static void tcp_begin_shutdown(cor_wire *base)
{
    tcp_of(base)->is_shutting_down = 1;
}

/* ---- what there is to know -------------------------------------------------------------------------------------- */

static void tcp_route(cor_wire *base, int rank, cor_wire_route *route_p)
{
    tcp_wire *wire = tcp_of(base);
    *route_p = (cor_wire_route){
        .eager_max_bytes = wire->config.eager_max_bytes,
        .packet_max_bytes = wire->config.packet_max_bytes,
        .zcopy_min_bytes = TCP_ZCOPY_MIN,
        .is_same_memory = rank == wire->options.rank,
        .rings_for_room = 1,
    };
}

static void tcp_describe(cor_wire *base, int rank, char *out, size_t out_bytes)
{
    const tcp_wire *wire = tcp_of(base);
    const tcp_link *link = wire->links[rank];
    tcp_address address;
    char where[80];
    if (rank == wire->options.rank || tcp_address_parse(wire->texts[rank], &address, NULL) != COR_OK) {
        snprintf(out, out_bytes, "itself");
        return;
    }
    tcp_places_order(wire, &address);
    const cor_place *place = link && link->is_place_sure ? &link->address.places[link->place] : &address.places[0];
    cor_place_print(&place->socket.any, where, sizeof where);
    where[strcspn(where, " ")] = 0; /* without the port, so that ranks of one host have one description */
    snprintf(out, out_bytes, "on %s, %s host, at %s", address.host,
             address.host_key == wire->address.host_key ? "this" : "another", where);
}

const cor_wire_ops cor_tcp_wire = {
    .name = "tcp",
    .summary = "TCP connections, made when they are needed",
    .open = tcp_open,
    .address = tcp_address_of,
    .connect = tcp_connect,
    .attach = tcp_attach,
    .settle = tcp_settle,
    .begin_shutdown = tcp_begin_shutdown,
    .close = tcp_close,
    .route = tcp_route,
    .describe = tcp_describe,
    .obstacle = tcp_obstacle,
    .send = tcp_send,
    .send_zcopy = tcp_send_zcopy,
    .cork = tcp_cork,
    .uncork = tcp_uncork,
    .is_flushed = tcp_is_flushed,
    .poll = tcp_poll,
    .reject = tcp_reject,
};
