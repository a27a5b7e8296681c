/* What the verbs wire believes: addresses, greetings, frames. */
#include "check.h"
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
}

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
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ibw_address found;
        cor_fault fault = {0};
        CHECK(ibw_address_parse(wrong[i], &found, &fault) == COR_ERR_PROTOCOL);
        CHECK(strstr(fault.text, "no address of the verbs wire") != NULL);
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
    frame.kind = IBW_HELLO + 1;
    CHECK(!ibw_frame_is_sound(&frame, sizeof frame));
}

int main(void)
{
    test_addresses_come_back();
    test_wrong_addresses_are_told();
    test_greetings_are_for_one();
    test_frames_have_their_length();
    puts("addresses, greetings and frames are told and understood");
    return 0;
}
