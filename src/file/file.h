/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: parallel files. The members of a communicator open one file together; each reads and writes the parts of it
 * that its view shows.
 *
 * A view (cor_file_view) is a displacement and a datatype, repeated to the end of the file: its data bytes, in their
 * order, are a stream. An access (cor_file_access) moves a piece of this stream to or from memory. It becomes a list
 * of pieces of the file, which one *strategy* carries out; which one is a rule (file_rules.h):
 *
 *   contiguous  one piece of the file: a system call, or a few through a buffer where memory is scattered
 *   list        several pieces: each by itself
 *   sieving     of a read: one larger read, from which the pieces are copied
 *   two-phase   collective: some members, the aggregators, have a part of the file each; data are exchanged in memory,
 *               and an aggregator reads or writes long pieces (file_collective.c)
 *
 * Nothing is ever written outside the pieces of an access: a write does not read, change and write back what lies
 * between them, since another job, or another member, may be writing there.
 *
 * What is written is told truly. An access that fails has in its status what was moved before the failure; its
 * sentence names the file, the member, the range and how much of it is on its way to the disk. Collective accesses
 * return the same error at all members if there was one at any.
 *
 * Completion. cor_file_start and cor_file_begin leave the memory to the access until its request is complete, or
 * cor_file_end has returned. A thread of the file works on independent accesses in the background (file_worker.h);
 * collective ones advance in any call of the library, and leave reading and writing to that thread.
 *
 * Pointers. Each member has an individual pointer, and all together have a shared one, in elements of the etype. The
 * shared pointer is a number in a window of one member, so it needs no file of its own (file_pointer.c).
 *
 * Threads: every function takes the lock of the rank itself, and never holds it while it reads or writes the file.
 * Collective functions are called by one thread at a time for a file.
 *
 * A call that waits and ends with COR_ERR_FINALIZED leaves the memory to the access until Finalize has returned: the
 * file's thread may be reading or writing it.
 *
 * Losses. A collective function returns COR_ERR_PEER when a member is lost; the file can still be read and written by
 * independent calls, and be closed.
 *
 * Arguments. The faces check handles, counts, NULL and the datatypes that they pass. The engine checks modes (a write
 * to a file opened for reading), offsets, and what the members must do alike.
 *
 * Errors: as in mp.h; those of files are -80 and below (error.h).
 */
#ifndef COR_FILE_FILE_H
#define COR_FILE_FILE_H

#include "dtype/dtype.h"
#include "mp/group.h"
#include "mp/info.h"
#include "mp/mp.h"

typedef struct cor_file cor_file;

/* ---- file_open.c: life, collective ------------------------------------------------------------------------------ */

/* The numbers of the MPI ABI. */
enum {
    COR_FILE_APPEND = 1,
    COR_FILE_CREATE = 2,
    COR_FILE_DELETE_ON_CLOSE = 4,
    COR_FILE_EXCL = 8,
    COR_FILE_RDONLY = 16,
    COR_FILE_RDWR = 32,
    COR_FILE_SEQUENTIAL = 64,
    COR_FILE_UNIQUE_OPEN = 128,
    COR_FILE_WRONLY = 256,
};

/* Open `name` on all members, with the same mode (COR_ERR_NOT_SAME). A name may begin with a kind of file system
 * ("ufs:"), which is left out; a pipe is refused. `hints` may be NULL. The communicator may be
 * freed afterwards. All members return the same error. */
int cor_file_open(cor_comm *comm, const char *name, int mode, const cor_info *hints, cor_file **file_p);
/* Waits for what is under way here and for all members; deletes the file if it was opened so. *file_p is NULL then,
 * also on failure, except COR_ERR_FINALIZED and COR_ERR_FILE_BUSY: a split collective access has not ended. */
int cor_file_close(cor_file **file_p);
/* Not collective, and needs no open file. The sentence is in the rank's fault. */
int cor_file_delete(cor_rank *rank, const char *name);

int cor_file_set_size(cor_file *file, int64_t bytes);
int cor_file_preallocate(cor_file *file, int64_t bytes);
/* Not collective. */
int cor_file_size(cor_file *file, int64_t *bytes_p);
/* All that this member has written is on the disk, and what others have written before their own sync can be read. */
int cor_file_sync(cor_file *file);

/* ---- properties, not collective --------------------------------------------------------------------------------- */

cor_comm *cor_file_comm(const cor_file *file); /* the file's own copy: members in their order */
const char *cor_file_name(const cor_file *file);
int cor_file_mode(const cor_file *file);
int cor_file_is_atomic(const cor_file *file);
/* Collective. COR_ERR_FILE_LOCKS: the file system has no locks, and there are several members. */
int cor_file_set_atomic(cor_file *file, int is_atomic);

/* ---- file_hints.c ----------------------------------------------------------------------------------------------- */

/* Collective. What may change while the file is open does; the others stay. */
int cor_file_set_hints(cor_file *file, const cor_info *hints);
/* Fill in all hints that are in force, and those only. COR_ERR_MEMORY. */
int cor_file_hints(const cor_file *file, cor_info *hints);

/* ---- file_view.c: views ----------------------------------------------------------------------------------------- */

/* A data representation: how elements look in the file. Native has no functions. They are called by the threads of the
 * rank and of its files, with the rank's lock and without it, so they use nothing that takes it; several at once. */
typedef struct cor_file_format cor_file_format;
struct cor_file_format {
    const char *name;
    /* The extent of a type in the file. */
    int (*extent)(const cor_file_format *format, const cor_dtype *type, int64_t *extent_p);
    /* Convert `count` elements of `type`, the first of which is number `first` of those at `memory`, to or from the
     * file's bytes. NULL: they are the same as in memory, where the extents are. An error of
     * COR_ERR_FILE_CONVERSION. */
    int (*to_file)(const cor_file_format *format, const void *memory, const cor_dtype *type, size_t count,
                   size_t first, void *bytes);
    int (*from_file)(const cor_file_format *format, void *memory, const cor_dtype *type, size_t count, size_t first,
                     const void *bytes);
    void *subject;
    int is_unknown; /* it is only a name: a view of it is refused, by all members */
};

extern const cor_file_format cor_file_native;
extern const cor_file_format cor_file_internal;   /* of this library: as native, whatever the machine */
extern const cor_file_format cor_file_external32; /* big endian, sizes of the standard */

typedef struct cor_file_view {
    int64_t displacement; /* bytes */
    const cor_dtype *etype, *filetype;
    const cor_file_format *format; /* outlives the file */
} cor_file_view;

/* Stands for the place of the shared pointer, in a file opened as sequential. */
enum { COR_FILE_HERE = -54278278 }; /* MPI_DISPLACEMENT_CURRENT */

/* Collective. References the types, and sets both pointers to 0. COR_ERR_ARG: the filetype is not made of the
 * etype, or its displacements are negative or decrease; or, of a file that is written, overlap. (Those of a filetype
 * that follows may come before its end; a write that would reach a byte twice so is refused.) COR_ERR_NOT_SAME:
 * the extents of the etypes, or the formats, differ. COR_ERR_FILE_FORMAT: a member does not know the format. */
int cor_file_set_view(cor_file *file, const cor_file_view *view);
const cor_file_view *cor_file_view_of(const cor_file *file);
/* Where in the file the element `offset` of the view begins. */
int cor_file_byte_offset(cor_file *file, int64_t offset, int64_t *bytes_p);
int cor_file_type_extent(cor_file *file, const cor_dtype *type, int64_t *extent_p);

/* ---- pointers --------------------------------------------------------------------------------------------------- */

typedef enum cor_file_whence { COR_FILE_SET, COR_FILE_CURRENT, COR_FILE_END } cor_file_whence;

int cor_file_seek(cor_file *file, int64_t offset, cor_file_whence whence);
int64_t cor_file_position(cor_file *file);
/* Collective; COR_ERR_NOT_SAME. */
int cor_file_seek_shared(cor_file *file, int64_t offset, cor_file_whence whence);
int cor_file_position_shared(cor_file *file, int64_t *offset_p);

/* ---- file_access.c: data ---------------------------------------------------------------------------------------- */

typedef enum cor_file_pointer { COR_FILE_EXPLICIT, COR_FILE_INDIVIDUAL, COR_FILE_SHARED } cor_file_pointer;

/* An access, copied by the functions below; the payload's memory belongs to it until it is complete. With
 * COR_FILE_SHARED a collective access is an ordered one: the parts of the members lie in the file in the order of
 * their ranks. */
typedef struct cor_file_access {
    uint8_t is_write, is_collective;
    uint8_t pointer; /* cor_file_pointer */
    int64_t offset;  /* EXPLICIT: in elements of the etype */
    cor_payload memory;
    const cor_dtype *type; /* of the elements in memory, all `count` of them */
    size_t count;
    const void *base; /* where these elements are, for formats that convert; NULL: only through the payload */
} cor_file_access;

/* The status has the bytes of the memory's packed stream that were moved: fewer than all at the end of the file. */
int cor_file_run(cor_file *file, const cor_file_access *access, cor_status *status_p);
int cor_file_start(cor_file *file, const cor_file_access *access, cor_request **request_p);
/* Split collective: one at a time for a file (COR_ERR_FILE_BUSY). end must be of the same kind as begin
 * (COR_ERR_ARG), whose access it describes: is_write, pointer and base are compared. */
int cor_file_begin(cor_file *file, const cor_file_access *access);
int cor_file_end(cor_file *file, const cor_file_access *access, cor_status *status_p);

/* ---- file_explain.c: what would be done, for people ------------------------------------------------------------- */

/* Lines of text about a file at this path, or in this folder: the file system, locks, which strategy would run when
 * with so many members (0: some usual numbers), and the hints. The caller frees *text_p. COR_ERR_MEMORY. */
int cor_file_explain(const char *path, int members, char **text_p);

#endif
