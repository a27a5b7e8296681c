/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge to libfabric: its table, and what is short. ofi_state.h tells how it works. */
#include "xxdev/tagged/ofi_state.h"

#include <limits.h>
#include <rdma/fi_errno.h>
#include <stdio.h>
#include <string.h>

static void ofi_version(char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%u.%u", FI_MAJOR(fi_version()), FI_MINOR(fi_version()));
}

static void ofi_explain(int error, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", fi_strerror(-error));
}

static int ofi_is_gone(int error)
{
    static const int codes[] = {FI_ECONNABORTED, FI_ECONNRESET, FI_ECONNREFUSED, FI_ENOTCONN, FI_EHOSTUNREACH,
                                FI_ENETUNREACH,  FI_ETIMEDOUT,  FI_ESHUTDOWN,    FI_EIO,      FI_ENETDOWN};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (error == -codes[i])
            return 1;
    return 0;
}

static void ofi_choice(cor_tagged_library *library, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", library->info->fabric_attr->prov_name);
}

static void ofi_describe(cor_tagged_library *library, int peer, char *out, size_t out_bytes)
{
    (void)peer;
    snprintf(out, out_bytes, "provider %s on %s", library->info->fabric_attr->prov_name,
             library->info->domain_attr->name);
}

/* ---- peers ------------------------------------------------------------------------------------------------------ */

static const void *ofi_address(cor_tagged_library *library, size_t *bytes_p)
{
    *bytes_p = library->name_bytes;
    return library->name;
}

static int ofi_connect(cor_tagged_library *library, int peer, const void *address, size_t bytes, int is_near)
{
    (void)is_near;
    char name[sizeof library->name] = {0};
    if (bytes > sizeof name)
        return -FI_EINVAL;
    memcpy(name, address, bytes);
    int count = fi_av_insert(library->addresses, name, 1, &library->peers[peer].address, 0, NULL);
    return count == 1 ? 0 : count < 0 ? count : -FI_EADDRNOTAVAIL;
}

static void ofi_lose(cor_tagged_library *library, int peer)
{
    library->peers[peer].is_lost = 1;
    while (library->peers[peer].out.first)
        ofi_fail_queued(library, library->peers[peer].out.first, -FI_ECONNABORTED);
    ofi_long_lose(library, peer);
}

/* ---- cancelling and waiting ------------------------------------------------------------------------------------- */

/* A receive that has met an announcement goes on to its end. */
static void ofi_cancel(cor_tagged_library *library, cor_tagged_transfer *transfer)
{
    if (transfer->request)
        ofi_cancel_request(library, transfer->request);
}

static int ofi_receives_max(cor_tagged_library *library)
{
    return library->posted_max < INT_MAX ? (int)library->posted_max : INT_MAX;
}

static int ofi_descriptor(cor_tagged_library *library)
{
    return library->descriptor;
}

static int ofi_arm(cor_tagged_library *library)
{
    struct fid *fids[] = {&library->completions->fid};
    /* What goes out may wait for a connection; receives wait for a completion. */
    return library->blocked_count == 0 && fi_trywait(library->fabric, fids, 1) == FI_SUCCESS;
}

const cor_tagged_ops cor_tagged_table = {
    .version = COR_TAGGED_VERSION,
    .name = "libfabric",
    .open = ofi_open,
    .close = ofi_close,
    .library_version = ofi_version,
    .choice = ofi_choice,
    .choice_settings = "ofi.provider or FI_PROVIDER",
    .describe = ofi_describe,
    .explain = ofi_explain,
    .is_gone = ofi_is_gone,
    .address = ofi_address,
    .connect = ofi_connect,
    .send = ofi_send,
    .receive = ofi_receive,
    .probe = ofi_probe,
    .receive_message = ofi_receive_message,
    .cancel = ofi_cancel,
    .forget = ofi_forget,
    .lose = ofi_lose,
    .progress = ofi_progress,
    .receives_max = ofi_receives_max,
    .descriptor = ofi_descriptor,
    .arm = ofi_arm,
};
