/* SPDX-License-Identifier: Apache-2.0 */
/* Which device, port and GID, where RDMA CM does not choose them by an IP address. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdio.h>
#include <string.h>

enum { PORT_HOPS = 64 };

/* ---- GIDs ------------------------------------------------------------------------------------------------------- */

/* The kernel tells of each GID what it is for; an empty place of the table has no such file, or it cannot be read. */
static int port_gid_kind(const ibw_wire *wire, int port, int index, int is_ethernet)
{
    char path[160], text[32] = "";
    if (!is_ethernet)
        return IBW_GID_IB;
    snprintf(path, sizeof path, "/sys/class/infiniband/%s/ports/%d/gid_attrs/types/%d", wire->device, port, index);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    int is_read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    return !is_read ? -1 : strstr(text, "v2") ? IBW_GID_ROCE_2 : IBW_GID_ROCE_1;
}

/* 0: there is none at that place. */
static int port_read_gid(const ibw_wire *wire, int port, int index, int is_ethernet, ibw_spot *spot_p)
{
    union ibv_gid gid;
    int kind = port_gid_kind(wire, port, index, is_ethernet);
    if (kind < 0 || wire->library.do_ibv_query_gid(wire->context, (uint8_t)port, index, &gid) != 0)
        return 0;
    spot_p->gid_kind = (uint8_t)kind;
    memcpy(spot_p->gid, gid.raw, sizeof gid.raw);
    return ibw_gid_rank((ibw_gid_kind)kind, spot_p->gid);
}

static int port_choose_gid(ibw_wire *wire, int port, const struct ibv_port_attr *is, cor_fault *fault)
{
    ibw_spot *spot = &wire->address.spot;
    int wanted = wire->config.gid_index, is_ethernet = is->link_layer == IBV_LINK_LAYER_ETHERNET, best = 0;
    int first = wanted >= 0 ? wanted : 0, last = wanted >= 0 || !is_ethernet ? first : is->gid_tbl_len - 1;
    for (int index = first; index <= last && index < is->gid_tbl_len; index++) {
        ibw_spot found = *spot;
        int rank = port_read_gid(wire, port, index, is_ethernet, &found);
        if (rank <= best)
            continue;
        best = rank;
        *spot = found;
        wire->gid_index = index;
    }
    if (best > 0)
        return COR_OK;
    if (wanted >= 0)
        return cor_fault_set(
            fault, COR_ERR_KNOB,
            "ibv.gid_index is %d, but port %d of the RDMA device %s has no GID there (`ibv_devinfo -v` "
            "lists them; -1 chooses one)",
            wanted, port, wire->device);
    return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                         "port %d of the RDMA device %s has no GID (an IP address gives RoCE one)", port,
                         wire->device);
}

/* ---- ports and devices ------------------------------------------------------------------------------------------ */

static int port_try(ibw_wire *wire, int port, cor_fault *fault)
{
    struct ibv_port_attr is = {0};
    int wanted = wire->config.mtu;
    if (wire->library.do_ibv_query_port(wire->context, (uint8_t)port, (struct _compat_ibv_port_attr *)&is) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "port %d of the RDMA device %s does not answer", port,
                             wire->device);
    if (is.state != IBV_PORT_ACTIVE)
        return cor_fault_set(
            fault, COR_ERR_UNSUPPORTED,
            "port %d of the RDMA device %s is %s (`rdma link` shows the ports; ibv.device and ibv.port "
            "choose another)",
            port, wire->device, is.state == IBV_PORT_DOWN ? "down" : "not active yet");
    if (wanted > (int)is.active_mtu)
        return cor_fault_set(fault, COR_ERR_KNOB, "ibv.mtu is %d, but port %d of the RDMA device %s has %d",
                             128 << wanted, port, wire->device, 128 << is.active_mtu);
    wire->address.spot = (ibw_spot){.lid = is.lid, .mtu = (uint8_t)(wanted ? wanted : (int)is.active_mtu)};
    int rc = port_choose_gid(wire, port, &is, fault);
    if (rc == COR_OK)
        wire->port = port;
    return rc;
}

static int port_choose(ibw_wire *wire, cor_fault *fault)
{
    struct ibv_device_attr limits;
    int wanted = wire->config.port, rc = COR_ERR_UNSUPPORTED;
    if (wire->library.do_ibv_query_device(wire->context, &limits) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "the RDMA device %s does not answer", wire->device);
    if (wanted > limits.phys_port_cnt)
        return cor_fault_set(fault, COR_ERR_KNOB, "ibv.port is %d, but the last port of the RDMA device %s is %d",
                             wanted, wire->device, limits.phys_port_cnt);
    for (int port = wanted ? wanted : 1; rc != COR_OK && port <= (wanted ? wanted : limits.phys_port_cnt); port++)
        rc = port_try(wire, port, fault);
    return rc;
}

static int port_try_device(ibw_wire *wire, struct ibv_device *device, cor_fault *fault)
{
    snprintf(wire->device, sizeof wire->device, "%s", wire->library.do_ibv_get_device_name(device));
    if (device->transport_type == IBV_TRANSPORT_IWARP)
        return cor_fault_set(
            fault, COR_ERR_UNSUPPORTED,
            "the RDMA device %s is of iWARP, which is connected by RDMA CM alone: it needs an IP address "
            "that is up, and ibv.setup=cm",
            wire->device);
    if (device->transport_type != IBV_TRANSPORT_IB)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "the RDMA device %s has no reliable connections",
                             wire->device);
    wire->context = wire->library.do_ibv_open_device(device);
    if (!wire->context)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "the RDMA device %s cannot be opened (may this user write to /dev/infiniband?)",
                             wire->device);
    int rc = port_choose(wire, fault);
    if (rc == COR_OK)
        return rc;
    wire->library.do_ibv_close_device(wire->context);
    wire->context = NULL;
    return rc;
}

int ibw_port_open(ibw_wire *wire, cor_fault *fault)
{
    const ibw_library *library = &wire->library;
    const char *wanted = wire->config.device;
    struct ibv_device **devices = library->do_ibv_get_device_list(NULL);
    int rc = cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                           "there is no RDMA device%s%s on this host (`rdma link` shows what there is; ibv.device "
                           "chooses)",
                           wanted[0] ? " " : "", wanted);
    for (int i = 0; devices && devices[i] && rc != COR_OK; i++)
        if (!wanted[0] || strcmp(wanted, library->do_ibv_get_device_name(devices[i])) == 0)
            rc = port_try_device(wire, devices[i], fault);
    if (devices)
        library->do_ibv_free_device_list(devices);
    return rc;
}

/* InfiniBand needs a global route between subnets only, RoCE always. */
struct ibv_ah_attr ibw_port_path(const ibw_wire *wire, int rank)
{
    const ibw_spot *to = &wire->places[rank].spot, *from = &wire->address.spot;
    struct ibv_ah_attr path = {
        .dlid = to->lid, .sl = (uint8_t)wire->config.service_level, .port_num = (uint8_t)wire->port};
    path.is_global = to->gid_kind != IBW_GID_IB || memcmp(to->gid, from->gid, 8) != 0;
    if (path.is_global) {
        path.grh = (struct ibv_global_route){.sgid_index = (uint8_t)wire->gid_index,
                                             .hop_limit = PORT_HOPS,
                                             .traffic_class = (uint8_t)wire->config.traffic_class};
        memcpy(path.grh.dgid.raw, to->gid, sizeof to->gid);
    }
    return path;
}
