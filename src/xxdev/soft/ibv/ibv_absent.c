/* In place of the verbs wire where Corunna was built without the headers it needs. */
#include "xxdev/soft/ibv/ibv.h"

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
