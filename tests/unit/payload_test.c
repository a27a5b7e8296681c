/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads: any two of them, read and written in random pieces or copied from one to the other, carry the same bytes.
 * Beside plain memory there is one whose bytes lie backwards, so that it cannot be taken for plain memory by mistake,
 * and one that can be mapped.
 */
#include "check.h"
#include "unit_random.h"

#include "dtype/payload.h"

#include <string.h>

typedef struct holder {
    int held, mapped, written;
} holder;

static void backwards_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    const char *base = p->base;
    for (size_t i = 0; i < length; i++)
        ((char *)to)[i] = base[p->bytes - 1 - offset - i];
}

static void backwards_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    char *base = p->base;
    for (size_t i = 0; i < length; i++)
        base[p->bytes - 1 - offset - i] = ((const char *)from)[i];
}

static void count_hold(cor_payload *p)
{
    ((holder *)p->owner)->held++;
}

static void count_release(cor_payload *p)
{
    ((holder *)p->owner)->held--;
}

static void mapped_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    memcpy(to, (const char *)p->base + offset, length);
}

static void mapped_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    memcpy((char *)p->base + offset, from, length);
}

static void *mapped_map(const cor_payload *p)
{
    ((holder *)p->owner)->mapped++;
    return p->base;
}

static void mapped_unmap(const cor_payload *p, void *memory, int is_written)
{
    holder *h = p->owner;
    CHECK(memory == p->base);
    h->mapped--;
    h->written += is_written;
}

static const cor_payload_ops backwards_ops = {
    .read = backwards_read, .write = backwards_write, .hold = count_hold, .release = count_release};
static const cor_payload_ops mapped_ops = {
    .read = mapped_read, .write = mapped_write, .map = mapped_map, .unmap = mapped_unmap};

enum { KINDS = 3, MAX_BYTES = 70000 };

static cor_payload make(int kind, void *memory, size_t bytes, holder *h)
{
    cor_payload p = cor_payload_plain(memory, bytes);
    p.owner = h;
    p.ops = kind == 0 ? NULL : kind == 1 ? &backwards_ops : &mapped_ops;
    return p;
}

/* Write `data` through the payload in random pieces and read it back in others. */
static void test_pieces(int kind, const char *data, size_t bytes, uint64_t *random)
{
    char *memory = calloc(1, bytes + 1), *back = calloc(1, bytes + 1);
    holder h = {0};
    cor_payload p = make(kind, memory, bytes, &h);
    for (int turn = 0; turn < 2; turn++)
        for (size_t at = 0; at < bytes;) {
            size_t piece = 1 + unit_random(random) % (unit_random(random) % 2 ? 80 : 9000);
            piece = piece < bytes - at ? piece : bytes - at;
            if (turn == 0)
                cor_payload_write(&p, at, data + at, piece);
            else
                cor_payload_read(&p, at, back + at, piece);
            at += piece;
        }
    CHECK_EQUAL(0, memcmp(data, back, bytes));
    CHECK_EQUAL(0, memory[bytes]);
    free(memory);
    free(back);
}

static void test_copy(int from_kind, int to_kind, const char *data, size_t bytes, size_t length)
{
    char *from_memory = malloc(bytes + 1), *to_memory = calloc(1, bytes + 1), *back = calloc(1, bytes + 1);
    holder from_holder = {0}, to_holder = {0};
    cor_payload from = make(from_kind, from_memory, bytes, &from_holder);
    cor_payload to = make(to_kind, to_memory, bytes, &to_holder);
    cor_payload_write(&from, 0, data, bytes);
    cor_payload_copy(&to, &from, length);
    cor_payload_read(&to, 0, back, bytes);
    CHECK_EQUAL(0, memcmp(data, back, length));
    for (size_t i = length; i < bytes; i++)
        CHECK_EQUAL(0, back[i]);
    CHECK_EQUAL(0, from_holder.mapped);
    CHECK_EQUAL(0, to_holder.mapped);
    CHECK_EQUAL(0, from_holder.written); /* the source is only read */
    free(from_memory);
    free(to_memory);
    free(back);
}

static void test_hold(void)
{
    holder h = {0};
    char memory[4];
    cor_payload p = make(1, memory, sizeof memory, &h);
    cor_payload_release(&p);
    CHECK_EQUAL(0, h.held);
    cor_payload_hold(&p);
    cor_payload_hold(&p); /* once is enough */
    CHECK_EQUAL(1, h.held);
    cor_payload_release(&p);
    CHECK_EQUAL(0, h.held);
    p = cor_payload_plain(memory, sizeof memory);
    cor_payload_hold(&p);
    CHECK_EQUAL(0, p.is_held);
}

int main(void)
{
    static const size_t sizes[] = {0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 4096, 8193, MAX_BYTES};
    uint64_t random = unit_seed();
    char *data = malloc(MAX_BYTES);
    for (size_t i = 0; i < MAX_BYTES; i++)
        data[i] = (char)(1 + unit_random(&random) % 255); /* no 0, which marks what was not copied */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            test_pieces(kind, data, sizes[i], &random);
            for (int to_kind = 0; to_kind < KINDS; to_kind++) {
                test_copy(kind, to_kind, data, sizes[i], sizes[i]);
                test_copy(kind, to_kind, data, sizes[i], sizes[i] / 2);
            }
        }
    test_hold();
    free(data);
    return 0;
}
