/* SPDX-License-Identifier: Apache-2.0 */
/* The request of a user to `corunna model`, and the curves it selects. */
#ifndef COR_TOOLS_MODEL_REQUEST_H
#define COR_TOOLS_MODEL_REQUEST_H

#include "model/model_file.h"
#include "model/points.h"

enum { MODEL_WORDS = 3 };

typedef struct model_request {
    const char *command_name; /* prefix of every message: "corunna model fit" */
    const char *words[MODEL_WORDS];
    int word_count;
    const char *wanted[COR_MODEL_KEYS]; /* NULL: any */
    int ranks;                          /* 0: any */
    const char *form, *output, *html;   /* NULL: not given */
    int check, seed, is_median;
} model_request;

/* Does the request select this curve? */
int cor_model_is_wanted(const model_request *request, const cor_model_key *key);

/* Print why no curve of the set is selected, with the nearest word if one was misspelt. Returns the exit status. */
int cor_model_none_wanted(const model_request *request, const cor_model_set *set, const char *path);

/* The requested form, or the one to predict with. NULL after a message: the model has no such form. */
const cor_model_fit *cor_model_wanted_fit(const model_request *request, const cor_model *model);

/* Was this number of ranks measured? */
int cor_model_was_measured(const cor_model *model, int ranks);

/* Print the message of a failure. Returns the exit status. */
int cor_model_fail(const model_request *request, const cor_fault *fault);

/* The verbs of the command, in model_predict.c, model_show.c and model_replace.c. Each returns the exit status. */
int cor_model_fit_curves(const model_request *request);
int cor_model_predict(const model_request *request);
int cor_model_show(const model_request *request);
int cor_model_replace(const model_request *request);

/* "pingpong, corunna, c, smdev, byte, 2 ranks" */
enum { MODEL_TITLE = 256 };
void cor_model_title(const cor_model *model, char out[MODEL_TITLE]);

/* Four digits, and no exponent for common magnitudes. Returns `out`. */
enum { MODEL_NUMBER = 32 };
const char *cor_model_number(double value, char out[MODEL_NUMBER]);

/* The parameters, metrics and errors of a model, as text. */
void cor_model_report(const cor_model *model);

/* The mean errors of all of them. */
void cor_model_report_all(const cor_model_set *set);

#endif
