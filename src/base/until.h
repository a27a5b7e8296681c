/* SPDX-License-Identifier: Apache-2.0 */
/* What a waiter waits for besides messages: a change of memory by others. Zero: nothing. */
#ifndef COR_BASE_UNTIL_H
#define COR_BASE_UNTIL_H

typedef struct cor_until {
    int (*is_over)(const void *subject); /* cheap, callable without a lock; NULL: never over */
    const void *subject;
    /* Called before the waiter sleeps, after which is_over is checked once more: a thread that changes the memory then
     * need not check the doorbells of all possible waiters unless one has called this. Optional. */
    void (*before_sleep)(const void *subject);
} cor_until;

static inline int cor_until_is_over(const cor_until *until)
{
    return until->is_over && until->is_over(until->subject);
}

#endif
