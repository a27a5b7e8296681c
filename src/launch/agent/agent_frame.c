/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/agent/agent_frame.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct frame_rule {
    const char *name;
    int sender, of;
    uint32_t longest;
} frame_rule;

static const frame_rule frame_rules[] = {
#define FRAME_RULE(name, sender, of, longest, meaning) {#name, sender, of, longest},
    AGENT_FRAME_LIST(FRAME_RULE)
#undef FRAME_RULE
};

int cor_agent_frame_of(agent_kind kind)
{
    return frame_rules[kind].of;
}

const char *cor_agent_frame_name(agent_kind kind)
{
    return frame_rules[kind].name;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static void frame_put(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t frame_get(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void cor_agent_frame_header(const agent_frame *frame, unsigned char header[AGENT_HEADER])
{
    memset(header, 0, AGENT_HEADER);
    frame_put(header, (uint32_t)frame->length);
    header[4] = (unsigned char)frame->kind;
    frame_put(header + 8, (uint32_t)frame->subject);
    frame_put(header + 12, (uint32_t)frame->number);
}

/* ---- bytes in --------------------------------------------------------------------------------------------------- */

char *cor_agent_reader_room(agent_reader *reader, size_t wanted)
{
    if (reader->start > 0) {
        memmove(reader->bytes, reader->bytes + reader->start, reader->filled - reader->start);
        reader->filled -= reader->start;
        reader->start = 0;
    }
    if (reader->room - reader->filled < wanted) {
        size_t room = 2 * (reader->filled + wanted);
        char *grown = realloc(reader->bytes, room);
        if (!grown)
            return NULL;
        reader->bytes = grown;
        reader->room = room;
    }
    return reader->bytes + reader->filled;
}

void cor_agent_reader_filled(agent_reader *reader, size_t count)
{
    reader->filled += count;
}

void cor_agent_reader_fini(agent_reader *reader)
{
    free(reader->bytes);
    reader->bytes = NULL;
    reader->start = reader->filled = reader->room = 0;
}

/* ---- the greeting ----------------------------------------------------------------------------------------------- */

/* Skip the output before the greeting, which is a line of its own or follows an unfinished one. */
static int reader_greet(agent_reader *reader, cor_fault *fault)
{
    static const size_t length = sizeof AGENT_GREETING - 1;
    const char *text = reader->bytes + reader->start;
    size_t there = reader->filled - reader->start;
    const char *greeting = there ? memmem(text, there, AGENT_GREETING, length) : NULL;
    if (!greeting) {
        if (there <= AGENT_PREAMBLE_MAX)
            return COR_AGAIN;
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "received %zu bytes without an agent's greeting", there);
    }
    const char *digits = greeting + length;
    size_t behind = there - (size_t)(digits - text);
    const char *newline = memchr(digits, '\n', behind);
    if (!newline && behind < 16)
        return COR_AGAIN;
    int version = 0, is_number = newline && newline > digits && newline - digits <= 6;
    for (const char *at = digits; is_number && at < newline; at++) {
        is_number = *at >= '0' && *at <= '9';
        version = 10 * version + (*at - '0');
    }
    if (!is_number)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "the agent's greeting has no version");
    if (version != AGENT_VERSION)
        return cor_fault_set(fault, COR_ERR_PROTOCOL,
                             "its Corunna uses version %d of the launcher protocol, this one version %d", version,
                             AGENT_VERSION);
    reader->start += (size_t)(newline + 1 - text);
    reader->is_greeted = 1;
    return COR_OK;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

static int reader_check(const agent_reader *reader, const unsigned char *header, cor_fault *fault)
{
    unsigned kind = header[4];
    if (kind >= AGENT_KIND_COUNT)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "unknown frame kind %u", kind);
    const frame_rule *rule = &frame_rules[kind];
    if (!(rule->sender & reader->sender))
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "%s came from the wrong direction", rule->name);
    if (header[5] || header[6] || header[7])
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "%s has an invalid header", rule->name);
    if (frame_get(header) > rule->longest)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "%s has %u bytes; at most %u are allowed", rule->name,
                             (unsigned)frame_get(header), (unsigned)rule->longest);
    uint32_t subject = frame_get(header + 8);
    if (rule->of == OF_NOTHING ? subject != 0 : subject > INT_MAX)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "%s has the invalid subject %u", rule->name, (unsigned)subject);
    return COR_OK;
}

int cor_agent_reader_next(agent_reader *reader, agent_frame *frame_p, cor_fault *fault)
{
    if (!reader->is_greeted) {
        int code = reader_greet(reader, fault);
        if (code != COR_OK)
            return code;
    }
    size_t there = reader->filled - reader->start;
    if (there < AGENT_HEADER)
        return COR_AGAIN;
    const unsigned char *header = (const unsigned char *)reader->bytes + reader->start;
    int code = reader_check(reader, header, fault);
    if (code != COR_OK)
        return code;
    size_t length = frame_get(header);
    if (there < AGENT_HEADER + length + 1)
        return COR_AGAIN;
    if (header[AGENT_HEADER + length] != '\n')
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "%s does not end with a newline", frame_rules[header[4]].name);
    *frame_p = (agent_frame){.kind = header[4],
                             .subject = (int)frame_get(header + 8),
                             .number = (int)(int32_t)frame_get(header + 12),
                             .bytes = (const char *)header + AGENT_HEADER,
                             .length = length};
    reader->start += AGENT_HEADER + length + 1;
    return COR_OK;
}
