/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host group of a member: the members on its host, whatever device moves their messages, and the segment they
 * share. The first of them, its leader, creates it. Members that are threads of its process use its mapping, which the
 * last of them unmaps: after a loss members leave the window at different times. A member that the loss of another
 * keeps from learning of the mapping leaves it to the end of the process.
 */
#ifndef COR_WIN_HOST_H
#define COR_WIN_HOST_H

#include "base/process.h"
#include "win/win_state.h"

/* What a member says of itself. */
typedef struct win_card {
    char host[COR_PROCESS_HOST_MAX], space[COR_PROCESS_SPACE_MAX];
    int64_t pid;
    uint64_t base, bytes, unit, alignment;
    uint64_t is_noncontiguous, is_checked;
} win_card;

/* What a leader says of its segment. */
typedef struct win_place {
    cor_segment_place place;
    uint64_t address; /* of its mapping, for threads of its process */
    int64_t error;
} win_place;

/* Memory for making a window, each with a row for each member. */
typedef struct win_rooms {
    win_card *cards;
    win_place *places;
    size_t *offsets;
} win_rooms;

void win_host_card(const cor_win *win, const void *base, size_t bytes, size_t unit, win_card *card);
/* Collective: find the group, make its segment, and set how each target is reached. */
int win_host_make(cor_win *win, const win_rooms *rooms);
/* Does every member reach the memory of every other directly? The same at all members. */
int win_host_is_whole(const cor_win *win, const win_card *cards);
/* All have mapped it, or given up. */
void win_host_settle(cor_win *win);
/* Nothing of this member refers to the segment any more. */
void win_host_close(cor_win *win);

#endif
