/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp.interface: what a rank listens on follows from its words, one by one, and a word that can mean nothing is
 * refused in a sentence, since a network that is misread might be every network there is.
 */
#define _GNU_SOURCE
#include "check.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <string.h>
#include <unistd.h>

/* Opens a wire that listens so. Its places, or -1 and the fault. */
static int listen_on(const char *words, const cor_log *log, tcp_address *address_p, cor_fault *fault)
{
    cor_tcp_config config;
    cor_wire *wire;
    char text[COR_WIRE_ADDRESS_MAX];
    CHECK_OK(cor_knobs_load(&cor_tcp_knobs, NULL, &config, NULL, fault));
    snprintf(config.interface, sizeof config.interface, "%s", words);
    cor_wire_options options = {.rank = 0, .size = 2, .log = log, .config = &config};
    if (cor_tcp_wire.open(&options, &wire, fault) != COR_OK)
        return -1;
    wire->ops->address(wire, text);
    CHECK_OK(tcp_address_parse(text, address_p, fault));
    wire->ops->close(wire);
    return address_p->place_count;
}

static void test_right(void)
{
    static const char *const right[] = {"lo",         "127.0.0.1",   "127.0.0.0/8",    "127.0.0.0/32,lo",
                                        "lo,nosuch0", "nosuch0, lo", "lo,fe80::1%eth0"};
    cor_log log = {.level = COR_LOG_WARN};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        tcp_address address;
        cor_fault fault = {0};
        int places = listen_on(right[i], &log, &address, &fault);
        if (places < 1)
            fprintf(stderr, "%s: %s\n", right[i], fault.text);
        CHECK_EQUAL(1, places);
        CHECK_EQUAL(1, cor_place_is_loopback(&address.places[0]));
    }
}

static void test_wrong(void)
{
    static const struct {
        const char *words, *part;
    } wrong[] = {
        {"10.0.0.0/x", "in \"10.0.0.0/x\", prefix length must be 0-32"},
        {"127.0.0.0/", "in \"127.0.0.0/\", prefix length must be 0-32"},
        {"127.0.0.0/2x", "must be 0-32"},
        {"127.0.0.0/-1", "must be 0-32"},
        {"127.0.0.0/33", "must be 0-32"},
        {"127.0.0.0/4294967304", "must be 0-32"},
        {"::1/129", "in \"::1/129\", prefix length must be 0-128"},
        {"/", "in \"/\", what stands before the slash is no address"},
        {"/8", "no address"},
        {"lo/8", "in \"lo/8\", what stands before the slash is no address"},
        {"lo,127.0.0.0/x", "tcp.interface is \"lo,127.0.0.0/x\"; in \"127.0.0.0/x\", prefix length"},
        {"300.1.1.1", "in \"300.1.1.1\", that is no address"},
        {"lo,10.0.0", "in \"10.0.0\", that is no address"},
        {"fe80::1::2", "that is no address"},
        {"an-ib.cluster.example", "that is no address, and no interface has so long a name"},
        {",", "which names nothing"},
        {"nosuch0", "no interface that is up has this name"},
        {"240.1.2.0/24", "no interface that is up has this name or an address in this network"},
    };
    cor_log log = {.level = COR_LOG_WARN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tcp_address address;
        cor_fault fault = {0};
        int places = listen_on(wrong[i].words, &log, &address, &fault);
        if (places < 0 && fault.code == COR_ERR_KNOB && strstr(fault.text, wrong[i].part))
            continue;
        CHECK_FAIL("\"%s\" gives %d places and \"%s\", which does not say \"%s\"", wrong[i].words, places, fault.text,
                   wrong[i].part);
    }
}

/* What other hosts may have is not an error here, but is logged. */
static void test_unmet_is_told(void)
{
    char line[512] = "";
    tcp_address address;
    cor_fault fault;
    cor_log log = {.level = COR_LOG_INFO};
    FILE *heard = tmpfile();
    int stderr_fd = dup(STDERR_FILENO);
    CHECK(heard != NULL && stderr_fd >= 0);
    dup2(fileno(heard), STDERR_FILENO);
    int places = listen_on("lo,nosuch0", &log, &address, &fault);
    dup2(stderr_fd, STDERR_FILENO);
    close(stderr_fd);
    rewind(heard);
    CHECK_EQUAL(1, places);
    CHECK(fgets(line, sizeof line, heard) != NULL);
    CHECK(strstr(line, "nothing that is up on this host is \"nosuch0\" (tcp.interface)") != NULL);
    CHECK(fgets(line, sizeof line, heard) == NULL);
    fclose(heard);
}

int main(void)
{
    test_right();
    test_wrong();
    test_unmet_is_told();
    puts("every word of tcp.interface counts");
    return 0;
}
