/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measured points, as `corunna bench --csv` writes them: the first line names the columns, lines that begin with # are
 * remarks (machine, date). Columns are found by name, others are ignored:
 *
 *     test,system,language,device,ranks,type,mode,bytes,unit,minimum,median,spread,samples
 *     pingpong,corunna,c,smdev,2,byte,,1024,us,0.312,0.320,0.03,20
 *
 * The points of a curve have all columns in common but the bytes, and of a collective also the ranks. A mode that ends
 * in "+check" marks a point that is held out.
 */
#ifndef COR_MODEL_POINTS_H
#define COR_MODEL_POINTS_H

#include "model/model.h"

#include <stdint.h>
#include <stdio.h>

typedef struct cor_model_curve {
    cor_model_key key;
    int ranks; /* of all points; 0: a collective, whose points differ */
    cor_model_point *points;
    size_t count, room;
} cor_model_curve;

/* If the median is further above the minimum, relative to it, something else ran during the measurement. */
#define COR_MODEL_SPREAD_MAX 0.5

typedef struct cor_model_data {
    cor_model_curve *curves;
    size_t count;
    char *remarks;         /* lines without their #, each with its line break; NULL: none */
    size_t other_lines;    /* whose unit is not a time */
    size_t unsteady_lines; /* whose spread, a column that may be missing, is more than COR_MODEL_SPREAD_MAX */
} cor_model_data;

/* `value`: the column of the times, "minimum" or "median". Every failure names file and line: COR_ERR_ARG,
 * COR_ERR_SYSTEM, COR_ERR_MEMORY. After a failure too, cor_model_data_fini frees what was read. */
int cor_model_data_read(cor_model_data *data, const char *path, const char *value, cor_fault *fault);
int cor_model_data_read_stream(cor_model_data *data, FILE *stream, const char *name, const char *value,
                               cor_fault *fault);
void cor_model_data_fini(cor_model_data *data);

/* Hold out `wanted` random points of the curve, but at most a third of them and neither its smallest nor its largest
 * size. A curve that has such points already keeps those. Returns how many are held out. */
size_t cor_model_curve_hold_out(cor_model_curve *curve, size_t wanted, uint64_t *seed);

#endif
