/*
 * The shared-memory wire: between processes of one host and between threads of one process, the same code.
 *
 * Every rank owns an inbox: a doorbell, and one channel per local peer that writes to it. A channel is a ring of
 * slots, one cache line each, beside a ring of bytes for payloads that do not fit a slot. A channel has one writer
 * and one reader, so no packet takes a lock or an atomic read-modify-write.
 *
 * A channel for every pair would take memory with the square of the ranks of a host. So the channels of an inbox share
 * sm.memory: the more ranks, the shorter the rings, and with them the longest packet and the longest eager message.
 * Up to 8 ranks have them whole, 128 ranks have rings of 16 KiB; a rank takes the same on every host.
 *
 * The inboxes of all ranks of a host lie in one segment, which the first of them makes: a memfd that the others map
 * through /proc/<pid>/fd, or, where that cannot be, a 0600 file unlinked as soon as everybody has mapped it. Threads of
 * one process have plain memory instead. A memfd never outlives the processes. A file is made only when all have told
 * their addresses; if its maker is killed before all have mapped it, those peers that live remove it, or the launcher
 * does (base/segment.h). Pages of a memfd are touched only when a pair talks: the memory of a pair is bounded by
 * cor_sm_pair_bytes. A file has all its room from the start, because a process that touches a page which a full
 * file system does not have is killed.
 *
 * A peer that dies. The launcher may not end the job for it, and shared memory tells of nothing, so whoever waits
 * looks whether the processes of its peers still run:
 *
 *   When    from a wait, or a loop of the program that asks for progress, that finds nothing: soft_look.c asks for a
 *           look at most every 200 ms. A rank that sleeps wakes twice a second for it. Nobody looks from a send or a
 *           poll that finds something, and threads of one process, which end together, never do and sleep without
 *           limit.
 *           One look is at 16 peers, the next at those behind them: the looks of a host with very many ranks, each at
 *           all others, took half of its time. So the death of one of 256 ranks is seen by some of them with their
 *           next look, and by the last after 16.
 *   How     by one pidfd a process, opened with the first look; where the kernel has none, or descriptors are few, by
 *           the state and the time of start in /proc/<pid>/stat, since a number may be given to another process.
 *   Costs   measured on two ARM cores: 0.20 us a peer and look, 4.3 us by /proc. A wake-up with its look takes 30 us
 *           of CPU time, all peers asleep as well: 64 sleeping ranks take 0.4 % of one CPU together, a single one
 *           0.007 %.
 *
 * What the dead peer had sent is delivered first; then it is lost (wire.h), with a sentence that names it. A rank
 * leaves word in its inbox when it closes its end, and whom it had lost itself: the sentence tells.
 */
#ifndef COR_SM_H
#define COR_SM_H

#include "base/knob.h"
#include "xxdev/soft/wire.h"

typedef struct cor_sm_config {
    size_t eager_max_bytes;
    size_t ring_bytes;   /* the byte ring of a channel, a power of two */
    size_t chunk_bytes;  /* largest packet; long messages are pipelined in pieces of it */
    int slots;           /* of a channel, a power of two */
    size_t memory_bytes; /* of all channels of an inbox; ring, slots, chunk and eager limit shrink until they fit */
    int single_copy;     /* auto|never|always: process_vm_readv for long messages */
    int segment;         /* memfd|file */
    int spread;          /* ranks that share CPUs spread evenly over them */
} cor_sm_config;

extern const cor_knob_table cor_sm_knobs;
extern const cor_wire_ops cor_sm_wire;

/* The same with rings that fit a host with so many ranks. */
cor_sm_config cor_sm_fit(const cor_sm_config *config, int ranks);
/* Memory one directed pair of a host's `ranks` ranks may use, and all the inboxes of the host, at most. */
size_t cor_sm_pair_bytes(const cor_sm_config *config, int ranks);
size_t cor_sm_host_bytes(const cor_sm_config *config, int ranks);

#endif
