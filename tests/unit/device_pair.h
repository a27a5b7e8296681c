/* Two ranks of the software device over shared memory in one process, for tests that look at the device itself. */
#ifndef TESTS_UNIT_DEVICE_PAIR_H
#define TESTS_UNIT_DEVICE_PAIR_H

#include "xxdev/soft.h"
#include "xxdev/wire/sm/sm.h"

typedef struct device_pair {
    cor_device *device[2];
    cor_lock lock[2];
    cor_log log[2];
    cor_soft_config soft;
    cor_sm_config sm;
} device_pair;

/* Open both with these knobs (NULL-terminated "name=value"); ends the test if that fails. */
void device_pair_open(device_pair *pair, const char *const *overrides);
void device_pair_close(device_pair *pair);

/* Make progress on both sides until nothing happens any more. */
void device_pair_settle(device_pair *pair);

#endif
