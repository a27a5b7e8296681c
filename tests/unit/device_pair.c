#include "device_pair.h"

#include "unit_check.h"

static void pair_must(int rc, const cor_fault *fault)
{
    if (rc == COR_OK)
        return;
    fprintf(stderr, "FAILED set-up of two devices: %s\n", fault->text);
    exit(1);
}

void device_pair_open(device_pair *pair, const char *const *overrides)
{
    cor_fault fault = {0};
    char addresses[2][COR_WIRE_ADDRESS_MAX];
    const char *all[2] = {addresses[0], addresses[1]};
    uint8_t reached[2][2] = {{0}};
    *pair = (device_pair){0};
    pair_must(cor_knobs_load(&cor_soft_knobs, overrides, &pair->soft, NULL, &fault), &fault);
    pair_must(cor_knobs_load(&cor_sm_knobs, overrides, &pair->sm, NULL, &fault), &fault);
    for (int i = 0; i < 2; i++) {
        pair->log[i] = (cor_log){.level = COR_LOG_WARN, .rank = i};
        cor_soft_options options = {
            .name = "unit", .rank = i, .size = 2, .lock = &pair->lock[i], .log = &pair->log[i], .config = &pair->soft};
        pair_must(cor_soft_open(&options, &pair->device[i], &fault), &fault);
        pair_must(cor_soft_add_wire(pair->device[i], &cor_sm_wire, &pair->sm, &fault), &fault);
        cor_wire *wire = cor_soft_wire(pair->device[i], 0);
        wire->ops->address(wire, addresses[i]);
    }
    for (int i = 0; i < 2; i++) {
        cor_wire *wire = cor_soft_wire(pair->device[i], 0);
        pair_must(wire->ops->connect(wire, all, reached[i], &fault), &fault);
    }
    for (int i = 0; i < 2; i++) {
        cor_wire *wire = cor_soft_wire(pair->device[i], 0);
        pair_must(wire->ops->attach(wire, &fault), &fault);
    }
    for (int i = 0; i < 2; i++) {
        cor_wire *wire = cor_soft_wire(pair->device[i], 0);
        uint8_t *lists[1] = {reached[i]};
        wire->ops->settle(wire);
        pair_must(cor_soft_ready(pair->device[i], lists, &fault), &fault);
    }
}

void device_pair_close(device_pair *pair)
{
    for (int i = 0; i < 2; i++)
        pair->device[i]->ops->close(pair->device[i]);
}

void device_pair_settle(device_pair *pair)
{
    int quiet = 0;
    while (quiet < 3) {
        int events = 0;
        for (int i = 0; i < 2; i++) {
            cor_device_enter(pair->device[i]);
            events += pair->device[i]->ops->progress(pair->device[i], -1);
            cor_device_leave(pair->device[i]);
        }
        quiet = events > 0 ? 0 : quiet + 1;
    }
}
