/* SPDX-License-Identifier: Apache-2.0 */
/* A member's side of two-phase: what it tells and sends to aggregators, or receives from them. */
#include "dtype/payload_view.h"
#include "file/file_collective_state.h"

static file_post *sender_free_post(file_sender *sender)
{
    for (int i = 0; i < FILE_POSTS; i++)
        if (!sender->posts[i].is_used)
            return &sender->posts[i];
    return NULL;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static uint64_t sender_window_at(const file_collective *c, int64_t at)
{
    return (uint64_t)(at - c->division.base) / c->division.window;
}

void file_sender_begin(file_collective *c)
{
    file_sender *sender = &c->sender;
    const file_job *job = c->job;
    const file_part *part = file_own_part(c);
    sender->walk = (file_walk){&job->view, job->position};
    sender->end = job->position + job->bytes;
    sender->open = 0;
    for (int i = 0; i < FILE_POSTS; i++)
        sender->posts[i].is_used = 0;
    sender->sound = job->bytes;
    sender->is_over = part->bytes == 0;
    if (sender->is_over)
        return;
    sender->window = sender_window_at(c, part->first);
    sender->last = sender_window_at(c, part->end - 1);
}

static int sender_transfer(file_collective *c, file_post *post, int member)
{
    int is_write = c->job->is_write;
    cor_payload head = cor_payload_plain(&post->list, file_list_bytes(&post->list));
    cor_payload data = cor_payload_slice(&c->job->memory, post->position, post->list.bytes);
    int rc = COR_OK;
    post->is_used = 1;
    post->has_data = post->list.bytes > 0;
    post->head.is_done = post->data.is_done = 1;
    c->sender.open++;
    /* A receive first, so that its data need not wait for it. */
    if (post->has_data && !is_write)
        rc = file_collective_irecv(c, &post->data, member, FILE_TAG_DATA, &data);
    if (rc == COR_OK)
        rc = file_collective_isend(c, &post->head, member, FILE_TAG_LIST, &head);
    if (rc == COR_OK && post->has_data && is_write)
        rc = file_collective_isend(c, &post->data, member, FILE_TAG_DATA, &data);
    return rc;
}

/* The next list; an aggregator's own windows are left out, and copied by it. Returns an error of the transfers. */
static int sender_send(file_collective *c, file_post *post)
{
    file_sender *sender = &c->sender;
    const file_division *division = &c->division;
    int number = (int)(sender->window % (uint64_t)division->aggregators), rc = COR_OK;
    int64_t begin = file_window_begin(division, sender->window);
    size_t bytes = file_window_bytes(division, sender->window);
    post->list.is_last = 1;
    if (c->is_stopping) {
        uint64_t sent = sender->walk.position - c->job->position;
        sender->sound = sent < sender->sound ? sent : sender->sound;
        post->list.count = post->list.bytes = 0;
        post->list.window = (uint32_t)sender->window;
        if (number != c->aggregator.number)
            rc = sender_transfer(c, post, c->aggregator_members[number]);
    } else if (number == c->aggregator.number) {
        uint64_t position = file_walk_position(&c->job->view, begin + (int64_t)bytes);
        sender->walk.position = position < sender->end ? position : sender->end;
    } else {
        post->position = sender->walk.position - c->job->position;
        file_list_make(&post->list, &sender->walk, sender->end, begin, bytes);
        post->list.window = (uint32_t)sender->window;
        rc = sender_transfer(c, post, c->aggregator_members[number]);
    }
    if (post->list.is_last) {
        sender->is_over = sender->window == sender->last;
        sender->window++;
    }
    return rc;
}

/* ---- what is done ----------------------------------------------------------------------------------------------- */

static int post_is_done(const file_post *post)
{
    return post->is_used && post->head.is_done && post->data.is_done;
}

static int sender_finish(file_collective *c, file_post *post)
{
    file_sender *sender = &c->sender;
    post->is_used = 0;
    sender->open--;
    if (post->head.error != COR_OK)
        return post->head.error;
    if (!post->has_data)
        return COR_OK;
    /* An aggregator that has failed receives no data of a write. */
    if (c->job->is_write)
        return post->data.error == COR_ERR_TRUNCATE ? COR_OK : post->data.error;
    if (post->data.error != COR_OK)
        return post->data.error;
    if (post->data.bytes < post->list.bytes && post->position + post->data.bytes < sender->sound)
        sender->sound = post->position + post->data.bytes;
    return COR_OK;
}

int file_sender_step(file_collective *c)
{
    file_sender *sender = &c->sender;
    int events = 0, rc = COR_OK;
    for (int i = 0; i < FILE_POSTS && sender->open > 0 && rc == COR_OK; i++)
        if (post_is_done(&sender->posts[i])) {
            rc = sender_finish(c, &sender->posts[i]);
            events++;
        }
    while (rc == COR_OK && !sender->is_over) {
        file_post *post = sender_free_post(sender);
        if (!post)
            break;
        file_collective_is_stopping(c);
        rc = sender_send(c, post);
        events++;
    }
    if (rc != COR_OK)
        file_collective_give_up(c, rc);
    return events;
}

int file_sender_is_over(const file_collective *c)
{
    return c->sender.is_over && c->sender.open == 0;
}

int file_sender_is_moving(const file_collective *c)
{
    for (int i = 0; i < FILE_POSTS; i++) {
        const file_post *post = &c->sender.posts[i];
        if (post->is_used && (!post->head.is_done || !post->data.is_done))
            return 1;
    }
    return 0;
}

void file_sender_cancel(file_collective *c)
{
    cor_device *device = c->file->comm->device;
    for (int i = 0; i < FILE_POSTS; i++) {
        file_post *post = &c->sender.posts[i];
        if (post->is_used && !post->head.is_done)
            device->ops->cancel(device, &post->head);
        if (post->is_used && !post->data.is_done)
            device->ops->cancel(device, &post->data);
    }
}
