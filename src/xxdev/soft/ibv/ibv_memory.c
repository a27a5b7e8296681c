/* Remote memory: registering it, reading and writing it. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdlib.h>

static int memory_enter(cor_wire *base, void *memory, size_t bytes, cor_wire_key *key_p, void **registration_p)
{
    ibw_wire *wire = ibw_of(base);
    struct ibv_mr *region = wire->library.do_ibv_reg_mr(
        wire->domain, memory, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
    if (!region)
        return COR_AGAIN; /* constants, or too much for the adapter: in pieces */
    *key_p = (cor_wire_key){{(uintptr_t)memory, region->rkey, bytes}};
    *registration_p = region;
    return COR_OK;
}

static void memory_leave(cor_wire *base, void *registration)
{
    ibw_of(base)->library.do_ibv_dereg_mr(registration);
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static int copy_post_segment(ibw_wire *wire, ibw_link *link, ibw_copy *copy)
{
    size_t left = copy->bytes - copy->posted;
    uint32_t segment = (uint32_t)(left < wire->segment_max_bytes ? left : wire->segment_max_bytes);
    struct ibv_sge place = {.addr = (uintptr_t)copy->local + copy->posted, .length = segment, .lkey = copy->local_key};
    struct ibv_send_wr request = {.sg_list = &place,
                                  .num_sge = 1,
                                  .opcode = copy->is_get ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
                                  .wr.rdma = {.remote_addr = copy->remote + copy->posted, .rkey = copy->remote_key}};
    copy->posted += segment;
    copy->pending++;
    link->reads += copy->is_get;
    if (!ibw_post(wire, link, &request, (ibw_sent){.copy = copy}))
        return 0;
    if (copy->posted == copy->bytes)
        cor_list_remove(&copy->link);
    return 1;
}

/* In the order they were asked for, as far as the send queue and the adapter's limit of reads allow. */
void ibw_copies_start(ibw_wire *wire, ibw_link *link)
{
    while (link->state == IBW_OPEN && !cor_list_is_empty(&link->copies) && ibw_send_room(wire, link) >= 2) {
        ibw_copy *copy = COR_OWNER(link->copies.next, ibw_copy, link);
        if ((copy->is_get && link->reads >= link->reads_max) || !copy_post_segment(wire, link, copy))
            return;
    }
}

void ibw_copy_done(ibw_wire *wire, ibw_link *link, ibw_copy *copy, int is_fine)
{
    link->reads -= copy->is_get;
    if (--copy->pending > 0 || copy->posted < copy->bytes)
        return;
    void *context = copy->context;
    free(copy);
    if (is_fine && link->state != IBW_LOST) /* else its loss is told */
        wire->options.copied(wire->options.sink, context, COR_OK);
}

static int memory_copy(cor_wire *base, int rank, ibw_copy asked)
{
    ibw_wire *wire = ibw_of(base);
    ibw_link *link = wire->links[rank];
    if (!link || link->state != IBW_OPEN)
        return COR_AGAIN;
    ibw_copy *copy = malloc(sizeof *copy);
    if (!copy)
        return COR_ERR_MEMORY;
    *copy = asked;
    cor_list_append(&link->copies, &copy->link);
    ibw_copies_start(wire, link);
    return COR_OK;
}

static int memory_get(cor_wire *base, int rank, const cor_wire_key *from, void *to, void *registration, size_t bytes,
                      void *context)
{
    const struct ibv_mr *region = registration;
    return memory_copy(base, rank,
                       (ibw_copy){.is_get = 1,
                                  .remote = from->words[0],
                                  .remote_key = (uint32_t)from->words[1],
                                  .local_key = region->lkey,
                                  .local = to,
                                  .bytes = bytes,
                                  .context = context});
}

static int memory_put(cor_wire *base, int rank, const cor_wire_key *to, const void *from, void *registration,
                      size_t bytes, void *context)
{
    const struct ibv_mr *region = registration;
    return memory_copy(base, rank,
                       (ibw_copy){.remote = to->words[0],
                                  .remote_key = (uint32_t)to->words[1],
                                  .local_key = region->lkey,
                                  .local = (char *)(uintptr_t)from,
                                  .bytes = bytes,
                                  .context = context});
}

const cor_wire_memory_ops ibw_memory = {memory_enter, memory_leave, memory_get, memory_put};
