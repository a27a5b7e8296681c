/* SPDX-License-Identifier: Apache-2.0 */
/* How large the slots of mailboxes are: all mailboxes together keep to the limit, whatever the job, and a slot never holds more
 * than a buffer to send from. */
#include "check.h"
#include "unit_random.h"

#include "xxdev/soft/ibv/ibv_mailbox.h"

enum { SLOT_OVERHEAD = 56, WORD_BYTES = 64 };

static void limits_are_kept(void)
{
    uint64_t random = unit_seed();
    for (int i = 0; i < 100000; i++) {
        size_t packet = unit_random(&random) % 20000, buffer = 512 + unit_random(&random) % 20000;
        size_t all = unit_random(&random) % (8u << 20);
        int ranks = 1 + (int)(unit_random(&random) % 5000);
        uint32_t slot = ibw_mailbox_slot_bytes(packet, buffer, all, ranks);
        CHECK(slot % 64 == 0);
        CHECK(slot <= buffer);
        CHECK(slot == 0 || slot >= SLOT_OVERHEAD + 8);
        CHECK(slot == 0 || packet > 0);
        CHECK(slot == 0 || (size_t)(ranks - 1) * (WORD_BYTES + (size_t)slot * IBW_MAIL_SLOTS) <= all);
        CHECK(slot < packet + SLOT_OVERHEAD + 8 + 64);
    }
}

/* As the documentation has it. */
static void slots_shrink_with_the_job(void)
{
    static const struct {
        int ranks;
        uint32_t slot;
    } rows[] = {{2, 1088}, {64, 1088}, {256, 1024}, {1024, 192}, {2048, 64}, {4096, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQUAL(rows[i].slot, ibw_mailbox_slot_bytes(1024, 8192, 4 << 20, rows[i].ranks));
}

int main(void)
{
    limits_are_kept();
    slots_shrink_with_the_job();
    return 0;
}
