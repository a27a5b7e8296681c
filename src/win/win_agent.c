/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target's side of messages: a progress hook that receives packets and carries them out, in the order in which they
 * arrive. What cannot be done at once becomes a task: a reply being sent, data that have not arrived, an answer that
 * waits for them, a lock that others hold. An epoch of an origin ends here when no data of it move any more: those of a
 * get are read from the memory of the window while they are sent.
 *
 * Nothing in a packet is believed before it is checked.
 */
#include "win/win_lock.h"
#include "win/win_pending.h"

#include <stdlib.h>
#include <string.h>

enum { AGENT_PACKETS_A_STEP = 16 };

typedef enum task_state {
    TASK_SENDING,  /* `transfer` is a reply */
    TASK_ARRIVING, /* `transfer` receives data */
    TASK_WAITING,  /* for the data of all operations of its origin */
    TASK_LOCKING,  /* `ticket` is not served yet */
} task_state;

typedef struct win_task {
    cor_link link;
    task_state state;
    int origin;
    int is_moving; /* data between the window's memory and the origin are under way */
    win_packet packet;
    uint32_t ticket;
    int32_t answer;
    cor_transfer transfer;
    win_rows rows;
    _Alignas(16) char memory[]; /* copies of the rows, or old values */
} win_task;

static win_task *agent_task(cor_win *win, int origin, const win_packet *packet, size_t room)
{
    win_task *task = calloc(1, sizeof *task + room);
    if (!task) {
        COR_LOG(cor_rank_log(cor_comm_owner(win->comm)), ERROR, "a window has no memory for an operation of rank %d",
                origin);
        abort(); /* the origin cannot be told without memory either */
    }
    task->origin = origin;
    task->packet = *packet;
    cor_list_append(&win->tasks, &task->link);
    return task;
}

static void agent_move_data(cor_win *win, win_task *task)
{
    task->is_moving = 1;
    win->targets[task->origin].moving++;
}

static void agent_drop(cor_win *win, win_task *task)
{
    if (task->is_moving)
        win->targets[task->origin].moving--;
    cor_list_remove(&task->link);
    free(task);
}

/* ---- replies ---------------------------------------------------------------------------------------------------- */

static void agent_reply(cor_win *win, win_task *task, const cor_payload *payload)
{
    int tag = WIN_TAG_REPLY | (int)task->packet.id;
    task->state = TASK_SENDING;
    int rc = win->device->ops->isend(win->device, &task->transfer, win->targets[task->origin].peer, win->comm->context,
                                     tag, payload);
    if (rc != COR_OK || task->transfer.is_done) /* an origin that is lost needs no reply */
        agent_drop(win, task);
}

static void agent_answer(cor_win *win, win_task *task, int answer)
{
    task->answer = answer;
    cor_payload payload = cor_payload_plain(&task->answer, sizeof task->answer);
    agent_reply(win, task, &payload);
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

/* How many bytes from `at` on are in one attached region; one that ends there has none. */
static uint64_t agent_attached(const cor_win *win, uint64_t at)
{
    for (size_t i = 0; i < win->region_count; i++)
        if (at >= win->regions[i].base && at - win->regions[i].base < win->regions[i].bytes)
            return win->regions[i].bytes - (at - win->regions[i].base);
    return 0;
}

int win_agent_has(const cor_win *win, uint64_t at, uint64_t bytes)
{
    if (win->flavour != COR_WIN_DYNAMIC)
        return at <= win->targets[win->me].bytes && bytes <= win->targets[win->me].bytes - at;
    /* Regions may be adjacent. */
    for (uint64_t here; bytes > 0; at += here, bytes -= here) {
        here = agent_attached(win, at);
        if (here == 0)
            return 0;
        here = here < bytes ? here : bytes;
    }
    return 1;
}

static int agent_check_rows(const cor_win *win, const win_packet *packet, const cor_dtype_row *rows)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < packet->rows; i++) {
        if (!win_agent_has(win, (uint64_t)rows[i].at, rows[i].bytes) || rows[i].bytes > packet->bytes - sum)
            return COR_ERR_RMA_RANGE;
        sum += rows[i].bytes;
    }
    return sum == packet->bytes ? COR_OK : COR_ERR_PROTOCOL;
}

static char *agent_base(const cor_win *win)
{
    return win->flavour == COR_WIN_DYNAMIC ? NULL : win->base;
}

static win_task *agent_rows_task(cor_win *win, int origin, const win_packet *packet, const cor_dtype_row *rows)
{
    size_t bytes = packet->rows * sizeof *rows;
    win_task *task = agent_task(win, origin, packet, bytes);
    memcpy(task->memory, rows, bytes);
    task->rows = (win_rows){agent_base(win), (const cor_dtype_row *)(const void *)task->memory, packet->rows};
    return task;
}

/* Data that come by a message of their own: into the rows, or, where these are refused, nowhere. */
static void agent_receive_data(cor_win *win, int origin, const win_packet *packet, const cor_dtype_row *rows,
                               int is_refused)
{
    win_task *task = agent_rows_task(win, origin, packet, rows);
    cor_payload payload = is_refused ? cor_payload_plain(NULL, 0) : win_rows_payload(&task->rows, packet->bytes);
    task->state = TASK_ARRIVING;
    agent_move_data(win, task);
    int rc = win->device->ops->irecv(win->device, &task->transfer, win->targets[origin].peer, win->comm->context,
                                     WIN_TAG_DATA | (int)packet->id, &payload);
    if (rc != COR_OK)
        agent_drop(win, task);
}

static void agent_put(cor_win *win, const win_packet *packet, const cor_dtype_row *rows, const char *data)
{
    char *base = agent_base(win);
    for (uint32_t i = 0; i < packet->rows; data += rows[i++].bytes)
        memcpy(base + rows[i].at, data, rows[i].bytes);
}

static void agent_get(cor_win *win, int origin, const win_packet *packet, const cor_dtype_row *rows)
{
    win_task *task = agent_rows_task(win, origin, packet, rows);
    cor_payload payload = win_rows_payload(&task->rows, packet->bytes);
    agent_move_data(win, task);
    agent_reply(win, task, &payload);
}

static void agent_update(cor_win *win, int origin, const win_packet *packet, const cor_dtype_row *rows,
                         const win_update *update, const char *data)
{
    win_task *task = NULL;
    char *base = agent_base(win), *out = NULL;
    if (packet->operation != COR_WIN_ACCUMULATE) {
        task = agent_task(win, origin, packet, packet->bytes);
        out = task->memory;
    }
    for (size_t i = 0, done = 0; i < packet->rows; done += rows[i++].bytes)
        win_update_row(update, base + rows[i].at, rows[i].bytes, data ? data + done : NULL, out ? out + done : NULL);
    if (task) {
        cor_payload payload = cor_payload_plain(out, packet->bytes);
        agent_reply(win, task, &payload);
    }
}

/* Rows are of whole elements, and elements with a gap inside are rows of their own. */
static int agent_is_row(const cor_win *win, const cor_dtype *element, const cor_dtype_row *row)
{
    size_t extent = (size_t)(element->true_ub - element->true_lb);
    if (extent == element->size)
        return row->bytes % element->size == 0;
    return row->bytes == element->size && win_agent_has(win, (uint64_t)row->at, extent);
}

/* How the data of a packet come: bytes that must be in it. */
static size_t agent_inline_bytes(const win_packet *packet)
{
    if (packet->operation == COR_WIN_GET || packet->has_data_message)
        return 0;
    return packet->operation == COR_WIN_COMPARE_SWAP ? 2 * packet->bytes : packet->bytes;
}

static int agent_check_update(cor_win *win, const win_packet *packet, const cor_dtype_row *rows, int has_data,
                              win_update *update)
{
    const cor_dtype *element = cor_dtype_predefined(packet->element);
    if (!element || element->size == 0 || packet->bytes > WIN_PACKET_BYTES || packet->bytes % element->size != 0 ||
        packet->has_data_message ||
        win_update_init(update, (cor_win_kind)packet->operation, element, packet->op) != COR_OK)
        return COR_ERR_PROTOCOL;
    if (packet->operation == COR_WIN_COMPARE_SWAP && packet->bytes != element->size)
        return COR_ERR_PROTOCOL;
    for (uint32_t i = 0; i < packet->rows; i++)
        if (!agent_is_row(win, element, &rows[i]))
            return COR_ERR_RMA_RANGE;
    if (!has_data && packet->bytes > 0 && !win_update_needs_no_data(update))
        return COR_ERR_PROTOCOL;
    update->win = win;
    update->control = win->control;
    update->is_alone = packet->is_exclusive;
    return COR_OK;
}

/* The rows are not believed: tell the origin, and receive what comes nevertheless. */
static void agent_refuse(cor_win *win, int origin, const win_packet *packet, const cor_dtype_row *rows, int why)
{
    if (packet->has_data_message)
        agent_receive_data(win, origin, packet, rows, 1);
    if (packet->operation == COR_WIN_PUT || packet->operation == COR_WIN_ACCUMULATE) {
        win->targets[origin].refused = why;
        return;
    }
    cor_payload nothing = cor_payload_plain(NULL, 0);
    agent_reply(win, agent_task(win, origin, packet, 0), &nothing);
}

static int agent_operation(cor_win *win, int origin, const win_packet *packet, size_t bytes)
{
    const cor_dtype_row *rows = (const cor_dtype_row *)(const void *)(packet + 1);
    win_update update;
    size_t row_bytes = packet->rows * sizeof *rows, left = bytes - sizeof *packet;
    if (packet->rows > WIN_ROWS_MAX || row_bytes > left || packet->bytes > (uint64_t)1 << 62)
        return COR_ERR_PROTOCOL;
    left -= row_bytes;
    const char *data = (const char *)rows + row_bytes;
    int has_data = left > 0;
    if (left != agent_inline_bytes(packet) && !(packet->operation == COR_WIN_GET_ACCUMULATE && !has_data))
        return COR_ERR_PROTOCOL;
    int rc = agent_check_rows(win, packet, rows);
    if (rc == COR_OK && packet->operation >= COR_WIN_ACCUMULATE)
        rc = agent_check_update(win, packet, rows, has_data, &update);
    if (rc != COR_OK) {
        agent_refuse(win, origin, packet, rows, rc);
        return COR_OK;
    }
    switch (packet->operation) {
    case COR_WIN_PUT:
        if (packet->has_data_message)
            agent_receive_data(win, origin, packet, rows, 0);
        else
            agent_put(win, packet, rows, data);
        return COR_OK;
    case COR_WIN_GET:
        agent_get(win, origin, packet, rows);
        return COR_OK;
    case COR_WIN_ACCUMULATE:
    case COR_WIN_GET_ACCUMULATE:
    case COR_WIN_COMPARE_SWAP:
        update.compare = data + packet->bytes;
        agent_update(win, origin, packet, rows, &update, has_data ? data : NULL);
        return COR_OK;
    }
    return COR_ERR_PROTOCOL;
}

/* ---- packets without rows ---------------------------------------------------------------------------------------- */

/* All operations before this packet have been carried out. */
static void agent_settled(cor_win *win, win_task *task)
{
    win_target *origin = &win->targets[task->origin];
    if (task->packet.kind == WIN_PACKET_COMPLETE) {
        origin->completes++;
        agent_drop(win, task);
        return;
    }
    if (task->packet.kind == WIN_PACKET_UNLOCK)
        win_lock_leave(win, win->me, task->packet.is_exclusive);
    int refused = origin->refused;
    origin->refused = COR_OK;
    agent_answer(win, task, refused);
}

static void agent_lock(cor_win *win, int origin, const win_packet *packet)
{
    win_task *task = agent_task(win, origin, packet, 0);
    task->ticket = win_lock_draw(win->control);
    task->state = TASK_LOCKING;
    /* It looks at the lock once the packet has been taken. */
    win_lock_put_sleeper(win, win->me, task->ticket, WIN_LOCK_AGENT << 1 | (uint32_t)(packet->is_exclusive != 0));
}

static int agent_try_lock(cor_win *win, win_task *task)
{
    if (!win_lock_is_served(win->control, task->ticket, task->packet.is_exclusive))
        return 0;
    win_lock_clear_sleeper(win, win->me, task->ticket);
    win_lock_enter(win, win->me, task->packet.is_exclusive);
    agent_answer(win, task, COR_OK); /* the lock is held, whatever operations before it came to */
    return 1;
}

static void agent_lock_if_free(cor_win *win, int origin, const win_packet *packet)
{
    int is_free = win_lock_try_shared(win->control);
    if (is_free)
        win_lock_enter(win, win->me, 0);
    agent_answer(win, agent_task(win, origin, packet, 0), is_free ? COR_OK : COR_AGAIN);
}

static int agent_take(cor_win *win, int origin, const win_packet *packet, size_t bytes)
{
    if (bytes < sizeof *packet)
        return COR_ERR_PROTOCOL;
    if (packet->kind == WIN_PACKET_OPERATION)
        return agent_operation(win, origin, packet, bytes);
    if (bytes != sizeof *packet)
        return COR_ERR_PROTOCOL;
    switch (packet->kind) {
    case WIN_PACKET_LOCK:
        agent_lock(win, origin, packet);
        return COR_OK;
    case WIN_PACKET_LOCK_IF_FREE:
        agent_lock_if_free(win, origin, packet);
        return COR_OK;
    case WIN_PACKET_POST:
        win->targets[origin].posts++;
        return COR_OK;
    case WIN_PACKET_WAKE: /* the tasks are looked at after every packet */
        return COR_OK;
    case WIN_PACKET_FLUSH:
    case WIN_PACKET_UNLOCK:
    case WIN_PACKET_COMPLETE:
        agent_task(win, origin, packet, 0)->state = TASK_WAITING;
        return COR_OK;
    }
    return COR_ERR_PROTOCOL;
}

/* ---- the hook --------------------------------------------------------------------------------------------------- */

static int agent_move(cor_win *win, win_task *task)
{
    win_target *origin = &win->targets[task->origin];
    switch (task->state) {
    case TASK_SENDING:
        if (task->transfer.is_done)
            agent_drop(win, task);
        return 0;
    case TASK_ARRIVING:
        if (!task->transfer.is_done)
            return 0;
        if (task->transfer.error != COR_OK && origin->refused == COR_OK)
            origin->refused = task->transfer.error;
        agent_drop(win, task);
        return 1;
    case TASK_WAITING:
        if (origin->moving > 0)
            return 0;
        agent_settled(win, task);
        return 1;
    case TASK_LOCKING:
        return agent_try_lock(win, task);
    }
    return 0;
}

/* In their order: an answer that follows a reply does not overtake it. */
static int agent_move_all(cor_win *win)
{
    int events = 0;
    for (cor_link *link = win->tasks.next, *next; link != &win->tasks; link = next) {
        next = link->next;
        events += agent_move(win, COR_OWNER(link, win_task, link));
    }
    return events;
}

/* A loss ends the receive from all members once; another one may be posted then, unless all are lost. */
static void agent_listen(cor_win *win)
{
    cor_payload payload = cor_payload_plain(win->packet, WIN_PACKET_BYTES);
    int rc = win->device->ops->irecv(win->device, &win->receive, COR_ANY_PEER, win->comm->context, WIN_TAG_PACKET,
                                     &payload);
    win->is_receiving = rc == COR_OK;
}

static void agent_arrived(cor_win *win)
{
    win->is_receiving = 0;
    if (win->receive.error != COR_OK || win->receive.is_cancelled)
        return;
    int origin = cor_comm_rank_of(win->comm, win->receive.peer);
    if (origin < 0) /* no member */
        return;
    int rc = agent_take(win, origin, (const win_packet *)(const void *)win->packet, win->receive.bytes);
    if (rc != COR_OK)
        COR_LOG(cor_rank_log(cor_comm_owner(win->comm)), ERROR, "rank %d sent a window a packet that is none", origin);
}

int win_agent_step(cor_win *win)
{
    int events = 0;
    if (win->is_stepping)
        return 0;
    win->is_stepping = 1;
    for (int i = 0; i < AGENT_PACKETS_A_STEP && (!win->is_receiving || win->receive.is_done); i++) {
        if (win->is_receiving) {
            agent_arrived(win);
            events++;
        }
        agent_listen(win);
        if (!win->is_receiving)
            break;
    }
    /* Until nothing moves: a lock that is left may serve a task which was looked at before. */
    for (int moved = 1; moved > 0 && !cor_list_is_empty(&win->tasks); events += moved)
        moved = agent_move_all(win);
    if (events > 0)
        cor_device_wake(win->device);
    if (!cor_list_is_empty(&win->pendings))
        events += win_pending_step(win);
    win->is_stepping = 0;
    return events;
}

static int agent_hook(cor_follower *follower)
{
    return win_agent_step(COR_OWNER(follower, cor_win, agent));
}

int win_agent_start(cor_win *win)
{
    win->packet = malloc(WIN_PACKET_BYTES);
    if (!win->packet)
        return COR_ERR_MEMORY;
    win->agent.step = agent_hook;
    agent_listen(win);
    cor_comm_follow(win->comm, &win->agent);
    return COR_OK;
}

/* No member sends any more, or some are lost: then what is left may be under way for ever, and its memory stays. */
void win_agent_stop(cor_win *win)
{
    cor_list_remove(&win->agent.link);
    if (win->is_receiving && !win->receive.is_done)
        win->device->ops->cancel(win->device, &win->receive);
    if (!win->is_receiving || win->receive.is_done)
        free(win->packet);
    for (cor_link *link = win->tasks.next, *next; link != &win->tasks; link = next) {
        next = link->next;
        win_task *task = COR_OWNER(link, win_task, link);
        int has_transfer = task->state == TASK_SENDING || task->state == TASK_ARRIVING;
        if (has_transfer && !task->transfer.is_done)
            win->device->ops->cancel(win->device, &task->transfer);
        if (!has_transfer || task->transfer.is_done)
            free(task);
    }
}

void win_agent_abandon(cor_win *win)
{
    while (!cor_list_is_empty(&win->tasks))
        agent_drop(win, COR_OWNER(win->tasks.next, win_task, link));
    free(win->packet);
    win->is_receiving = 0;
}
