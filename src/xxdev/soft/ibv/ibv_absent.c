/* SPDX-License-Identifier: Apache-2.0 */
/* In place of the verbs wire where Corunna was built without the headers it needs: it reaches nobody. */
#include "xxdev/soft/ibv/ibv.h"
#include "xxdev/soft/ibv/ibv_text.h"

#include <stdlib.h>

static int absent_open(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    (void)options;
    (void)wire_p;
    return cor_fault_set(
        fault, COR_ERR_UNSUPPORTED,
        "this Corunna was built without RDMA: build it where the headers of libibverbs and librdmacm are "
        "installed (Debian packages libibverbs-dev, librdmacm-dev)");
}

const cor_wire_ops cor_ibv_wire = {.name = "ibv", .summary = "InfiniBand, RoCE and iWARP", .open = absent_open};

/* ---- in hybrid devices, whose other ranks may have been built with it ---------------------------------------------- */

static int absent_arm(cor_wait_source *source)
{
    (void)source;
    return 1;
}

static int absent_open_if_any(const cor_wire_options *options, cor_wire **wire_p, cor_fault *fault)
{
    (void)options;
    cor_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the verbs wire");
    *wire = (cor_wire){.ops = &cor_ibv_wire_if_any, .source = {.arm = absent_arm}};
    *wire_p = wire;
    return COR_OK;
}

static void absent_address(cor_wire *wire, char *text)
{
    ibw_address none = {.host = "unknown"};
    (void)wire;
    ibw_address_print(&none, text);
}

static int absent_connect(cor_wire *wire, const char *const *addresses, uint8_t *reached, cor_fault *fault)
{
    (void)wire;
    (void)addresses;
    (void)reached;
    (void)fault;
    return COR_OK;
}

static int absent_attach(cor_wire *wire, cor_fault *fault)
{
    (void)wire;
    (void)fault;
    return COR_OK;
}

static void absent_settle(cor_wire *wire)
{
    (void)wire;
}

static void absent_close(cor_wire *wire)
{
    free(wire);
}

static int absent_poll(cor_wire *wire, int first)
{
    (void)wire;
    (void)first;
    return 0;
}

const cor_wire_ops cor_ibv_wire_if_any = {
    .name = "ibv",
    .summary = "InfiniBand, RoCE and iWARP",
    .open = absent_open_if_any,
    .address = absent_address,
    .connect = absent_connect,
    .attach = absent_attach,
    .settle = absent_settle,
    .close = absent_close,
    .poll = absent_poll,
};
