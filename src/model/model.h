/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The performance model of the papers: how long a primitive takes, over the bytes of its message and the ranks.
 *
 *     T(n) = t0 + ti * (tb n / (t0 + tb n)) + tb n
 *
 * t0 is the start-up time, tb the time of a byte, and ti the extra time of medium-sized messages above that line.
 * Hockney's line (ti = 0) and LogGP are there for comparison, and a piecewise function for libraries whose protocol
 * changes with the size. For collectives each of the values is a law of the number of ranks p: a constant, or a
 * constant and a multiple of p or of ceil(log2 p).
 *
 * Times are microseconds, sizes bytes, everywhere. Nothing here blocks, and the same points give the same model.
 */
#ifndef COR_MODEL_MODEL_H
#define COR_MODEL_MODEL_H

#include "base/error.h"

#include <stddef.h>

enum { COR_MODEL_WORD = 32, COR_MODEL_VALUES = 3, COR_MODEL_PIECES = 4, COR_MODEL_RANKS = 64, COR_MODEL_FITS = 8 };

/* Sizes up to here are exact in a double. */
#define COR_MODEL_BYTES_MAX 9e15

/* The key that all points of one curve share: columns of a table of measurements, words of a model file, options of the
 * command. X(NAME, name) */
#define COR_MODEL_KEY_LIST(X)                                                                                         \
    X(TEST, test)                                                                                                     \
    X(SYSTEM, system)                                                                                                 \
    X(LANGUAGE, language)                                                                                             \
    X(DEVICE, device)                                                                                                 \
    X(TYPE, type)                                                                                                     \
    X(MODE, mode)

typedef enum cor_model_key_id {
#define COR_MODEL_KEY_ENUM(NAME, name) COR_MODEL_##NAME,
    COR_MODEL_KEY_LIST(COR_MODEL_KEY_ENUM)
#undef COR_MODEL_KEY_ENUM
        COR_MODEL_KEYS
} cor_model_key_id;

typedef struct cor_model_key {
    char words[COR_MODEL_KEYS][COR_MODEL_WORD]; /* may be empty */
} cor_model_key;

const char *cor_model_key_name(cor_model_key_id id);
int cor_model_key_is_equal(const cor_model_key *a, const cor_model_key *b);

/* Letters, digits and + - . _ / : only, and not too many. */
int cor_model_is_word(const char *text);

typedef struct cor_model_point {
    double bytes, us;
    int ranks;
    int is_held_out; /* not fitted, only judged */
} cor_model_point;

/* ---- laws, pieces, fits ----------------------------------------------------------------------------------------- */

typedef enum cor_model_shape { COR_MODEL_CONSTANT, COR_MODEL_LOG, COR_MODEL_LINEAR, COR_MODEL_SHAPES } cor_model_shape;

/* constant + slope * g(p), where g is 0, ceil(log2 p) or p. */
typedef struct cor_model_law {
    cor_model_shape shape;
    double constant, slope;
} cor_model_law;

double cor_model_shape_at(cor_model_shape shape, int ranks);
double cor_model_law_at(const cor_model_law *law, int ranks);

typedef struct cor_model_piece {
    double from_bytes; /* up to the next piece; 0 for the first */
    cor_model_law laws[COR_MODEL_VALUES];
} cor_model_piece;

struct cor_model_form;

typedef struct cor_model_fit {
    const struct cor_model_form *form;
    int piece_count;
    cor_model_piece pieces[COR_MODEL_PIECES];
    /* Mean absolute relative error of the points that were fitted, and of those held out; negative: there are none. */
    double fitted_error, held_out_error;
} cor_model_fit;

/* The values of the piece for this size. */
void cor_model_values(const cor_model_fit *fit, double bytes, int ranks, double values_p[COR_MODEL_VALUES]);

/* The time; never negative. Beyond the measured sizes and ranks it is an unchecked extrapolation. */
double cor_model_time(const cor_model_fit *fit, double bytes, int ranks);

/* Mean of |model / measured - 1| over the points that are held out, or over the others; -1: none. */
double cor_model_error(const cor_model_fit *fit, const cor_model_point *points, size_t count, int is_held_out);

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* One curve: all forms fitted to it, and the range of its points. */
typedef struct cor_model {
    cor_model_key key;
    int ranks[COR_MODEL_RANKS], rank_count; /* measured, rising */
    double bytes_low, bytes_high;
    int point_count, held_out_count; /* fitted and held out */
    int fit_count;
    cor_model_fit fits[COR_MODEL_FITS];
} cor_model;

/* Fit every form. COR_ERR_ARG: no point to fit, or too many numbers of ranks; COR_ERR_MEMORY. */
int cor_model_make(cor_model *model_p, const cor_model_key *key, const cor_model_point *points, size_t count,
                   cor_fault *fault);

/* The fit of the form of this name, or NULL. */
const cor_model_fit *cor_model_find_fit(const cor_model *model, const char *form);

/* The fit to predict with: the function in pieces where it has several, else the papers'. */
const cor_model_fit *cor_model_best_fit(const cor_model *model);

#endif
