/* SPDX-License-Identifier: Apache-2.0 */
#include "pmi/pmi_server_state.h"

#include "pmi/pmi_store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- answers ---------------------------------------------------------------------------------------------------- */

int cor_pmi_server_answer(cor_pmi_server *server, int rank, cor_fault *fault, const char *format, ...)
{
    server_rank *self = &server->ranks[rank];
    char line[COR_PMI_LINE_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: an answer does not fit a PMI line", rank);
    if (self->start == self->filled)
        self->start = self->filled = 0;
    size_t needed = self->filled + (size_t)length;
    if (needed > SERVER_PENDING_MAX)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d sends requests but does not read the answers", rank);
    if (needed > self->room) {
        char *grown = realloc(self->pending, needed * 2);
        if (!grown)
            return cor_fault_set(fault, COR_ERR_MEMORY, "no memory to answer rank %d", rank);
        self->pending = grown;
        self->room = needed * 2;
    }
    memcpy(self->pending + self->filled, line, (size_t)length);
    server->answered += self->start == self->filled;
    self->filled = needed;
    return COR_OK;
}

static void server_space(const cor_pmi_server *server, int generation, char *out, size_t room)
{
    snprintf(out, room, "%s_%d", server->name, generation);
}

/* ---- the commands ----------------------------------------------------------------------------------------------- */

/* A value was not stored, and the fault says why; the rank gets the reason without blanks, as PMI requires. */
static int server_full(cor_pmi_server *server, int rank, const char *answer, const cor_fault *fault)
{
    char why[sizeof fault->text];
    snprintf(why, sizeof why, "%s", fault->text);
    for (char *at = why; *at; at++)
        *at = *at == ' ' ? '_' : *at;
    int answered = cor_pmi_server_answer(server, rank, NULL, "cmd=%s rc=-1 msg=%s\n", answer, why);
    return answered == COR_OK ? fault->code : answered;
}

typedef int (*server_command_fn)(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault);

static int server_init(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    int version = 0;
    if (!cor_pmi_line_int(line, "pmi_version", &version) || version != 1)
        return cor_pmi_server_answer(server, rank, fault,
                                     "cmd=response_to_init rc=-1 pmi_version=1 pmi_subversion=1 msg=only_version_1\n");
    server_rank *self = &server->ranks[rank];
    self->is_active = 1;
    self->generation++;
    /* Process mapping: all ranks on one node. Otherwise clients that need it would exchange host names. */
    char space[SERVER_NAME_MAX + 16], mapping[64];
    server_space(server, self->generation, space, sizeof space);
    snprintf(mapping, sizeof mapping, "(vector,(0,1,%d))", server->size);
    const server_value put = {rank, space, "PMI_process_mapping", mapping};
    if (cor_pmi_server_keep(server, &put, 0, fault) != COR_OK)
        return server_full(server, rank, "response_to_init", fault);
    char table[COR_PMI_TABLE_NAME_MAX] = "";
    int has_table = cor_pmi_table_name(server->table.fd, table);
    return cor_pmi_server_answer(server, rank, fault,
                                 "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1 pipeline=1 appnum=%d "
                                 "universe=%d%s%s%s\n",
                                 self->appnum, server->universe, server->announces_failures ? " losses=told" : "",
                                 has_table ? " table=" : "", table);
}

static int server_maxes(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    (void)line;
    return cor_pmi_server_answer(server, rank, fault, "cmd=maxes rc=0 kvsname_max=%d keylen_max=%d vallen_max=%d\n",
                                 SERVER_NAME_MAX + 16, SERVER_KEY_MAX, SERVER_VALUE_MAX);
}

static int server_appnum(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    (void)line;
    return cor_pmi_server_answer(server, rank, fault, "cmd=appnum rc=0 appnum=%d\n", server->ranks[rank].appnum);
}

static int server_universe(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    (void)line;
    return cor_pmi_server_answer(server, rank, fault, "cmd=universe_size rc=0 size=%d\n",
                                 server->universe > 0 ? server->universe : -1); /* -1: not known, by MPICH's client */
}

static int server_kvsname(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    (void)line;
    char space[SERVER_NAME_MAX + 16];
    server_space(server, server->ranks[rank].generation, space, sizeof space);
    return cor_pmi_server_answer(server, rank, fault, "cmd=my_kvsname rc=0 kvsname=%s\n", space);
}

static int server_put(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    const char *space = cor_pmi_line_get(line, "kvsname");
    const char *key = cor_pmi_line_get(line, "key");
    const char *value = cor_pmi_line_get(line, "value");
    if (!space || !key || !value)
        return cor_pmi_server_answer(server, rank, fault, "cmd=put_result rc=-1 msg=kvsname_key_or_value_missing\n");
    if (strlen(key) > SERVER_KEY_MAX || strlen(value) > SERVER_VALUE_MAX)
        return cor_pmi_server_answer(server, rank, fault, "cmd=put_result rc=-1 msg=key_or_value_too_long\n");
    if (cor_pmi_server_keep(server, &(server_value){rank, space, key, value}, 1, fault) != COR_OK)
        return server_full(server, rank, "put_result", fault);
    return cor_pmi_server_answer(server, rank, fault, "cmd=put_result rc=0 msg=success\n");
}

static int server_get(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    const char *space = cor_pmi_line_get(line, "kvsname");
    const char *key = cor_pmi_line_get(line, "key");
    const char *value = space && key ? cor_pmi_store_get(&server->store, space, key) : NULL;
    if (!value)
        return cor_pmi_server_answer(server, rank, fault, "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
    return cor_pmi_server_answer(server, rank, fault, "cmd=get_result rc=0 msg=success value=%s\n", value);
}

static int server_barrier(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    (void)line;
    if (server->ranks[rank].in_barrier)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d entered a barrier twice", rank);
    server->ranks[rank].in_barrier = 1;
    return cor_pmi_server_enter(server, fault);
}

static int server_finalize(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    (void)line;
    server->ranks[rank].is_active = 0;
    return cor_pmi_server_answer(server, rank, fault, "cmd=finalize_ack rc=0 msg=success\n");
}

static int server_abort(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    (void)fault;
    int status = 1;
    cor_pmi_line_int(line, "exitcode", &status);
    char reason[200] = "";
    const char *word = cor_pmi_line_get(line, "reason");
    if (word)
        cor_pmi_unescape(word, reason, sizeof reason);
    server->on_abort(server->context, rank, status, reason);
    return COR_OK;
}

typedef struct server_command {
    const char *name;
    server_command_fn run;
} server_command;

static const server_command server_commands[] = {
    {"init", server_init},
    {"get_maxes", server_maxes},
    {"get_appnum", server_appnum},
    {"get_universe_size", server_universe},
    {"get_my_kvsname", server_kvsname},
    {"put", server_put},
    {"get", server_get},
    {"gather", cor_pmi_server_gather},
    {"barrier_in", server_barrier},
    {"finalize", server_finalize},
    {"abort", server_abort},
};

/* ---- bytes in, bytes out ---------------------------------------------------------------------------------------- */

/* Known commands that are not supported: clients expect these names in the answer. */
static const char *server_refusal(const char *command)
{
    static const char *const pairs[][2] = {
        {"publish_name", "publish_result"},
        {"unpublish_name", "unpublish_result"},
        {"lookup_name", "lookup_result"},
        {"getbyidx", "getbyidx_results"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strcmp(command, pairs[i][0]) == 0)
            return pairs[i][1];
    return "error";
}

static int server_line(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    server_rank *self = &server->ranks[rank];
    if (line->count == 0)
        return COR_OK;
    /* A spawn is several lines, from mcmd=spawn to endcmd; it is rejected as a whole. */
    if (cor_pmi_line_get(line, "mcmd"))
        self->in_spawn = 1;
    if (self->in_spawn) {
        if (!cor_pmi_line_get(line, "endcmd"))
            return COR_OK;
        self->in_spawn = 0;
        return cor_pmi_server_answer(server, rank, fault, "cmd=spawn_result rc=-1 msg=spawn_is_not_supported\n");
    }
    const char *command = cor_pmi_line_get(line, "cmd");
    if (!command)
        return cor_fault_set(fault, COR_ERR_BOOT, "a PMI line without cmd begins with \"%.40s\"", line->pairs[0].key);
    for (size_t i = 0; i < sizeof server_commands / sizeof server_commands[0]; i++)
        if (strcmp(command, server_commands[i].name) == 0)
            return server_commands[i].run(server, rank, line, fault);
    return cor_pmi_server_answer(server, rank, fault, "cmd=%s rc=-1 msg=unknown_command info=failed\n",
                                 server_refusal(command));
}

int cor_pmi_server_feed(cor_pmi_server *server, int rank, const char *bytes, size_t length, cor_fault *fault)
{
    cor_pmi_reader *reader = &server->ranks[rank].reader;
    for (;;) {
        size_t room, line_length;
        char *text;
        char *to = cor_pmi_reader_room(reader, &room);
        size_t take = length < room ? length : room;
        memcpy(to, bytes, take);
        cor_pmi_reader_filled(reader, take);
        bytes += take;
        length -= take;
        int code;
        while ((code = cor_pmi_reader_next(reader, &text, &line_length, fault)) == COR_OK) {
            cor_pmi_line line;
            code = cor_pmi_line_parse(text, line_length, &line, fault);
            if (code == COR_OK)
                code = server_line(server, rank, &line, fault);
            if (code != COR_OK)
                return code;
        }
        if (code != COR_AGAIN)
            return code;
        if (length == 0)
            return COR_OK;
    }
}

const char *cor_pmi_server_pending(const cor_pmi_server *server, int rank, size_t *length_p)
{
    const server_rank *self = &server->ranks[rank];
    *length_p = self->filled - self->start;
    return *length_p > 0 ? self->pending + self->start : NULL;
}

void cor_pmi_server_sent(cor_pmi_server *server, int rank, size_t length)
{
    server_rank *self = &server->ranks[rank];
    self->start += length;
    server->answered -= length > 0 && self->start == self->filled;
}

int cor_pmi_server_has_pending(const cor_pmi_server *server)
{
    return server->answered > 0;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

int cor_pmi_server_is_active(const cor_pmi_server *server, int rank)
{
    return server->ranks[rank].is_active;
}

void cor_pmi_server_rank_ended(cor_pmi_server *server, int rank)
{
    server->gone += !server->ranks[rank].is_gone;
    server->ranks[rank].is_gone = 1;
}

int cor_pmi_server_missing(const cor_pmi_server *server)
{
    if (server->waiting == 0 || server->gone == 0)
        return -1;
    for (int rank = 0; rank < server->size; rank++)
        if (server->ranks[rank].is_gone && !server->ranks[rank].in_barrier)
            return rank;
    return -1;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

int cor_pmi_server_create(int size, const char *name, cor_pmi_abort_fn on_abort, void *context,
                          cor_pmi_server **server_p, cor_fault *fault)
{
    cor_pmi_server *server = calloc(1, sizeof *server);
    server_rank *ranks = calloc((size_t)size, sizeof *ranks);
    if (!server || !ranks) {
        free(server);
        free(ranks);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory to serve %d ranks", size);
    }
    server->size = size;
    server->parties = size;
    server->on_abort = on_abort;
    server->context = context;
    server->ranks = ranks;
    server->table.fd = -1;
    snprintf(server->name, sizeof server->name, "%s", name);
    *server_p = server;
    return COR_OK;
}

void cor_pmi_server_set_appnum(cor_pmi_server *server, int rank, int appnum)
{
    server->ranks[rank].appnum = appnum;
}

void cor_pmi_server_set_universe(cor_pmi_server *server, int slots)
{
    server->universe = slots;
}

int cor_pmi_server_open_table(cor_pmi_server *server)
{
    cor_pmi_table_open(&server->table);
    return server->table.fd;
}

void cor_pmi_server_announce_failures(cor_pmi_server *server)
{
    server->announces_failures = 1;
}

void cor_pmi_server_destroy(cor_pmi_server *server)
{
    for (int rank = 0; rank < server->size; rank++)
        free(server->ranks[rank].pending);
    cor_pmi_store_fini(&server->store);
    cor_pmi_table_close(&server->table);
    free(server->updates);
    free(server->ranks);
    free(server);
}
