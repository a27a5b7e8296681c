/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/tagged/tagged_meeting.h"

#include "base/hex.h"
#include "xxdev/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEETING_PREFIX_MAX = 16,
    MEETING_ROUND_BYTES = (COR_DEVICE_ADDRESS_MAX - MEETING_PREFIX_MAX) / 2,
    MEETING_ADDRESS_MAX = 1 << 20
};

static int meeting_load(const cor_tagged_kind *kind, const char *device, const cor_tagged_ops **ops_p,
                        cor_fault *fault)
{
    const void *table = NULL;
    cor_plugin plugin = kind->plugin;
    plugin.device = device;
    int rc = cor_plugin_open(&plugin, &table, fault);
    *ops_p = table;
    return rc;
}

int cor_tagged_check(const cor_tagged_kind *kind, const char *device, cor_fault *fault)
{
    const cor_tagged_ops *ops;
    return meeting_load(kind, device, &ops, fault);
}

int cor_tagged_meeting_init(cor_tagged_meeting *meeting, const char *device, const cor_tagged_kind *kind,
                            const cor_tagged_config *config, int size, cor_fault *fault)
{
    *meeting = (cor_tagged_meeting){.device = device, .kind = kind, .config = *config, .size = size};
    kind->prepare(size);
    int rc = meeting_load(kind, device, &meeting->ops, fault);
    if (rc != COR_OK)
        return rc;
    meeting->address_bytes = calloc((size_t)size, sizeof *meeting->address_bytes);
    if (!meeting->address_bytes)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the addresses of %d ranks", size);
    return COR_OK;
}

int cor_tagged_meeting_open(cor_tagged_meeting *meeting, cor_tagged_options options, cor_fault *fault)
{
    const cor_tagged_config *config = &meeting->config;
    char why[200] = "";
    options.size = meeting->size;
    options.transports = config->transports;
    options.interface = config->interface;
    options.eager_max_bytes = config->eager_max;
    options.handles_errors = config->handles_errors;
    options.sleeps = config->sleeps;
    if (meeting->ops->open(&options, &meeting->library, why, sizeof why) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "%s cannot start %s: %s", meeting->device, meeting->ops->name,
                             why);
    return COR_OK;
}

/* ---- what all must have alike ----------------------------------------------------------------------------------- */

/* Beside the build; told in round 0. The version of the library stands for its protocol, which no library promises to
 * keep. */
typedef struct meeting_terms {
    char version[24], choice[COR_TAGGED_TEXT_MAX];
    size_t address_bytes, eager_max;
    int handles_errors;
} meeting_terms;

static void meeting_terms_print(const meeting_terms *terms, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%zu,%zu,%d,%s,%s", terms->address_bytes, terms->eager_max, terms->handles_errors,
             terms->version, terms->choice);
}

static int meeting_terms_parse(const char *text, meeting_terms *terms_p)
{
    *terms_p = (meeting_terms){0};
    return text && sscanf(text, ",%zu,%zu,%d,%23[^,],%63s", &terms_p->address_bytes, &terms_p->eager_max,
                          &terms_p->handles_errors, terms_p->version, terms_p->choice) >= 4;
}

static void meeting_terms_of(const cor_tagged_meeting *meeting, meeting_terms *terms_p)
{
    *terms_p =
        (meeting_terms){.eager_max = meeting->config.eager_max, .handles_errors = meeting->config.handles_errors};
    meeting->ops->address(meeting->library, &terms_p->address_bytes);
    meeting->ops->library_version(terms_p->version, sizeof terms_p->version);
    meeting->ops->choice(meeting->library, terms_p->choice, sizeof terms_p->choice);
    for (char *at = terms_p->choice; *at; at++) /* an address has no spaces */
        *at = *at > ' ' && *at < 127 ? *at : '_';
}

/* Does a rank have what rank 0 has? */
static int meeting_compare(const cor_tagged_meeting *meeting, int peer, const meeting_terms *other,
                           const meeting_terms *first, cor_fault *fault)
{
    const cor_tagged_ops *ops = meeting->ops;
    if (strcmp(other->version, first->version) != 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d uses %s %s, rank 0 %s %s: all ranks of a job need the same version of it", peer,
                             ops->name, other->version, ops->name, first->version);
    if (strcmp(other->choice, first->choice) != 0)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "rank %d uses %s of %s, rank 0 %s: set %s alike on all ranks of a job", peer,
                             other->choice, ops->name, first->choice, ops->choice_settings);
    if (other->eager_max != first->eager_max)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "ofi.eager_max is %zu on rank 0 and %zu on rank %d: set it alike on all ranks of a job",
                             first->eager_max, other->eager_max, peer);
    if (other->handles_errors != first->handles_errors)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                             "ucx.errors is %s on rank 0 and %s on rank %d: set it alike on all ranks of a job",
                             first->handles_errors ? "yes" : "no", other->handles_errors ? "yes" : "no", peer);
    return COR_OK;
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

/* How many of so many bytes the round that begins there brings. */
static size_t meeting_part(size_t bytes, size_t from)
{
    return bytes - from < MEETING_ROUND_BYTES ? bytes - from : MEETING_ROUND_BYTES;
}

int cor_tagged_meeting_address(const cor_tagged_meeting *meeting, int round, char *text)
{
    size_t bytes, from = (size_t)(round - 1) * MEETING_ROUND_BYTES;
    if (round > 0 && from >= meeting->address_max_bytes)
        return 0;
    int length = snprintf(text, MEETING_PREFIX_MAX, "%s3,", meeting->kind->plugin.name);
    if (round == 0) {
        meeting_terms terms;
        meeting_terms_of(meeting, &terms);
        meeting_terms_print(&terms, text + length, (size_t)(COR_DEVICE_ADDRESS_MAX - length));
        return 1;
    }
    const unsigned char *address = meeting->ops->address(meeting->library, &bytes);
    if (from < bytes)
        cor_hex_print(address + from, meeting_part(bytes, from), text + length);
    return 1;
}

static int meeting_bad_address(const cor_tagged_meeting *meeting, int peer, const char *text, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_UNREACHABLE, "rank %d tells %s \"%.100s\"", peer, meeting->device, text);
}

static int meeting_learn_terms(cor_tagged_meeting *meeting, const char *const *texts, cor_fault *fault)
{
    meeting_terms first = {0}, other;
    for (int i = 0; i < meeting->size; i++) {
        if (!meeting_terms_parse(strchr(texts[i], ','), &other) || other.address_bytes > MEETING_ADDRESS_MAX)
            return meeting_bad_address(meeting, i, texts[i], fault);
        first = i == 0 ? other : first;
        int rc = meeting_compare(meeting, i, &other, &first, fault);
        if (rc != COR_OK)
            return rc;
        meeting->address_bytes[i] = other.address_bytes;
        if (meeting->address_bytes[i] > meeting->address_max_bytes)
            meeting->address_max_bytes = meeting->address_bytes[i];
    }
    meeting->addresses = calloc((size_t)meeting->size, meeting->address_max_bytes);
    if (!meeting->addresses)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the addresses of %d ranks", meeting->size);
    return COR_OK;
}

static int meeting_learn_part(cor_tagged_meeting *meeting, int peer, size_t from, const char *text, cor_fault *fault)
{
    const char *comma = strchr(text, ',');
    uint8_t *address = meeting->addresses + (size_t)peer * meeting->address_max_bytes;
    size_t bytes = meeting->address_bytes[peer];
    if (from >= bytes)
        return COR_OK;
    if (!comma || !cor_hex_parse(comma + 1, meeting_part(bytes, from), address + from))
        return meeting_bad_address(meeting, peer, text, fault);
    return COR_OK;
}

int cor_tagged_meeting_learn(cor_tagged_meeting *meeting, int round, const char *const *texts, cor_fault *fault)
{
    if (round == 0)
        return meeting_learn_terms(meeting, texts, fault);
    int rc = COR_OK;
    for (int i = 0; rc == COR_OK && i < meeting->size; i++)
        rc = meeting_learn_part(meeting, i, (size_t)(round - 1) * MEETING_ROUND_BYTES, texts[i], fault);
    return rc;
}

int cor_tagged_meeting_connect(cor_tagged_meeting *meeting, const cor_host *host, cor_fault *fault)
{
    char why[160];
    int rc = 0;
    for (int i = 0; rc == 0 && i < meeting->size; i++)
        rc = meeting->ops->connect(meeting->library, i, meeting->addresses + (size_t)i * meeting->address_max_bytes,
                                   meeting->address_bytes[i], host->index_of[i] >= 0);
    free(meeting->addresses);
    meeting->addresses = NULL;
    if (rc == 0)
        return COR_OK;
    meeting->ops->explain(rc, why, sizeof why);
    return cor_fault_set(fault, COR_ERR_UNREACHABLE, "%s cannot connect: %s: %s", meeting->device, meeting->ops->name,
                         why);
}

void cor_tagged_meeting_close(cor_tagged_meeting *meeting)
{
    if (meeting->library)
        meeting->ops->close(meeting->library);
    free(meeting->addresses);
    free(meeting->address_bytes);
}
