/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs wire believes: addresses, greetings, datagrams, frames. */
#include "check.h"
#include "xxdev/soft/ibv/ibv.h"
#include "xxdev/soft/ibv/ibv_text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const uint8_t secret[IBW_SECRET_BYTES] = {1, 2, 3, 250};

static void test_addresses_come_back(void)
{
    ibw_address address = {.host = "node7", .has_device = 1, .has_secret = 1, .buffer_bytes = 8192}, found;
    char text[COR_WIRE_ADDRESS_MAX], again[COR_WIRE_ADDRESS_MAX];
    memcpy(address.secret, secret, sizeof secret);
    address.place.v6.sin6_family = AF_INET6;
    address.place.v6.sin6_port = htons(65535);
    CHECK(inet_pton(AF_INET6, "fd00:1:2:3:4:5:6:7", &address.place.v6.sin6_addr) == 1);
    ibw_address_print(&address, text);
    CHECK(ibw_address_parse(text, &found, NULL) == COR_OK);
    ibw_address_print(&found, again);
    CHECK(strcmp(text, again) == 0);
    CHECK(memcmp(found.secret, secret, sizeof secret) == 0);

    address = (ibw_address){.host = "node7", .buffer_bytes = 8192};
    ibw_address_print(&address, text);
    CHECK(ibw_address_parse(text, &found, NULL) == COR_OK);
    CHECK(!found.has_device && strcmp(found.host, "node7") == 0);

    CHECK(ibw_address_parse(COR_IBV_ABSENT_ADDRESS, &found, NULL) == COR_OK);
    CHECK(!found.has_device);
    ibw_address_print(&found, again);
    CHECK(strcmp(COR_IBV_ABSENT_ADDRESS, again) == 0);
}

static void test_spots_come_back(void)
{
    ibw_address address = {.host = "node7", .has_device = 1, .has_spot = 1, .buffer_bytes = 8192}, found;
    char text[COR_WIRE_ADDRESS_MAX], again[COR_WIRE_ADDRESS_MAX];
    address.spot = (ibw_spot){.gid_kind = IBW_GID_ROCE_2,
                              .mtu = 5,
                              .lid = 0xabcd,
                              .queue = 0x123456,
                              .key = 0x7fffff01,
                              .gid = {1, [15] = 255}};
    memset(address.host, 'h', IBW_HOST_MAX - 1);
    address.has_secret = 1;
    ibw_address_print(&address, text);
    CHECK(ibw_address_parse(text, &found, NULL) == COR_OK);
    CHECK(found.has_spot && found.spot.lid == 0xabcd && found.spot.queue == 0x123456 && found.spot.key == 0x7fffff01);
    CHECK(found.spot.gid_kind == IBW_GID_ROCE_2 && found.spot.mtu == 5 && found.spot.gid[15] == 255);
    ibw_address_print(&found, again);
    CHECK(strcmp(text, again) == 0);
}

#define SPOT_GID "0102030405060708090a0b0c0d0e0f10"

static void test_wrong_addresses_are_told(void)
{
    static const char *const wrong[] = {
        "",
        "ibv1",
        "ibv1,",
        "ibv1,host",
        "ibv1,host,",
        "ibv1,host,nothing",
        "ibv1,host,8192,-",
        "ibv1,host,8192,-,",
        "ibv1,host,8192,-,10.0.0.1",
        "ibv1,host,8192,-,10.0.0.1+",
        "ibv1,host,8192,-,10.0.0.1+0",
        "ibv1,host,8192,-,10.0.0.1+65536",
        "ibv1,host,8192,-,10.0.0.1+7x",
        "ibv1,host,8192,-,10.0.0.300+7",
        "ibv1,host,8192,00ff,10.0.0.1+7",
        "ibv1,host,-8192,-,10.0.0.1+7",
        "ibv1,host,many,-,10.0.0.1+7",
        "ibv1,host,8192,-,1111111111111111111111111111111111111111111111111111111+7",
        "ibv2,host,8192,-,x",
        "ibv2,host,8192,-,x020500001200000001000000" SPOT_GID "0",
        "ibv2,host,8192,-,x02050000120000000100000" SPOT_GID,
        "ibv2,host,8192,-,x03050000120000000100000g" SPOT_GID,
        "ibv2,host,8192,-,x030500001200000001000000" SPOT_GID, /* kind of GID */
        "ibv2,host,8192,-,x020600001200000001000000" SPOT_GID, /* MTU */
        "ibv2,host,8192,-,x020000001200000001000000" SPOT_GID,
        "ibv2,host,8192,-,x020500000100000001000000" SPOT_GID, /* queue pair 1 is the subnet manager's */
        "ibv2,host,8192,-,x020500001200000101000000" SPOT_GID, /* more than 24 bits */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ibw_address found;
        cor_fault fault = {0};
        CHECK(ibw_address_parse(wrong[i], &found, &fault) == COR_ERR_PROTOCOL);
        CHECK(strstr(fault.text, "no address of the verbs wire") != NULL);
    }
}

static void test_gids_are_ranked(void)
{
    static const uint8_t none[IBW_GID_BYTES] = {0},
                         mapped[IBW_GID_BYTES] = {[10] = 255, [11] = 255, [12] = 10, [15] = 1},
                         local[IBW_GID_BYTES] = {0xfe, 0x80, [15] = 1}, global[IBW_GID_BYTES] = {0xfd, [15] = 1};
    CHECK(ibw_gid_rank(IBW_GID_ROCE_2, none) == 0);
    CHECK(ibw_gid_rank(IBW_GID_IB, local) > 0);
    CHECK(ibw_gid_rank(IBW_GID_ROCE_2, mapped) > ibw_gid_rank(IBW_GID_ROCE_2, global));
    CHECK(ibw_gid_rank(IBW_GID_ROCE_2, global) > ibw_gid_rank(IBW_GID_ROCE_2, local));
    CHECK(ibw_gid_rank(IBW_GID_ROCE_2, local) > ibw_gid_rank(IBW_GID_ROCE_1, mapped));
    CHECK(ibw_gid_rank(IBW_GID_ROCE_1, mapped) > ibw_gid_rank(IBW_GID_ROCE_1, local));
}

static void test_datagrams_are_for_one(void)
{
    const ibw_datagram said = {.kind = IBW_CALL,
                               .reads = 16,
                               .from = 3,
                               .to = 5,
                               .call = 7,
                               .credits = 32,
                               .queue = 0x123456,
                               .packet = 0xfedcba};
    uint8_t bytes[IBW_DATAGRAM_BYTES + 1] = {0}, other[IBW_SECRET_BYTES] = {1};
    ibw_datagram heard;
    ibw_datagram_write(&said, secret, bytes);
    CHECK(ibw_datagram_read(&heard, secret, 5, 6, bytes, IBW_DATAGRAM_BYTES));
    CHECK(heard.kind == IBW_CALL && heard.from == 3 && heard.call == 7 && heard.credits == 32 && heard.reads == 16);
    CHECK(heard.queue == 0x123456 && heard.packet == 0xfedcba);
    CHECK(!ibw_datagram_read(&heard, other, 5, 6, bytes, IBW_DATAGRAM_BYTES));
    CHECK(!ibw_datagram_read(&heard, secret, 4, 6, bytes, IBW_DATAGRAM_BYTES));
    CHECK(!ibw_datagram_read(&heard, secret, 5, 6, bytes, IBW_DATAGRAM_BYTES - 1));
    CHECK(!ibw_datagram_read(&heard, secret, 5, 6, bytes, IBW_DATAGRAM_BYTES + 1));
    for (int i = 0; i < IBW_DATAGRAM_BYTES; i++) {
        bytes[i] ^= 1;
        CHECK(!ibw_datagram_read(&heard, secret, 5, 6, bytes, IBW_DATAGRAM_BYTES));
        bytes[i] ^= 1;
    }
}

/* What a rank of the job signs need not make sense. */
static void test_wrong_datagrams_are_ignored(void)
{
    const ibw_datagram right = {.kind = IBW_ANSWER, .from = 3, .to = 5, .call = 1, .credits = 4, .queue = 2};
    ibw_datagram wrong[10];
    for (int i = 0; i < 10; i++)
        wrong[i] = right;
    wrong[0].kind = 0;
    wrong[1].kind = IBW_REFUSAL + 1;
    wrong[2].from = 6;
    wrong[3].from = 5;
    wrong[4].call = 0;
    wrong[5].credits = 3;
    wrong[6].credits = (1 << 14) + 1;
    wrong[7].queue = 1;
    wrong[8].queue = 1 << 24;
    wrong[9].packet = 1 << 24;
    for (int i = -1; i < 10; i++) {
        uint8_t bytes[IBW_DATAGRAM_BYTES];
        ibw_datagram heard;
        ibw_datagram_write(i < 0 ? &right : &wrong[i], secret, bytes);
        CHECK(ibw_datagram_read(&heard, secret, 5, 6, bytes, sizeof bytes) == (i < 0));
    }
    for (int reason = 0; reason < 5; reason++) {
        const ibw_datagram refusal = {.kind = IBW_REFUSAL, .reason = (uint8_t)reason, .from = 3, .to = 5, .call = 1};
        uint8_t bytes[IBW_DATAGRAM_BYTES];
        ibw_datagram heard;
        ibw_datagram_write(&refusal, secret, bytes);
        CHECK(ibw_datagram_read(&heard, secret, 5, 6, bytes, sizeof bytes) == (reason >= 1 && reason <= 3));
    }
}

static void test_greetings_are_for_one(void)
{
    ibw_greeting said = {.from = 3, .to = 5, .credits = 32}, heard = {.to = 5};
    uint8_t bytes[IBW_GREETING_BYTES + 8] = {0}, other[IBW_SECRET_BYTES] = {1};
    ibw_greeting_write(&said, secret, bytes);
    CHECK(ibw_greeting_read(&heard, secret, bytes, sizeof bytes));
    CHECK(heard.from == 3 && heard.credits == 32);
    CHECK(!ibw_greeting_read(&heard, other, bytes, sizeof bytes));
    CHECK(!ibw_greeting_read(&heard, secret, bytes, IBW_GREETING_BYTES - 1));
    heard = (ibw_greeting){.to = 4};
    CHECK(!ibw_greeting_read(&heard, secret, bytes, sizeof bytes));
    heard = (ibw_greeting){.to = 5, .is_answer = 1};
    CHECK(!ibw_greeting_read(&heard, secret, bytes, sizeof bytes));
    for (int i = 0; i < IBW_GREETING_BYTES; i++) {
        if (i >= 12 && i < 16)
            continue; /* unused */
        bytes[i] ^= 1;
        heard = (ibw_greeting){.to = 5};
        CHECK(!ibw_greeting_read(&heard, secret, bytes, sizeof bytes));
        bytes[i] ^= 1;
    }
}

static void test_frames_have_their_length(void)
{
    ibw_frame frame = {.kind = IBW_PACKET, .bytes = 10};
    CHECK(ibw_frame_is_sound(&frame, sizeof frame + 10));
    CHECK(!ibw_frame_is_sound(&frame, sizeof frame + 9));
    CHECK(!ibw_frame_is_sound(&frame, sizeof frame - 1));
    CHECK(!ibw_frame_is_sound(&frame, 0));
    frame.kind = IBW_CREDITS;
    CHECK(!ibw_frame_is_sound(&frame, sizeof frame + 10));
    frame.bytes = 0;
    CHECK(ibw_frame_is_sound(&frame, sizeof frame));
    frame.kind = 0;
    CHECK(!ibw_frame_is_sound(&frame, sizeof frame));
    frame.kind = IBW_OFFER;
    CHECK(!ibw_frame_is_sound(&frame, sizeof frame));
}

int main(void)
{
    test_addresses_come_back();
    test_spots_come_back();
    test_wrong_addresses_are_told();
    test_gids_are_ranked();
    test_datagrams_are_for_one();
    test_wrong_datagrams_are_ignored();
    test_greetings_are_for_one();
    test_frames_have_their_length();
    puts("addresses, greetings, datagrams and frames are told and understood");
    return 0;
}
