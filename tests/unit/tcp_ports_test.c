/* SPDX-License-Identifier: Apache-2.0 */
/* tcp.ports: ranks listen on ports of the range, each on another one, and say so when there is none left. */
#include "check.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PORTS = 3, TRIES = 50 };

static int open_with(const char *ports, int rank, cor_wire **wire_p, cor_fault *fault)
{
    static const cor_log log = {.level = COR_LOG_WARN};
    static cor_tcp_config config;
    CHECK_OK(cor_knobs_load(&cor_tcp_knobs, NULL, &config, NULL, fault));
    snprintf(config.interface, sizeof config.interface, "127.0.0.1");
    snprintf(config.ports, sizeof config.ports, "%s", ports);
    cor_wire_options options = {.rank = rank, .size = PORTS + 1, .log = &log, .config = &config};
    return cor_tcp_wire.open(&options, wire_p, fault);
}

static int port_of(cor_wire *wire)
{
    char text[COR_WIRE_ADDRESS_MAX];
    tcp_address address;
    cor_fault fault;
    wire->ops->address(wire, text);
    CHECK_OK(tcp_address_parse(text, &address, &fault));
    CHECK_EQUAL(1, address.place_count);
    return ntohs(address.places[0].socket.v4.sin_port);
}

/* Of a range that others may use too: 0 if they do. */
static int range_is_used(int first)
{
    cor_wire *wires[PORTS], *more;
    cor_fault fault = {0};
    char ports[32];
    int seen = 0, opened = 0;
    snprintf(ports, sizeof ports, "%d-%d", first, first + PORTS - 1);
    while (opened < PORTS && open_with(ports, opened, &wires[opened], &fault) == COR_OK) {
        int at = port_of(wires[opened++]) - first;
        CHECK(at >= 0 && at < PORTS);
        CHECK((seen & 1 << at) == 0);
        seen |= 1 << at;
    }
    int is_complete = opened == PORTS;
    if (is_complete) {
        CHECK_EQUAL(COR_ERR_SYSTEM, open_with(ports, PORTS, &more, &fault));
        char wanted[64];
        snprintf(wanted, sizeof wanted, "all of tcp.ports=%s are in use", ports);
        if (!strstr(fault.text, wanted))
            CHECK_FAIL("\"%s\" does not say \"%s\"", fault.text, wanted);
    }
    for (int i = 0; i < opened; i++)
        wires[i]->ops->close(wires[i]);
    return is_complete;
}

static void test_range(void)
{
    for (int i = 0; i < TRIES; i++)
        if (range_is_used(20000 + (getpid() * PORTS + i * 997) % 10000))
            return;
    CHECK_FAIL("no %d ports in a row are free", PORTS);
}

static void test_wrong(void)
{
    static const char *const wrong[] = {"20000",   "x",        "20000-", "20000-19999", "0-10",
                                        "1-65536", "20000-2x", "-1-10",  "20000,20001", "20000-20100x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cor_wire *wire;
        cor_fault fault = {0};
        CHECK_EQUAL(COR_ERR_KNOB, open_with(wrong[i], 0, &wire, &fault));
        CHECK(strstr(fault.text, "it must be a range of ports, such as 20000-20100") != NULL);
    }
}

int main(void)
{
    test_range();
    test_wrong();
    return 0;
}
