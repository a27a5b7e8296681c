/* SPDX-License-Identifier: Apache-2.0 */
/* What goes over a TCP connection, and the text of an address: told and understood, and everything else refused. */
#include "check.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <arpa/inet.h>
#include <string.h>

enum { LIMIT = 1000 };

static void test_frame(void)
{
    tcp_frame frame = {
        .kind = TCP_PACKET,
        .flags = TCP_WANTS_ACK,
        .bytes = LIMIT,
        .sequence = 0x01020304,
        .acknowledged = 0xfffefdfc,
        .header = {
            .kind = 3, .flags = 4, .type_class = 255, .context = 5, .tag = -7, .credit = 8, .id = 9, .id2 = 10}};
    uint8_t bytes[TCP_FRAME_BYTES], again[TCP_FRAME_BYTES];
    tcp_frame back;
    cor_fault fault;
    tcp_frame_encode(&frame, bytes);
    CHECK_EQUAL(4, bytes[8]); /* little-endian */
    CHECK_EQUAL(1, bytes[11]);
    CHECK_OK(tcp_frame_decode(bytes, LIMIT, &back, &fault));
    CHECK_EQUAL(-7, back.header.tag);
    CHECK_EQUAL(255, back.header.type_class);
    tcp_frame_encode(&back, again);
    CHECK_EQUAL(0, memcmp(bytes, again, sizeof bytes));
    CHECK_EQUAL(COR_ERR_PROTOCOL, tcp_frame_decode(bytes, LIMIT - 1, &back, &fault));
    /* Field by field what cannot be. */
    static const struct {
        int at, value;
    } wrong[] = {{0, 0}, {0, 4}, {0, 255}, {1, 2}, {1, 255}, {2, 0}, {3, 0}, {7, 255}, {16, 0}, {19, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(again, bytes, sizeof again);
        again[wrong[i].at] = (uint8_t)wrong[i].value;
        CHECK_EQUAL(COR_ERR_PROTOCOL, tcp_frame_decode(again, LIMIT, &back, &fault));
    }
    /* An acknowledgement carries nothing. */
    again[19] = 0;
    again[0] = TCP_ACK;
    CHECK_EQUAL(COR_ERR_PROTOCOL, tcp_frame_decode(again, LIMIT, &back, &fault));
}

static void test_hello(void)
{
    uint8_t secret[COR_SECRET_BYTES] = {1, 2, 3}, other_secret[COR_SECRET_BYTES] = {1, 2, 4};
    uint8_t bytes[COR_HELLO_BYTES], wrong[COR_HELLO_BYTES];
    cor_hello hello = cor_hello_make(secret, 3, 70000), back;
    cor_fault fault;
    memset(hello.nonce, 0x55, sizeof hello.nonce);
    cor_hello_encode(&hello, bytes);
    CHECK_OK(cor_hello_decode(bytes, &back, &fault));
    CHECK_EQUAL(3, back.from);
    CHECK_EQUAL(70000, back.to);
    CHECK(back.job == hello.job);
    CHECK_OK(cor_hello_check(&back, &hello, &fault));
    static const int refused_at[] = {0, 3, 8, 12}, unsuited_at[] = {4, 6, 16};
    for (size_t i = 0; i < sizeof refused_at / sizeof *refused_at; i++) {
        memcpy(wrong, bytes, sizeof wrong);
        wrong[refused_at[i]] ^= 0x81;
        CHECK_EQUAL(COR_ERR_PROTOCOL, cor_hello_decode(wrong, &back, &fault));
    }
    for (size_t i = 0; i < sizeof unsuited_at / sizeof *unsuited_at; i++) {
        memcpy(wrong, bytes, sizeof wrong);
        wrong[unsuited_at[i]] ^= 4;
        CHECK_OK(cor_hello_decode(wrong, &back, &fault));
        CHECK_EQUAL(COR_ERR_PROTOCOL, cor_hello_check(&back, &hello, &fault));
    }
    cor_hello stranger = cor_hello_make(other_secret, 3, 70000);
    CHECK_EQUAL(COR_ERR_PROTOCOL, cor_hello_check(&stranger, &hello, &fault));

    /* A proof is good for one secret, role, pair of hellos and number. */
    uint8_t mac[6][COR_SHA256_BYTES];
    cor_hello_prove(secret, COR_HELLO_CALLER, bytes, wrong, 1, mac[0]);
    cor_hello_prove(secret, COR_HELLO_ANSWERER, bytes, wrong, 1, mac[1]);
    cor_hello_prove(secret, COR_HELLO_CALLER, wrong, bytes, 1, mac[2]);
    cor_hello_prove(secret, COR_HELLO_CALLER, bytes, wrong, 2, mac[3]);
    cor_hello_prove(other_secret, COR_HELLO_CALLER, bytes, wrong, 1, mac[4]);
    cor_hello_prove(secret, COR_HELLO_CALLER, bytes, wrong, 1, mac[5]);
    for (int i = 1; i < 5; i++)
        CHECK_EQUAL(0, cor_bytes_are_equal(mac[0], mac[i], COR_SHA256_BYTES));
    CHECK_EQUAL(1, cor_bytes_are_equal(mac[0], mac[5], COR_SHA256_BYTES));
}

static void test_welcome(void)
{
    uint8_t bytes[COR_WELCOME_BYTES];
    cor_hello_verdict verdict;
    uint32_t received;
    cor_fault fault;
    cor_welcome_encode(COR_HELLO_GIVEN_UP, 77, bytes);
    CHECK_OK(cor_welcome_decode(bytes, &verdict, &received, &fault));
    CHECK_EQUAL(COR_HELLO_GIVEN_UP, verdict);
    CHECK_EQUAL(77, received);
    bytes[4] = COR_HELLO_VERDICTS;
    CHECK_EQUAL(COR_ERR_PROTOCOL, cor_welcome_decode(bytes, &verdict, &received, &fault));
    bytes[4] = COR_HELLO_TAKEN;
    bytes[0] = 'X';
    CHECK_EQUAL(COR_ERR_PROTOCOL, cor_welcome_decode(bytes, &verdict, &received, &fault));
}

static void test_address(void)
{
    tcp_address address = {.host_key = 0xabcdef01, .host = "node7"};
    char text[COR_WIRE_ADDRESS_MAX];
    tcp_address back;
    cor_fault fault;
    address.has_secret = 1;
    memset(address.secret, 0xa5, sizeof address.secret);
    /* So many and so long that not all of them find room. */
    for (int i = 0; i < TCP_PLACES_MAX; i++) {
        cor_place *place = &address.places[address.place_count++];
        place->prefix_bits = i % 2 ? 128 : 24;
        if (i % 2) {
            place->socket.v6.sin6_family = AF_INET6;
            place->socket.v6.sin6_port = htons(65535);
            memset(&place->socket.v6.sin6_addr, 0xfd, sizeof place->socket.v6.sin6_addr);
        } else {
            place->socket.v4.sin_family = AF_INET;
            place->socket.v4.sin_port = htons((uint16_t)(1 + i));
            place->socket.v4.sin_addr.s_addr = htonl(0xc0a80100u + (uint32_t)i);
        }
    }
    tcp_address_print(&address, text);
    CHECK(strlen(text) < COR_WIRE_ADDRESS_MAX);
    CHECK_OK(tcp_address_parse(text, &back, &fault));
    CHECK(back.place_count >= 2 && back.place_count < TCP_PLACES_MAX);
    CHECK_EQUAL(0, memcmp(back.places, address.places, (size_t)back.place_count * sizeof *back.places));
    CHECK_EQUAL(0, memcmp(back.secret, address.secret, sizeof back.secret));
    CHECK_EQUAL(0, strcmp(back.host, "node7"));
    CHECK_EQUAL(0xabcdef01, back.host_key);
    static const char *const wrong[] = {
        "",
        "sm1,2,3",
        "tcp3,1,host,-",
        "tcp3,x8,1,host,-,127.0.0.1/8+1",
        "tcp3,1,host,zz,127.0.0.1/8+1",
        "tcp3,1,host,-,127.0.0.1/8",
        "tcp3,1,host,-,127.0.0.1+8/1",
        "tcp3,1,host,-,127.0.0.1/8+0",
        "tcp3,1,host,-,127.0.0.1/8+65536",
        "tcp3,1,host,-,127.0.0.300/8+1",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_EQUAL(COR_ERR_PROTOCOL, tcp_address_parse(wrong[i], &back, &fault));
}

int main(void)
{
    test_frame();
    test_hello();
    test_welcome();
    test_address();
    puts("frames, hellos and addresses are told and understood");
    return 0;
}
