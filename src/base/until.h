/* What a waiter waits for beside messages: something in memory that others change. Zero: nothing. */
#ifndef COR_BASE_UNTIL_H
#define COR_BASE_UNTIL_H

typedef struct cor_until {
    int (*is_over)(const void *subject); /* cheap, callable without a lock; NULL: never over */
    const void *subject;
    /* Told before the waiter sleeps, and is_over is asked once more: who changes the memory can then do without a look
     * at the doorbells of all who might wait, as long as nobody was told of. Optional. */
    void (*before_sleep)(const void *subject);
} cor_until;

static inline int cor_until_is_over(const cor_until *until)
{
    return until->is_over && until->is_over(until->subject);
}

#endif
