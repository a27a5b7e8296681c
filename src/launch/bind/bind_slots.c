/* SPDX-License-Identifier: Apache-2.0 */
/* The slot lists of a rank file. */
#include "launch/bind/bind_place.h"

#include "launch/bind/bind_set.h"

#include <string.h>

/* Units of a socket, or of the host (-1), by their numbers there; those that are usable join the set. */
typedef struct slots_reader {
    const bind_machine *machine;
    bind_kind unit;
    const char *text; /* all of it, for messages */
    int socket;
    cor_fault *fault;
} slots_reader;

static int slots_refuse(const slots_reader *reader, const char *why)
{
    return cor_fault_set(reader->fault, COR_ERR_ARG, "slot=%.80s: %s", reader->text, why);
}

/* Is the first hardware thread of its unit at this place? */
static int slots_is_unit(const slots_reader *reader, int thread)
{
    const int16_t *of = reader->machine->of[reader->unit];
    return thread == 0 || of[thread] != of[thread - 1];
}

/* Numbers are given to all units, usable or not, so that they do not depend on what else runs. */
static int slots_take(const slots_reader *reader, const cor_cpu_set *wanted, int is_all, cor_cpu_set *set)
{
    const bind_machine *machine = reader->machine;
    int number = -1, taken = 0, last = -1;
    for (int cpu = 0; cpu < COR_CPU_MAX; cpu++)
        last = cor_bind_set_has(wanted, cpu) ? cpu : last;
    for (int i = 0; i < machine->count; i++) {
        if (reader->socket >= 0 && machine->of[BIND_SOCKET][i] != reader->socket)
            continue;
        number += slots_is_unit(reader, i);
        if (!is_all && !cor_bind_set_has(wanted, number))
            continue;
        if (machine->is_usable[i]) {
            cor_bind_set_add(set, machine->cpu[i]);
            taken = 1;
        } else if (!is_all) {
            return cor_fault_set(reader->fault, COR_ERR_ARG, "slot=%.80s: CPU %d, which this means, may not be used",
                                 reader->text, machine->cpu[i]);
        }
    }
    if (!is_all && last > number)
        return cor_fault_set(reader->fault, COR_ERR_ARG, "slot=%.80s: the last of the %s%s is %d, there is no %d",
                             reader->text, cor_bind_kind_names(reader->unit),
                             reader->socket >= 0 ? " of that socket" : " of this host", number, last);
    return taken ? COR_OK : slots_refuse(reader, "no CPU of these may be used");
}

/* A socket's number before a colon. */
static int slots_socket(slots_reader *reader, const char *text, int length)
{
    int sockets = reader->machine->objects[BIND_SOCKET], number = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return slots_refuse(reader, "before a colon stands the number of a socket");
        number = number > sockets ? number : 10 * number + (text[i] - '0');
    }
    if (length == 0 || number >= sockets)
        return cor_fault_set(reader->fault, COR_ERR_ARG, "slot=%.80s: the sockets of this host are 0 to %d",
                             reader->text, sockets - 1);
    reader->socket = number;
    return COR_OK;
}

int cor_bind_slots(const bind_machine *machine, bind_kind unit, const char *text, cor_cpu_set *set_p, cor_fault *fault)
{
    slots_reader reader = {machine, unit, text, -1, fault};
    cor_cpu_set set = {{0}};
    const char *at = text;
    do {
        int length = (int)strcspn(at, ",");
        const char *colon = memchr(at, ':', (size_t)length);
        if (colon) {
            int rc = slots_socket(&reader, at, (int)(colon - at));
            if (rc != COR_OK)
                return rc;
            length -= (int)(colon + 1 - at);
            at = colon + 1;
        }
        cor_cpu_set wanted = {{0}};
        int is_all = length == 1 && *at == '*';
        int rc = is_all ? COR_OK : cor_bind_set_parse("slot", at, length, COR_CPU_MAX, &wanted, fault);
        if (rc == COR_OK)
            rc = slots_take(&reader, &wanted, is_all, &set);
        if (rc != COR_OK)
            return rc;
        at += length;
    } while (*at++ == ',');
    *set_p = set;
    return COR_OK;
}
