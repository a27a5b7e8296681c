/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sealed connection of two jobs that meet: who listens learns nothing, and a frame that was changed, repeated, left
 * out or sent back is refused.
 */
#define _GNU_SOURCE
#include "check.h"
#include "dynamic/bridge.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TEXT = 5000, SEALED = 4 + TEXT + COR_SHA256_BYTES };

/* Two bridges, each with a socket whose other end is the test's: it is the network. */
typedef struct scene {
    dynamic_bridge *caller, *answerer;
    int to_caller, to_answerer;
} scene;

static scene scene_make(int is_sealed)
{
    static const uint8_t key[COR_SHA256_BYTES] = {1, 2, 3};
    int one[2], two[2];
    CHECK_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM, 0, one));
    CHECK_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM, 0, two));
    return (scene){.caller = bridge_create(one[0], is_sealed ? key : NULL, 1),
                   .answerer = bridge_create(two[0], is_sealed ? key : NULL, 0),
                   .to_caller = one[1],
                   .to_answerer = two[1]};
}

static void scene_end(scene *s)
{
    bridge_destroy(s->caller);
    bridge_destroy(s->answerer);
    close(s->to_caller);
    close(s->to_answerer);
}

static const char *text_of(int number)
{
    static char text[TEXT];
    for (int i = 0; i < TEXT; i++)
        text[i] = "a secret "[(i + number) % 9];
    return text;
}

/* What the caller sends, as it crosses the network. */
static void crosses(scene *s, int number, uint8_t bytes[SEALED])
{
    cor_fault fault;
    CHECK_OK(bridge_send(NULL, s->caller, text_of(number), TEXT, &fault));
    CHECK_EQUAL(SEALED, recv(s->to_caller, bytes, SEALED, MSG_WAITALL));
}

/* The answerer gets these bytes. */
static int arrives(scene *s, const uint8_t bytes[SEALED], char out[TEXT], cor_fault *fault)
{
    CHECK_EQUAL(SEALED, send(s->to_answerer, bytes, SEALED, 0));
    return bridge_receive(NULL, s->answerer, out, TEXT, fault);
}

static void test_right(void)
{
    scene s = scene_make(1);
    uint8_t first[SEALED], second[SEALED];
    char out[TEXT];
    cor_fault fault;
    crosses(&s, 0, first);
    crosses(&s, 0, second);
    CHECK(memmem(first, SEALED, "secret", 6) == NULL);
    for (int i = 4; i + 8 <= SEALED; i++) /* no key stream is used twice */
        CHECK(memcmp(first + i, second + i, 8) != 0);
    CHECK_OK(arrives(&s, first, out, &fault));
    CHECK(memcmp(out, text_of(0), TEXT) == 0);
    CHECK_OK(arrives(&s, second, out, &fault));
    CHECK(memcmp(out, text_of(0), TEXT) == 0);
    scene_end(&s);
}

/* Each frame needs a fresh scene, since the first that is wrong ends a connection. */
static void test_changed(void)
{
    for (int at = 0; at < SEALED; at += at < 64 || at > SEALED - 40 ? 1 : 97) {
        scene s = scene_make(1);
        uint8_t bytes[SEALED];
        char out[TEXT];
        cor_fault fault = {0};
        crosses(&s, 0, bytes);
        bytes[at] ^= 1;
        CHECK_EQUAL(COR_ERR_PROTOCOL, arrives(&s, bytes, out, &fault));
        CHECK(fault.text[0] != 0);
        if (at >= 4)
            CHECK(memmem(out, TEXT, "secret", 6) == NULL);
        scene_end(&s);
    }
}

static void test_order(void)
{
    uint8_t first[SEALED], second[SEALED];
    char out[TEXT];
    cor_fault fault;
    scene s = scene_make(1);
    crosses(&s, 0, first);
    CHECK_OK(arrives(&s, first, out, &fault));
    CHECK_EQUAL(COR_ERR_PROTOCOL, arrives(&s, first, out, &fault)); /* again */
    scene_end(&s);
    s = scene_make(1);
    crosses(&s, 0, first);
    crosses(&s, 1, second);
    CHECK_EQUAL(COR_ERR_PROTOCOL, arrives(&s, second, out, &fault)); /* without the first */
    scene_end(&s);
    s = scene_make(1);
    crosses(&s, 0, first);
    CHECK_EQUAL(SEALED, send(s.to_caller, first, SEALED, 0)); /* back to where it came from */
    CHECK_EQUAL(COR_ERR_PROTOCOL, bridge_receive(NULL, s.caller, out, TEXT, &fault));
    scene_end(&s);
}

/* Ends in the middle, and of another length. */
static void test_cut(void)
{
    scene s = scene_make(1);
    uint8_t bytes[SEALED];
    char out[TEXT];
    cor_fault fault;
    crosses(&s, 0, bytes);
    CHECK_EQUAL(SEALED - 1, send(s.to_answerer, bytes, SEALED - 1, 0));
    shutdown(s.to_answerer, SHUT_WR);
    CHECK_EQUAL(COR_ERR_PEER, bridge_receive(NULL, s.answerer, out, TEXT, &fault));
    scene_end(&s);
    s = scene_make(1);
    crosses(&s, 0, bytes);
    CHECK_EQUAL(SEALED, send(s.to_answerer, bytes, SEALED, 0));
    CHECK_EQUAL(COR_ERR_PROTOCOL, bridge_receive(NULL, s.answerer, out, TEXT - 1, &fault));
    scene_end(&s);
}

/* MPI_Comm_join has no key. */
static void test_clear(void)
{
    scene s = scene_make(0);
    char bytes[4 + TEXT], out[TEXT];
    cor_fault fault;
    CHECK_OK(bridge_send(NULL, s.caller, text_of(0), TEXT, &fault));
    CHECK_EQUAL(sizeof bytes, recv(s.to_caller, bytes, sizeof bytes, MSG_WAITALL));
    CHECK_EQUAL(sizeof bytes, send(s.to_answerer, bytes, sizeof bytes, 0));
    CHECK_OK(bridge_receive(NULL, s.answerer, out, TEXT, &fault));
    CHECK(memcmp(out, text_of(0), TEXT) == 0);
    scene_end(&s);
}

int main(void)
{
    test_right();
    test_changed();
    test_order();
    test_cut();
    test_clear();
    return 0;
}
