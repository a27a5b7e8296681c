/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/registry.h"

#include "xxdev/mpi/mpidev.h"
#include "xxdev/sim/simdev.h"
#include "xxdev/soft/ibv/ibv.h"
#include "xxdev/soft/ofi/ofi.h"
#include "xxdev/soft/sm/sm.h"
#include "xxdev/soft/soft.h"
#include "xxdev/soft/tcp/tcp.h"
#include "xxdev/soft/ucx/ucx.h"

typedef struct registry_soft_settings {
    cor_soft_config device;
    cor_sm_config sm;
    cor_tcp_config tcp;
    cor_ibv_config ibv;
} registry_soft_settings;

typedef struct registry_settings {
    registry_soft_settings soft;
    cor_mpidev_config mpi;
    cor_fabric_config ucx, ofi;
    cor_simdev_config sim;
} registry_settings;

_Static_assert(sizeof(registry_settings) <= sizeof(cor_device_settings), "the settings of all devices have room");
_Static_assert(offsetof(registry_settings, soft) == 0, "hybdev finds the settings of the others behind its own");

/* ---- the software device, over different wires ------------------------------------------------------------------ */

/* The wires by preference. */
static int registry_open_soft(const cor_device_options *options, const char *name, const cor_soft_wire *wires,
                              int wire_count, cor_device **device_p, cor_fault *fault)
{
    cor_device_options own = *options;
    own.settings = &((const registry_soft_settings *)options->settings)->device;
    return cor_soft_open(&own, name, wires, wire_count, device_p, fault);
}

static int registry_open_hyb(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    const registry_settings *all = options->settings;
    const registry_soft_settings *settings = &all->soft;
    const cor_soft_wire library[] = {{.ops = &cor_sm_wire, .config = &settings->sm},
                                     settings->device.library == COR_SOFT_UCX
                                         ? (cor_soft_wire){.ops = &cor_ucx_wire, .config = &all->ucx}
                                         : (cor_soft_wire){.ops = &cor_ofi_wire, .config = &all->ofi}};
    if (settings->device.library != COR_SOFT_NO_LIBRARY)
        return registry_open_soft(options, "hybdev", library, 2, device_p, fault);
    const cor_soft_wire wires[] = {
        {.ops = &cor_sm_wire, .config = &settings->sm},
#if COR_HAS_RDMA
        {.ops = &cor_ibv_wire_if_any, .config = &settings->ibv},
#else
        {.absent_address = COR_IBV_ABSENT_ADDRESS},
#endif
        {.ops = &cor_tcp_wire, .config = &settings->tcp}
    };
    return registry_open_soft(options, "hybdev", wires, 3, device_p, fault);
}

static int registry_check_hyb(const void *settings, cor_fault *fault)
{
    int library = ((const registry_settings *)settings)->soft.device.library;
    return library == COR_SOFT_NO_LIBRARY
               ? COR_OK
               : cor_fabric_check(library == COR_SOFT_UCX ? &cor_ucx_kind : &cor_ofi_kind, "hybdev", fault);
}

static int registry_open_sm(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    const registry_soft_settings *settings = options->settings;
    const cor_soft_wire wires[] = {{.ops = &cor_sm_wire, .config = &settings->sm}};
    return registry_open_soft(options, "smdev", wires, 1, device_p, fault);
}

static int registry_open_tcp(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    const registry_soft_settings *settings = options->settings;
    const cor_soft_wire wires[] = {{.ops = &cor_tcp_wire, .config = &settings->tcp}};
    return registry_open_soft(options, "tcpdev", wires, 1, device_p, fault);
}

#if COR_HAS_RDMA
/* By shared memory a rank reaches itself, and no other. */
static int registry_open_ibv(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    const registry_soft_settings *settings = options->settings;
    const cor_soft_wire wires[] = {{.ops = &cor_ibv_wire, .config = &settings->ibv},
                                   {.ops = &cor_sm_wire, .config = &settings->sm}};
    return registry_open_soft(options, "ibvdev", wires, 2, device_p, fault);
}

static int registry_check_ibv(const void *settings, cor_fault *fault)
{
    (void)settings;
    return cor_ibv_check(fault);
}
#else
static int registry_check_ibv(const void *settings, cor_fault *fault)
{
    (void)settings;
    return cor_fault_set(
        fault, COR_ERR_UNSUPPORTED,
        "this Corunna was built without RDMA: build it where the headers of libibverbs and librdmacm are "
        "installed (Debian packages libibverbs-dev, librdmacm-dev)");
}

static int registry_open_ibv(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    (void)device_p;
    return registry_check_ibv(options->settings, fault);
}
#endif

static cor_device_memory registry_memory_sm(const void *settings, int ranks)
{
    const cor_sm_config *config = &((const registry_soft_settings *)settings)->sm;
    return (cor_device_memory){cor_sm_pair_bytes(config, ranks), cor_sm_host_bytes(config, ranks)};
}

/* ---- over one library of fabrics, inside a host too -------------------------------------------------------------- */

static int registry_open_ucx(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    const registry_settings *all = options->settings;
    const cor_soft_wire wires[] = {{.ops = &cor_ucx_wire, .config = &all->ucx}};
    return registry_open_soft(options, "ucxdev", wires, 1, device_p, fault);
}

static int registry_check_ucx(const void *settings, cor_fault *fault)
{
    (void)settings;
    return cor_fabric_check(&cor_ucx_kind, "ucxdev", fault);
}

static int registry_open_ofi(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    const registry_settings *all = options->settings;
    const cor_soft_wire wires[] = {{.ops = &cor_ofi_wire, .config = &all->ofi}};
    return registry_open_soft(options, "ofidev", wires, 1, device_p, fault);
}

static int registry_check_ofi(const void *settings, cor_fault *fault)
{
    (void)settings;
    return cor_fabric_check(&cor_ofi_kind, "ofidev", fault);
}

/* ---- another MPI ------------------------------------------------------------------------------------------------ */

static int registry_boot_mpi(const void *settings, const cor_log *log, struct cor_boot **boot_p, cor_fault *fault)
{
    return cor_mpidev_boot(settings, log, boot_p, fault);
}

static const char *registry_launcher_mpi(const void *settings, cor_fault *fault)
{
    return cor_mpidev_launcher(settings, fault);
}

static int registry_check_mpi(const void *settings, cor_fault *fault)
{
    return cor_mpidev_check(settings, fault);
}

static const cor_device_start registry_start_mpi = {registry_boot_mpi, registry_launcher_mpi};

/* ---- the list --------------------------------------------------------------------------------------------------- */

#define REGISTRY_ROW(name, open, check, start, settings, memory, is_apart, summary)                                   \
    {#name, summary, open, check, start, offsetof(registry_settings, settings), memory, is_apart},

const cor_device_kind cor_device_kinds[] = {COR_DEVICE_LIST(REGISTRY_ROW, REGISTRY_ROW)};
const size_t cor_device_kind_count = sizeof cor_device_kinds / sizeof *cor_device_kinds;

const cor_device_knobs cor_device_knob_tables[COR_DEVICE_KNOB_TABLES] = {
    {"messages", &cor_soft_knobs, offsetof(registry_settings, soft.device)},
    {"shared memory", &cor_sm_knobs, offsetof(registry_settings, soft.sm)},
    {"TCP", &cor_tcp_knobs, offsetof(registry_settings, soft.tcp)},
    {"RDMA", &cor_ibv_knobs, offsetof(registry_settings, soft.ibv)},
    {"another MPI", &cor_mpidev_knobs, offsetof(registry_settings, mpi)},
    {"UCX", &cor_ucx_knobs, offsetof(registry_settings, ucx)},
    {"libfabric", &cor_ofi_knobs, offsetof(registry_settings, ofi)},
    {"simulation", &cor_simdev_knobs, offsetof(registry_settings, sim)},
};

static const void *registry_settings_of(int kind, const cor_device_settings *settings)
{
    return settings->bytes + cor_device_kinds[kind].settings_offset;
}

int cor_device_open(int kind, const cor_device_options *options, const cor_device_settings *settings,
                    cor_device **device_p, cor_fault *fault)
{
    cor_device_options own = *options;
    own.settings = registry_settings_of(kind, settings);
    return cor_device_kinds[kind].open(&own, device_p, fault);
}

int cor_device_check(int kind, const cor_device_settings *settings, cor_fault *fault)
{
    const cor_device_kind *device = &cor_device_kinds[kind];
    return device->check ? device->check(registry_settings_of(kind, settings), fault) : COR_OK;
}

int cor_device_boot(int kind, const cor_device_settings *settings, const cor_log *log, struct cor_boot **boot_p,
                    cor_fault *fault)
{
    return cor_device_kinds[kind].start->boot(registry_settings_of(kind, settings), log, boot_p, fault);
}

const char *cor_device_launcher(int kind, const cor_device_settings *settings, cor_fault *fault)
{
    return cor_device_kinds[kind].start->launcher(registry_settings_of(kind, settings), fault);
}

void cor_device_listen_options(const cor_device_settings *settings, cor_listen_options *options)
{
    const registry_settings *all = (const void *)settings->bytes;
    options->interface = all->soft.tcp.interface;
    options->ports = all->soft.tcp.ports;
    options->heartbeat_s = all->soft.tcp.heartbeat_s;
}

int cor_device_canonical(int kind)
{
    int first = 0;
    while (cor_device_kinds[first].open != cor_device_kinds[kind].open)
        first++;
    return first;
}

cor_device_memory cor_device_memory_of(int kind, const cor_device_settings *settings, int ranks)
{
    const cor_device_kind *device = &cor_device_kinds[kind];
    return device->memory ? device->memory(registry_settings_of(kind, settings), ranks) : (cor_device_memory){0};
}
