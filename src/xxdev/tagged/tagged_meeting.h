/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How ranks that use UCX or libfabric meet: each opens the library and tells the others its version, what it chose and its
 * address there. Shared by the tagged device and by the wire of hybdev (soft/library/library.h).
 *
 * An address of the library is bytes, and often longer than one text: round 0 tells how long it is, the others bring it in
 * hexadecimal digits.
 */
#ifndef COR_XXDEV_TAGGED_MEETING_H
#define COR_XXDEV_TAGGED_MEETING_H

#include "wait/host.h"
#include "xxdev/tagged/tagged.h"
#include "xxdev/tagged/tagged_bridge.h"

typedef struct cor_tagged_meeting {
    const char *device; /* "ucxdev", "hybdev": for sentences */
    const cor_tagged_kind *kind;
    const cor_tagged_ops *ops;
    cor_tagged_library *library; /* NULL: not open yet */
    cor_tagged_config config;
    int size;
    uint8_t *addresses; /* of all ranks, address_max_bytes each, while the set-up goes on */
    size_t *address_bytes;
    size_t address_max_bytes;
} cor_tagged_meeting;

/* Loads the plugin. close() is called also after a failure. */
int cor_tagged_meeting_init(cor_tagged_meeting *meeting, const char *device, const cor_tagged_kind *kind,
                            const cor_tagged_config *config, int size, cor_fault *fault);
/* Opens the library; what `options` says of settings comes from the config. */
int cor_tagged_meeting_open(cor_tagged_meeting *meeting, cor_tagged_options options, cor_fault *fault);
/* Both as of a device (xxdev.h), whose texts are as long. */
int cor_tagged_meeting_address(const cor_tagged_meeting *meeting, int round, char *text);
int cor_tagged_meeting_learn(cor_tagged_meeting *meeting, int round, const char *const *texts, cor_fault *fault);
/* All addresses are there: give them to the library. */
int cor_tagged_meeting_connect(cor_tagged_meeting *meeting, const cor_host *host, cor_fault *fault);
void cor_tagged_meeting_close(cor_tagged_meeting *meeting);

#endif
