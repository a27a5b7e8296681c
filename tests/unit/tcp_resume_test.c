/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that break at any moment: between two ranks sits something that cuts them at random, in the middle of
 * heads, payloads and greetings, and every message must arrive, once, in order and whole.
 *
 * Also: a peer that cannot be had back is lost, soon, and everything that waits for it ends.
 */
#include "check.h"
#include "device_pair.h"
#include "tcp_proxy.h"
#include "unit_random.h"
#include "xxdev/closing.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CONTEXT = 4, WINDOW = 6, COUNT = 150, CUTS = 60 };
enum { SOON_MS = 8000 }; /* sooner than a peer is lost that does not answer */

typedef struct run {
    device_pair pair;
    tcp_proxy proxies[2]; /* [i] stands before rank i */
    uint64_t random;
} run;

static void edit_address(void *context, int rank, char *address)
{
    run *r = context;
    tcp_proxy_open(&r->proxies[rank], tcp_proxy_text_port(address), &r->random);
    tcp_proxy_redirect(address, r->proxies[rank].port);
}

enum { ELSEWHERE = 6 }; /* a context whose group has no other member */

static int holds(const void *owner, uint32_t context, int peer)
{
    (void)owner;
    (void)peer;
    return context != ELSEWHERE;
}

static void run_open(run *r, const char *const *overrides)
{
    device_pair_open_with(&r->pair, &(device_pair_options){.wire = &cor_tcp_wire,
                                                           .overrides = overrides,
                                                           .log_level = -1,
                                                           .edit = edit_address,
                                                           .context = r,
                                                           .holds = holds});
}

static void run_close(run *r)
{
    for (int i = 0; i < 2; i++)
        tcp_proxy_close(&r->proxies[i]);
    device_pair_close(&r->pair);
}

static void run_step(run *r)
{
    for (int i = 0; i < 2; i++)
        tcp_proxy_step(&r->proxies[i]);
    device_pair_step(&r->pair);
}

/* ---- traffic under cuts ----------------------------------------------------------------------------------------- */

typedef struct message {
    cor_transfer send, receive;
    char *out, *in;
    size_t bytes;
    uint64_t seed; /* of what was sent */
    int is_spoilt;
} message;

static void fill(char *out, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (char)(unit_random(&seed) >> 32);
}

/* What is sent belongs to the program again: nothing may be read from it any more. */
static void message_spoil(message *m)
{
    if (!m->send.is_done || m->is_spoilt)
        return;
    memset(m->out, 0xee, m->bytes);
    m->is_spoilt = 1;
}

static void message_start(run *r, int from, message *m, int number)
{
    static const size_t classes[] = {1, 64, 5000, 40000, 200000, 1000000};
    cor_device *source = r->pair.device[from], *sink = r->pair.device[1 - from];
    *m = (message){.bytes = unit_random(&r->random) % classes[unit_random(&r->random) % 6]};
    m->out = malloc(m->bytes + 1);
    m->in = calloc(1, m->bytes + 1);
    m->seed = r->random;
    fill(m->out, m->bytes, m->seed);
    cor_payload out = cor_payload_plain(m->out, m->bytes), in = cor_payload_plain(m->in, m->bytes);
    int is_sync = unit_random(&r->random) % 4 == 0, is_late = unit_random(&r->random) % 2;
    for (int i = 0; i < 2; i++) {
        if (i == is_late) {
            cor_device_enter(sink);
            CHECK_OK(sink->ops->irecv(sink, &m->receive, from, CONTEXT, number % 3, &in));
            cor_device_leave(sink);
        } else {
            cor_device_enter(source);
            CHECK_OK((is_sync ? source->ops->issend : source->ops->isend)(source, &m->send, 1 - from, CONTEXT,
                                                                          number % 3, &out));
            cor_device_leave(source);
        }
    }
}

static void message_check(run *r, message *m)
{
    for (int i = 0; i < 2; i++)
        if (r->pair.fault[i].code != COR_OK)
            fprintf(stderr, "rank %d: %s\n", i, r->pair.fault[i].text);
    CHECK_OK(m->send.error);
    CHECK_OK(m->receive.error);
    CHECK_EQUAL(m->bytes, m->receive.bytes);
    fill(m->out, m->bytes, m->seed);
    CHECK_EQUAL(0, memcmp(m->out, m->in, m->bytes));
    free(m->out);
    free(m->in);
}

static void test_traffic(uint64_t seed, const char *eager_max)
{
    const char *const overrides[] = {eager_max, "tcp.packet=48k", "tcp.retain=128k", NULL};
    static run r;
    message messages[2][WINDOW];
    int started[2] = {0}, done[2] = {0};
    r.random = seed;
    run_open(&r, overrides);
    check_wait wait = {.patience_s = 60};
    long long cut_at = 200000;
    while (done[0] < COUNT || done[1] < COUNT) {
        for (int from = 0; from < 2; from++) {
            for (; started[from] < COUNT && started[from] - done[from] < WINDOW; started[from]++)
                message_start(&r, from, &messages[from][started[from] % WINDOW], started[from]);
            for (int i = done[from]; i < started[from]; i++)
                message_spoil(&messages[from][i % WINDOW]);
            for (message *m = &messages[from][done[from] % WINDOW];
                 done[from] < started[from] && m->send.is_done && m->receive.is_done;
                 m = &messages[from][done[from] % WINDOW]) {
                message_check(&r, m);
                done[from]++;
            }
        }
        run_step(&r);
        int cuts = r.proxies[0].cuts + r.proxies[1].cuts;
        if (r.proxies[0].moved + r.proxies[1].moved > cut_at && cuts < CUTS) {
            for (int i = 0; i < 2; i++)
                tcp_proxy_cut(&r.proxies[i], (int)(unit_random(&r.random) % 2));
            /* Now soon, in the middle of the next greeting, now late. */
            cut_at = r.proxies[0].moved + r.proxies[1].moved +
                     (long long)(unit_random(&r.random) % (unit_random(&r.random) % 3 ? 1500000 : 400));
        }
        char what[128];
        snprintf(what, sizeof what, "%d and %d of %d messages have come, with %d cuts", done[0], done[1], COUNT, cuts);
        check_wait_on(&wait, __FILE__, __LINE__, what);
    }
    printf("%d messages came whole through %d cuts\n", 2 * COUNT, r.proxies[0].cuts + r.proxies[1].cuts);
    CHECK(r.proxies[0].cuts + r.proxies[1].cuts >= 10);
    run_close(&r);
}

/* ---- a peer that does not come back ----------------------------------------------------------------------------- */

static void start_in(uint32_t context, cor_device *d, cor_transfer *t, int is_send, int peer, int tag, void *data,
                     size_t bytes, int expected)
{
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_device_enter(d);
    CHECK_EQUAL(expected, (is_send ? d->ops->isend : d->ops->irecv)(d, t, peer, context, tag, &payload));
    cor_device_leave(d);
}

static void start(cor_device *d, cor_transfer *t, int is_send, int peer, int tag, void *data, size_t bytes,
                  int expected)
{
    start_in(CONTEXT, d, t, is_send, peer, tag, data, bytes, expected);
}

static void expect_text(const char *text, const char *part)
{
    if (strstr(text, part))
        return;
    CHECK_FAIL("\"%s\" does not say \"%s\"", text, part);
}

/* Rank 1 goes away, as its process would: connections end and calls are refused. Or it says goodbye. */
static void test_lost(int is_orderly)
{
    static run r;
    cor_transfer first = {0}, into = {0}, by_name = {0}, by_any = {0}, long_send = {0}, later = {0}, elsewhere = {0};
    static char data[1 << 20];
    char in[4] = {0};
    cor_envelope found;
    r.random = 1;
    run_open(&r, NULL);
    cor_device *d = r.pair.device[0], *other = r.pair.device[1];
    start(other, &into, 0, 0, 1, in, sizeof in, COR_OK);
    start(d, &first, 1, 1, 1, data, sizeof in, COR_OK);
    while (!into.is_done)
        run_step(&r);
    start(d, &by_name, 0, 1, 2, in, sizeof in, COR_OK);
    start(d, &by_any, 0, COR_ANY_PEER, 3, in, sizeof in, COR_OK);
    start_in(ELSEWHERE, d, &elsewhere, 0, COR_ANY_PEER, 3, in, sizeof in, COR_OK);
    start(d, &long_send, 1, 1, 4, data, sizeof data, COR_OK);
    for (int i = 0; i < 1000; i++)
        run_step(&r); /* none of these can be done, however long that takes */
    CHECK_EQUAL(0, by_name.is_done || by_any.is_done || long_send.is_done);
    if (is_orderly) {
        cor_device_close(other);
        cor_device_destroy(other);
        r.pair.device[1] = NULL;
    } else {
        for (int i = 0; i < 2; i++)
            tcp_proxy_close(&r.proxies[i]);
    }
    CHECK_WITHIN(SOON_MS, by_name.is_done && by_any.is_done && long_send.is_done, run_step(&r));
    CHECK_EQUAL(COR_ERR_PEER, by_name.error);
    CHECK_EQUAL(COR_ERR_PEER, by_any.error);
    CHECK_EQUAL(COR_ERR_PEER, long_send.error);
    expect_text(r.pair.fault[0].text, "rank 1 on ");
    expect_text(r.pair.fault[0].text, is_orderly ? "it has ended" : "its process is gone");
    r.pair.fault[0] = (cor_fault){0};
    start(d, &later, 1, 1, 1, data, 1, COR_ERR_PEER);
    expect_text(r.pair.fault[0].text, "rank 1 on ");
    start(d, &later, 0, 1, 1, data, 1, COR_ERR_PEER);
    start(d, &later, 0, COR_ANY_PEER, 1, data, 1, COR_ERR_PEER);
    CHECK_EQUAL(COR_ERR_PEER, d->ops->iprobe(d, 1, CONTEXT, 1, &found));
    CHECK_EQUAL(COR_ERR_PEER, d->ops->iprobe(d, COR_ANY_PEER, CONTEXT, 1, &found));
    /* What the lost one had no part in goes on. */
    CHECK_EQUAL(0, elsewhere.is_done);
    CHECK_EQUAL(0, d->ops->iprobe(d, COR_ANY_PEER, ELSEWHERE, 1, &found));
    d->ops->cancel(d, &elsewhere);
    CHECK_EQUAL(1, elsewhere.is_cancelled);
    CHECK_EQUAL(1, d->ops->is_drained(d));
    run_close(&r);
}

static tcp_link *link_of(run *r, int rank)
{
    return ((tcp_wire *)(void *)cor_soft_wire_at(r->pair.device[rank], 0))->links[1 - rank];
}

/* A message from rank 0 to rank 1, which must come. */
static void exchange(run *r, int tag)
{
    cor_transfer out = {0}, into = {0};
    char word[4] = "abc", in[4] = {0};
    start(r->pair.device[1], &into, 0, 0, tag, in, sizeof in, COR_OK);
    start(r->pair.device[0], &out, 1, 1, tag, word, sizeof word, COR_OK);
    CHECK_UNTIL(into.is_done, run_step(r));
    CHECK_OK(into.error);
    CHECK_EQUAL(0, memcmp(word, in, sizeof in));
}

/* Calls are refused for a while, as a firewall does whose rules are exchanged: no peer is dead for that. */
static void test_refused_for_a_while(void)
{
    const char *const overrides[] = {"tcp.reconnect_s=60", NULL};
    static run r;
    r.random = 1;
    run_open(&r, overrides);
    exchange(&r, 1);
    for (int i = 0; i < 2; i++)
        tcp_proxy_close(&r.proxies[i]);
    CHECK_UNTIL(link_of(&r, 0)->clock.refused_ns >= 2 * TCP_SECOND_NS, run_step(&r));
    for (int i = 0; i < 2; i++)
        tcp_proxy_reopen(&r.proxies[i]);
    exchange(&r, 2);
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(COR_OK, r.pair.fault[i].code);
    run_close(&r);
}

static int has_ended(const void *owner, int peer)
{
    (void)owner;
    return peer == 1;
}

/* Where it is known that the process has ended, the first refusal tells, however patient the network's user is. */
static void test_known_death(void)
{
    const char *const overrides[] = {"tcp.reconnect_s=600", NULL};
    static run r;
    cor_transfer receive = {0};
    char in[4];
    r.random = 1;
    device_pair_open_with(&r.pair, &(device_pair_options){.wire = &cor_tcp_wire,
                                                          .overrides = overrides,
                                                          .log_level = -1,
                                                          .edit = edit_address,
                                                          .context = &r,
                                                          .has_ended = has_ended});
    exchange(&r, 1);
    start(r.pair.device[0], &receive, 0, 1, 1, in, sizeof in, COR_OK);
    for (int i = 0; i < 2; i++)
        tcp_proxy_close(&r.proxies[i]);
    CHECK_WITHIN(SOON_MS, receive.is_done, run_step(&r));
    CHECK_EQUAL(COR_ERR_PEER, receive.error);
    expect_text(r.pair.fault[0].text, "its process has ended");
    run_close(&r);
}

/* Rank 0 has lost rank 1, with a packet that has not come there, and lives on: rank 1, which waits for the packet, is
 * told, also if rank 0 is in its last fence. And so is rank 0 there, for rank 1 will not come to that. */
static void test_given_up(int loser)
{
    const char *const overrides[] = {"tcp.heartbeat_s=0", NULL};
    static run r;
    cor_transfer out = {0}, receive = {0};
    char word[4] = "abc", in[4];
    r.random = 1;
    run_open(&r, overrides);
    exchange(&r, 1);
    cor_device *d = r.pair.device[0];
    for (int i = 0; i < 2; i++)
        tcp_proxy_close(&r.proxies[i]);
    start(d, &out, 1, 1, 2, word, sizeof word, COR_OK);
    start(r.pair.device[1], &receive, 0, 0, 2, in, sizeof in, COR_OK);
    d->ops->begin_shutdown(d);
    tcp_link *lost = link_of(&r, loser);
    tcp_link_lose((tcp_wire *)(void *)cor_soft_wire_at(r.pair.device[loser], 0), lost, "the test has given it up");
    for (int i = 0; i < 2; i++)
        tcp_proxy_reopen(&r.proxies[i]);
    CHECK_UNTIL(r.pair.device[1 - loser]->losses.count > 0, run_step(&r));
    const cor_loss *loss = cor_losses_of(&r.pair.device[1 - loser]->losses, loser);
    CHECK(loss != NULL);
    expect_text(loss->why->text, "it has given this rank up");
    CHECK_EQUAL(1, receive.is_done);
    run_close(&r);
}

/* Rank 1 goes away in the middle of a short message whose receive is posted: the receive has met it and can no longer
 * be cancelled, and it ends as lost. */
static void test_lost_landing(void)
{
    static run r;
    cor_transfer sent = {0}, into = {0};
    static char out[120000], in[sizeof out];
    r.random = 1;
    run_open(&r, NULL);
    cor_device *d = r.pair.device[0];
    start(d, &into, 0, COR_ANY_PEER, 1, in, sizeof in, COR_OK);
    start(r.pair.device[1], &sent, 1, 0, 1, out, sizeof out, COR_OK);
    CHECK_UNTIL(into.peer != COR_ANY_PEER, run_step(&r));
    CHECK_EQUAL(0, into.is_done);
    d->ops->cancel(d, &into);
    CHECK_EQUAL(0, into.is_done);
    for (int i = 0; i < 2; i++)
        tcp_proxy_close(&r.proxies[i]);
    CHECK_WITHIN(SOON_MS, into.is_done, run_step(&r));
    CHECK_EQUAL(COR_ERR_PEER, into.error);
    CHECK_EQUAL(0, into.is_cancelled);
    CHECK_EQUAL(0, into.bytes);
    run_close(&r);
}

/* Rank 1 dies before it has ever connected: a rank that waits for it connects to it. */
static void test_lost_first(int peer)
{
    static run r;
    cor_transfer receive = {0};
    char in[4];
    r.random = 1;
    run_open(&r, NULL);
    for (int i = 0; i < 2; i++)
        tcp_proxy_close(&r.proxies[i]);
    start(r.pair.device[0], &receive, 0, peer, 1, in, sizeof in, COR_OK);
    CHECK_WITHIN(SOON_MS, receive.is_done, run_step(&r));
    CHECK_EQUAL(COR_ERR_PEER, receive.error);
    expect_text(r.pair.fault[0].text, "its process is gone");
    run_close(&r);
}

enum { NOBODYS_HOST = 0x7f000002, PROXYS_HOST = 0x7f000003 };

/* Rank 0 can be reached at the second of two addresses, and calls from a third. */
static void edit_addresses(void *context, int rank, char *address)
{
    run *r = context;
    tcp_address parsed;
    if (rank == 1) {
        edit_address(context, rank, address);
        return;
    }
    int port = tcp_proxy_text_port(address);
    tcp_proxy_open_at(&r->proxies[0], PROXYS_HOST, port, &r->random);
    CHECK_OK(tcp_address_parse(address, &parsed, NULL));
    parsed.place_count = 2;
    for (int i = 0; i < 2; i++)
        parsed.places[i].socket.v4 = (struct sockaddr_in){
            .sin_family = AF_INET,
            .sin_port = htons((uint16_t)r->proxies[0].port),
            .sin_addr.s_addr = htonl(i == 0 ? NOBODYS_HOST : PROXYS_HOST),
        };
    tcp_address_print(&parsed, address);
}

/* A rank that has to connect back does not know which of the addresses works. */
static void test_call_back(void)
{
    static run r;
    cor_transfer sends[2] = {{0}}, receives[2] = {{0}};
    char out[4] = "abc", in[2][4] = {{0}};
    r.random = 1;
    device_pair_open_with(&r.pair, &(device_pair_options){
                                       .wire = &cor_tcp_wire, .log_level = -1, .edit = edit_addresses, .context = &r});
    for (int i = 0; i < 2; i++) {
        start(r.pair.device[1], &receives[i], 0, 0, i, in[i], sizeof in[i], COR_OK);
        start(r.pair.device[0], &sends[i], 1, 1, i, out, sizeof out, COR_OK);
        CHECK_UNTIL(receives[i].is_done, run_step(&r));
        CHECK_OK(receives[i].error);
        CHECK_EQUAL(0, memcmp(out, in[i], sizeof out));
        /* From now on rank 0 gets nowhere with its calls: they are taken, and dropped. */
        r.proxies[1].target_port = r.proxies[0].port;
        tcp_proxy_cut(&r.proxies[1], 0);
    }
    run_close(&r);
}

/* A listener whose queue is full: further calls get no answer. */
typedef struct silent_place {
    int listener, callers[4];
} silent_place;

static int silent_open(silent_place *silent, uint32_t host)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(host)};
    socklen_t bytes = sizeof place;
    silent->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQUAL(0, bind(silent->listener, (struct sockaddr *)(void *)&place, sizeof place));
    CHECK_EQUAL(0, listen(silent->listener, 0));
    CHECK_EQUAL(0, getsockname(silent->listener, (struct sockaddr *)(void *)&place, &bytes));
    for (int i = 0; i < 4; i++) {
        silent->callers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(silent->callers[i], (struct sockaddr *)(void *)&place, sizeof place);
    }
    return ntohs(place.sin_port);
}

static void silent_close(silent_place *silent)
{
    for (int i = 0; i < 4; i++)
        close(silent->callers[i]);
    close(silent->listener);
}

typedef struct split_run {
    run r;
    silent_place silent;
    int has_silent;
} split_run;

/* Rank 0 can be reached at the first of two addresses, the proxy's. At the second nobody answers or all are refused. */
static void edit_split(void *context, int rank, char *address)
{
    split_run *split = context;
    tcp_address parsed;
    edit_address(&split->r, rank, address);
    if (rank != 0)
        return;
    int port = split->has_silent ? silent_open(&split->silent, NOBODYS_HOST) : split->r.proxies[0].port;
    CHECK_OK(tcp_address_parse(address, &parsed, NULL));
    parsed.place_count = 2;
    parsed.places[0].socket.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    parsed.places[1] = parsed.places[0];
    parsed.places[1].socket.v4.sin_addr.s_addr = htonl(NOBODYS_HOST);
    parsed.places[1].socket.v4.sin_port = htons((uint16_t)port);
    tcp_address_print(&parsed, address);
}

/* Of a peer with two addresses one refuses all calls, which may be that of another host. It counts as dead only if the
 * other one does the same, and not while that is silent. */
static void test_refused_places(int has_silent)
{
    static split_run split;
    run *r = &split.r;
    cor_transfer receive = {0};
    char in[4];
    r->random = 1;
    split.has_silent = has_silent;
    device_pair_open_with(
        &r->pair,
        &(device_pair_options){.wire = &cor_tcp_wire, .log_level = -1, .edit = edit_split, .context = &split});
    for (int i = 0; i < 2; i++)
        tcp_proxy_close(&r->proxies[i]);
    start(r->pair.device[1], &receive, 0, 0, 1, in, sizeof in, COR_OK);
    if (has_silent) {
        /* The one has been called again and again, the other in between. */
        CHECK_UNTIL(receive.is_done || (link_of(r, 1) && link_of(r, 1)->tries >= 3), run_step(r));
        CHECK_EQUAL(0, receive.is_done);
        CHECK_EQUAL(0, link_of(r, 1)->clock.refused_ns);
        silent_close(&split.silent);
    }
    CHECK_UNTIL(receive.is_done, run_step(r));
    CHECK_EQUAL(COR_ERR_PEER, receive.error);
    run_close(r);
}

/* So many descriptors more, and no others, until descriptors_free(). */
static struct rlimit descriptors_leave(int count)
{
    struct rlimit before, now;
    int next = dup(0);
    CHECK(next >= 0);
    close(next);
    CHECK_EQUAL(0, getrlimit(RLIMIT_NOFILE, &before));
    now = before;
    now.rlim_cur = (rlim_t)(next + count);
    CHECK_EQUAL(0, setrlimit(RLIMIT_NOFILE, &now));
    return before;
}

/* A rank that may open no more files, when it calls (0) or is called (1), says so itself, and at once. */
static void test_no_descriptors(int rank)
{
    static device_pair pair;
    cor_transfer send = {0}, receive = {0};
    char out[4] = "abc", in[4];
    device_pair_open_with(&pair, &(device_pair_options){.wire = &cor_tcp_wire, .log_level = -1});
    struct rlimit before = descriptors_leave(rank);
    start(pair.device[1], &receive, 0, 0, 1, in, sizeof in, COR_OK);
    cor_payload payload = cor_payload_plain(out, sizeof out);
    pair.device[0]->ops->isend(pair.device[0], &send, 1, CONTEXT, 1, &payload);
    CHECK_WITHIN(SOON_MS, pair.fault[rank].code != COR_OK, device_pair_step(&pair));
    CHECK_EQUAL(0, setrlimit(RLIMIT_NOFILE, &before));
    expect_text(pair.fault[rank].text, "this rank has too many open files (ulimit -n is ");
    expect_text(pair.fault[rank].text, rank == 0 ? "no connection to rank 1 on " : "no connection to rank 0 on ");
    device_pair_close(&pair);
}

int main(void)
{
    uint64_t seed = unit_seed();
    test_traffic(seed, "tcp.eager_max=8k");
    test_traffic(seed ^ 1, "tcp.eager_max=48k"); /* short ones land in the middle of a cut as well */
    test_lost(0);
    test_lost(1);
    test_refused_for_a_while();
    test_known_death();
    test_given_up(0);
    test_given_up(1);
    test_lost_landing();
    test_lost_first(1);
    test_lost_first(COR_ANY_PEER);
    test_call_back();
    test_refused_places(0);
    test_refused_places(1);
    test_no_descriptors(0);
    test_no_descriptors(1);
    puts("a peer that is gone is lost at once");
    return 0;
}
