/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 and HMAC against the vectors of FIPS 180-4 and RFC 4231. */
#include "base/sha256.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static void expect_digest(const char *expected, const uint8_t digest[COR_SHA256_BYTES])
{
    char text[2 * COR_SHA256_BYTES + 1];
    for (int i = 0; i < COR_SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    CHECK_TEXT(expected, text);
}

/* `text` again and again, fed in pieces of `piece` bytes. */
static void check_hash(const char *text, int times, size_t piece, const char *expected)
{
    size_t length = strlen(text), total = length * (size_t)times;
    char *all = malloc(total + 1);
    uint8_t digest[COR_SHA256_BYTES];
    cor_sha256 hash;
    for (int i = 0; i < times; i++)
        memcpy(all + (size_t)i * length, text, length);
    cor_sha256_init(&hash);
    for (size_t at = 0; at < total; at += piece)
        cor_sha256_add(&hash, all + at, total - at < piece ? total - at : piece);
    cor_sha256_end(&hash, digest);
    expect_digest(expected, digest);
    free(all);
}

static void check_hmac(const void *key, size_t key_bytes, const char *data, const char *expected)
{
    uint8_t mac[COR_SHA256_BYTES];
    cor_hmac hmac;
    cor_hmac_init(&hmac, key, key_bytes);
    cor_hmac_add(&hmac, data, strlen(data) / 2);
    cor_hmac_add(&hmac, data + strlen(data) / 2, strlen(data) - strlen(data) / 2);
    cor_hmac_end(&hmac, mac);
    expect_digest(expected, mac);
}

int main(void)
{
    static const size_t pieces[] = {1, 7, 63, 64, 65, 1000000};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        check_hash("", 0, pieces[i], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check_hash("abc", 1, pieces[i], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        check_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, pieces[i],
                   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        check_hash("a", 1000000, pieces[i], "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
    uint8_t key[131];
    memset(key, 0x0b, 20);
    check_hmac(key, 20, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    check_hmac("Jefe", 4, "what do ya want for nothing?",
               "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    check_hmac(key, sizeof key, "Test Using Larger Than Block-Size Key - Hash Key First",
               "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");

    CHECK_EQUAL(1, cor_bytes_are_equal("abcd", "abcd", 4));
    CHECK_EQUAL(0, cor_bytes_are_equal("abcd", "abce", 4));
    CHECK_EQUAL(0, cor_bytes_are_equal("abcd", "bbcd", 4));
    CHECK_EQUAL(1, cor_bytes_are_equal("a", "b", 0));
    uint8_t one[32] = {0}, other[32] = {0};
    CHECK_EQUAL(0, cor_random_bytes(one, sizeof one));
    CHECK_EQUAL(0, cor_random_bytes(other, sizeof other));
    CHECK_EQUAL(0, cor_bytes_are_equal(one, other, sizeof one));
    puts("all digests are right");
    return 0;
}
