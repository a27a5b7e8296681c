/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two processes of a connection share: a header, two directions, and two rings of each, a near one for a
 * reader that keeps up, and a far one, which is large, for a writer that would wait otherwise. The peer may write
 * anything here at any time; only net_ring.h reads positions, and checks them.
 *
 * What is taken from here, and how it is checked. A length is computed once, in memory of this process, and checked
 * there; a word that is read again, as positions are, is checked again.
 *   sizes         find_is_whole: read to memory of its own, powers of two that make up the length of the file
 *   name, socket  find_is_for: compared, before the connection moves
 *   head, tail    net_ring_used: more than the rings have is nonsense; net_ring_room: likewise, there is no room
 *   turn, base    net_ring_piece: masked by the size of a ring, with which a piece ends; net_ring_tidy: cut to it
 *   tcp_bytes     read_before, cor_conn_available: so many bytes at most are taken from TCP; nonsense is as none
 *   other words   compared with the values that they may have; any other is none of these
 *
 * Header, near ring of direction 0, of direction 1, far ring of 0, of 1. A process maps the far ones when it needs one.
 */
#ifndef COR_NET_NET_SEGMENT_H
#define COR_NET_NET_SEGMENT_H

#include "base/cpu.h"
#include "net/net_name.h"

#include <stdatomic.h>
#include <stdint.h>

#define NET_SEGMENT_MAGIC 0x376b636f53726f43ull

enum { NET_SEGMENT_HEADER = 4096 };

enum { NET_OFFERED, NET_ATTACHED, NET_WITHDRAWN }; /* cor_net_segment.state */

/*
 * net_dir.wants_back: which side decides first. EARLY until the writer switches, which makes it NONE; a reader that
 * wants TCP before that makes it NEVER, and the writer stays where it is. Later the reader asks (ASKED), and does not
 * touch the ring; the writer begins (BEGUN), and sends by TCP what is in it. A reader that has waited in vain goes on
 * to read the ring (WISHED); then the writer leaves there what it has written.
 */
enum { NET_BACK_EARLY, NET_BACK_NONE, NET_BACK_NEVER, NET_BACK_ASKED, NET_BACK_BEGUN, NET_BACK_WISHED };

/* net_dir.is_shut: the writer has sent FIN, and will still read; or will not, and close after it, whatever is
 * unread. */
enum { NET_SHUT_HALF = 1, NET_SHUT_CLOSED = 2 };

enum { NET_ARMED_FUTEX = 1, NET_ARMED_BELL = 2 }; /* bits of net_dir.reader_armed and writer_armed */

/* One direction. Each line is written by one side, but for the last. */
typedef struct net_dir {
    _Alignas(COR_CACHE_LINE) _Atomic uint64_t tail; /* the writer's: bytes written so far */
    _Atomic uint64_t base[2];   /* of the near and the far ring: the position that is at its begin */
    _Atomic uint64_t turn;      /* from which position on which ring is used; see net_ring.h */
    _Atomic uint64_t tcp_bytes; /* before `switched`, these many went by TCP */
    _Atomic uint32_t switched, is_back, is_shut, is_reset;
    _Atomic uint32_t is_ending; /* the writer closes: sleep where the kernel tells of that */
    _Atomic int32_t writer_cpu;
    _Alignas(COR_CACHE_LINE) _Atomic uint64_t head; /* the reader's: bytes read so far */
    _Atomic uint32_t wants_back;
    _Atomic int32_t reader_cpu;
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t reader_armed; /* set by the sleeper, cleared by the one that wakes it */
    _Atomic uint32_t writer_armed;
    _Atomic uint32_t space; /* futex: grows when a writer may go on */
    _Atomic uint32_t news;  /* futex: grows when a reader is to look again */
} net_dir;

typedef struct cor_net_segment {
    uint64_t magic;
    uint64_t ring_bytes, far_bytes; /* of each direction */
    cor_net_name name;
    uint64_t socket; /* the number (inode) of the client's: addresses and ports may be another connection's later */
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t state;
    _Atomic uint32_t is_found; /* the server has mapped it: the client's descriptor is needed no more */
    net_dir dirs[2];           /* 0: from the client, 1: from the server */
} cor_net_segment;

_Static_assert(sizeof(cor_net_segment) <= NET_SEGMENT_HEADER, "the rings begin after the header");

#endif
