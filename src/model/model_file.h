/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models as a text file, small and readable:
 *
 *     corunna-model 1
 *     remark machine: Neoverse-V1, 2 CPUs
 *     curve test=pingpong system=corunna ... mode= ranks=2 bytes=0-4194304 points=16 held_out=8
 *     fit form=papers fitted=0.0312 held_out=0.0401
 *     piece from=0 t0=0.151 ti=0.402 tb=4.7e-05
 *     ...
 *     end
 *
 * A value that depends on the ranks is written 0.5+0.2*p or 0.5+0.2*log2p. Numbers are written as short as possible
 * without losing a bit. A file without the last line was truncated. Lines that begin with # are ignored.
 */
#ifndef COR_MODEL_FILE_H
#define COR_MODEL_FILE_H

#include "model/model.h"

#include <stdio.h>

#define COR_MODEL_FILE_MAGIC "corunna-model "
#define COR_MODEL_FILE_VERSION "1"

typedef struct cor_model_set {
    cor_model *models;
    size_t count;
    char *remarks; /* lines; NULL: none */
} cor_model_set;

/* Add a copy of the model. COR_ERR_MEMORY. */
int cor_model_set_add(cor_model_set *set, const cor_model *model, cor_fault *fault);

/* Strict: a line that has not exactly this form is rejected with a sentence that names file and line, and so is a file
 * of another version. COR_ERR_ARG, COR_ERR_SYSTEM, COR_ERR_MEMORY; cor_model_set_fini frees after a failure, too. */
int cor_model_set_read(cor_model_set *set, const char *path, cor_fault *fault);
int cor_model_set_read_stream(cor_model_set *set, FILE *stream, const char *name, cor_fault *fault);

/* The file is replaced when all of it is written (base/output.h). */
int cor_model_set_write(const cor_model_set *set, const char *path, cor_fault *fault);
void cor_model_set_print(const cor_model_set *set, FILE *stream);

void cor_model_set_fini(cor_model_set *set);

/* The shortest text of a number that is read back as the same. */
enum { COR_MODEL_NUMBER = 32 };
void cor_model_print_number(double value, char out[COR_MODEL_NUMBER]);

/* A law as the file has it: "0.5+0.2*p". */
enum { COR_MODEL_LAW_TEXT = 80 };
void cor_model_print_law(const cor_model_law *law, char out[COR_MODEL_LAW_TEXT]);

#endif
