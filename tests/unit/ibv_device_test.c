/* SPDX-License-Identifier: Apache-2.0 */
/* Queues that keep to the limits of an adapter, and what is said of one that has too little. */
#include "check.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdio.h>
#include <string.h>

static const struct ibv_device_attr ample = {.max_srq = 1000,
                                             .max_srq_wr = 32767,
                                             .max_qp_wr = 16384,
                                             .max_cqe = 1 << 22,
                                             .max_qp_rd_atom = 16,
                                             .max_qp_init_rd_atom = 16};

typedef struct fit_row {
    int ranks, srq, srq_wr, qp_wr, cqe; /* limits; 0: ample */
    int credits, send_queue;            /* that are found */
    int signal_every;                   /* the same; 0: 16 or half of the send queue, what is less */
    uint32_t vendor;
    const char *why; /* or this */
} fit_row;

static const fit_row rows[] = {
    {.ranks = 2, .credits = 32, .send_queue = 64},
    {.ranks = 1, .credits = 32, .send_queue = 64},
    {.ranks = 4096, .credits = 8, .send_queue = 64},
    {.ranks = 2, .srq_wr = 20, .qp_wr = 50, .credits = 20, .send_queue = 32},
    {.ranks = 3, .cqe = 100, .credits = 32, .send_queue = 16},
    {.ranks = 2, .credits = 32, .send_queue = 64, .signal_every = 1, .vendor = IBW_VENDOR_SIW},
    {.ranks = 64, .srq_wr = 32, .why = "room for 32 receives and 4194304 completions, too few for 64 ranks"},
    {.ranks = 3, .cqe = 64, .why = "room for 32767 receives and 64 completions, too few for 3 ranks"},
    {.ranks = 2, .srq = -1, .why = "device irdma0 has no shared receive queues, which ibvdev needs; ofidev"},
    {.ranks = 2, .srq_wr = -1, .why = "device irdma0 has no shared receive queues, which ibvdev needs; ofidev"},
};

/* -1 stands for none. */
static int limit_of(int given, int otherwise)
{
    return given < 0 ? 0 : given ? given : otherwise;
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const fit_row *row = &rows[i];
        struct ibv_device_attr limits = ample;
        ibw_wire wire = {.options.size = row->ranks,
                         .device = "irdma0",
                         .config = {.credits = 32, .send_queue = 64, .signal_every = 16}};
        cor_fault fault;
        limits.max_srq = limit_of(row->srq, ample.max_srq);
        limits.max_srq_wr = limit_of(row->srq_wr, ample.max_srq_wr);
        limits.max_qp_wr = limit_of(row->qp_wr, ample.max_qp_wr);
        limits.max_cqe = limit_of(row->cqe, ample.max_cqe);
        limits.vendor_id = row->vendor;
        int rc = ibw_device_fit(&wire, &limits, &fault);
        if (row->why) {
            CHECK_EQUAL(COR_ERR_UNSUPPORTED, rc);
            CHECK(strstr(fault.text, row->why) != NULL);
        } else {
            CHECK_OK(rc);
            CHECK_EQUAL(row->credits, wire.config.credits);
            CHECK_EQUAL(row->send_queue, wire.config.send_queue);
            int half = row->send_queue / 2 < 16 ? row->send_queue / 2 : 16;
            CHECK_EQUAL(row->signal_every ? row->signal_every : half, wire.config.signal_every);
        }
    }
    puts("queues fit the adapter");
    return 0;
}
