/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna model`: fit the papers' performance model to measurements, and predict with it. */
#include "base/knob.h"
#include "launch/options/run_option.h"
#include "launch/run_plan.h"
#include "model/form.h"
#include "tools/model/model_request.h"
#include "tools/tools.h"

#include <stdio.h>
#include <string.h>

/* ---- the command line -------------------------------------------------------------------------------------------- */

/* MODEL_WANT + a key: only curves with this word. */
enum model_option_id {
    MODEL_OUTPUT,
    MODEL_CHECK,
    MODEL_SEED,
    MODEL_MEDIAN,
    MODEL_HTML,
    MODEL_RANKS_ARE,
    MODEL_FORM,
    MODEL_HELP,
    MODEL_WANT
};

static const run_option model_fit_options[] = {
    {"o|output", MODEL_OUTPUT, "FILE", "write the models to this file"},
    {"check", MODEL_CHECK, "N", "hold out N random points of every curve, if the file marks none"},
    {"seed", MODEL_SEED, "N", "seed of the random choice (1)"},
    {"median", MODEL_MEDIAN, "", "fit the medians, not the minima"},
    {"help|h", MODEL_HELP, "", "show this help"},
};

#define MODEL_WANTS                                                                                                   \
    {"system", MODEL_WANT + COR_MODEL_SYSTEM, "NAME", "only curves of this library"},                                 \
        {"language", MODEL_WANT + COR_MODEL_LANGUAGE, "NAME", "only curves of this language: c, java"},               \
        {"device", MODEL_WANT + COR_MODEL_DEVICE, "NAME", "only curves of this device"},                              \
        {"type", MODEL_WANT + COR_MODEL_TYPE, "NAME", "only curves of this type of elements"},                        \
        {"mode", MODEL_WANT + COR_MODEL_MODE, "NAME", "only curves of this mode: apart, row"},                        \
    {                                                                                                                 \
        "help|h", MODEL_HELP, "", "show this help"                                                                    \
    }

static const run_option model_predict_options[] = {
    {"n|np|ranks", MODEL_RANKS_ARE, "N", "number of ranks; by default the largest that was measured"},
    {"form", MODEL_FORM, "NAME",
     "papers, hockney, loggp or piecewise; by default piecewise where it breaks, else papers"},
    MODEL_WANTS,
};

static const run_option model_show_options[] = {
    {"html", MODEL_HTML, "FILE", "draw points, fits and errors into this page"},
    {"median", MODEL_MEDIAN, "", "show the medians, not the minima"},
    {"form", MODEL_FORM, "NAME", "compare with this form; by default piecewise where it breaks, else papers"},
    {"test", MODEL_WANT + COR_MODEL_TEST, "NAME", "only curves of this test"},
    MODEL_WANTS,
};

static const run_option model_replace_options[] = {
    {"n|np|ranks", MODEL_RANKS_ARE, "N", "number of ranks; by default all that were measured"},
    MODEL_WANTS,
};

typedef struct model_verb {
    const char *name;
    const char *words; /* what stands before the options; as many as there are words */
    int word_count;
    run_option_table options;
    int (*run)(const model_request *request);
    const char *help;
} model_verb;

#define MODEL_TABLE(rows)                                                                                             \
    {                                                                                                                 \
        NULL, rows, sizeof(rows) / sizeof *(rows)                                                                     \
    }

static const model_verb model_verbs[] = {
    {"fit", "FILE.csv", 1, MODEL_TABLE(model_fit_options), cor_model_fit_curves, "fit models to measured points"},
    {"predict", "FILE.model TEST BYTES", 3, MODEL_TABLE(model_predict_options), cor_model_predict,
     "time and bandwidth of a message"},
    {"show", "FILE.model FILE.csv", 2, MODEL_TABLE(model_show_options), cor_model_show,
     "measured and predicted times, as text or as a page"},
    {"replace", "FILE.model", 1, MODEL_TABLE(model_replace_options), cor_model_replace,
     "collectives that are slower than a combination of others"},
};

enum { MODEL_VERBS = sizeof model_verbs / sizeof *model_verbs };

static int model_option(const run_option_table *table, const run_option_match *match, model_request *request)
{
    const char *value = match->values[0];
    switch (match->option->id) {
    case MODEL_OUTPUT:
        request->output = value;
        return 0;
    case MODEL_CHECK:
        return cor_run_option_number(table, match, 1, &request->check);
    case MODEL_SEED:
        return cor_run_option_number(table, match, 0, &request->seed);
    case MODEL_MEDIAN:
        request->is_median = 1;
        return 0;
    case MODEL_HTML:
        request->html = value;
        return 0;
    case MODEL_RANKS_ARE:
        return cor_run_option_number(table, match, 1, &request->ranks);
    case MODEL_FORM:
        request->form = value;
        return 0;
    default:
        request->wanted[match->option->id - MODEL_WANT] = value;
        return 0;
    }
}

static int model_check_form(const model_request *request)
{
    const char *names[COR_MODEL_FITS];
    if (!request->form || cor_model_form_find(request->form))
        return 0;
    for (size_t i = 0; i < cor_model_form_count; i++)
        names[i] = cor_model_forms[i]->name;
    const char *nearest = cor_nearest(request->form, names, cor_model_form_count);
    fprintf(stderr, "%s: unknown form \"%s\"%s%s%s\n", request->command_name, request->form,
            nearest ? "; did you mean " : "; there are papers, hockney, loggp and piecewise", nearest ? nearest : "",
            nearest ? "?" : "");
    return -1;
}

static int model_run_verb(const model_verb *verb, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "corunna model %s", verb->name);
    run_option_table table = verb->options;
    model_request request = {.command_name = name, .seed = 1};
    table.command_name = name;
    for (int at = 1; at < argc;) {
        run_option_match match;
        if (!cor_run_option_is(argv[at])) {
            if (request.word_count == verb->word_count) {
                fprintf(stderr, "%s: \"%s\" is too much; usage: %s %s [options]\n", name, argv[at], name, verb->words);
                return RUN_STATUS_USAGE;
            }
            request.words[request.word_count++] = argv[at++];
            continue;
        }
        int code = cor_run_option_take(&table, argv, &at, &match);
        if (code == -1)
            cor_run_option_unknown(&table, argv[at]);
        if (code != 0)
            return RUN_STATUS_USAGE;
        if (match.option->id == MODEL_HELP) {
            printf("usage: %s %s [options]: %s\n\n", name, verb->words, verb->help);
            cor_run_option_help(&table);
            return 0;
        }
        if (model_option(&table, &match, &request) != 0)
            return RUN_STATUS_USAGE;
    }
    if (request.word_count < verb->word_count) {
        fprintf(stderr, "%s: something is missing; usage: %s %s [options]\n", name, name, verb->words);
        return RUN_STATUS_USAGE;
    }
    return model_check_form(&request) == 0 ? verb->run(&request) : RUN_STATUS_USAGE;
}

int cor_command_model(int argc, char **argv)
{
    const char *names[MODEL_VERBS], *word = argc > 1 ? argv[1] : "--help";
    for (int i = 0; i < MODEL_VERBS; i++) {
        names[i] = model_verbs[i].name;
        if (strcmp(word, names[i]) == 0)
            return model_run_verb(&model_verbs[i], argc - 1, argv + 1);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        puts("usage: corunna model VERB ...; `corunna model VERB --help` lists the options of each\n");
        for (int i = 0; i < MODEL_VERBS; i++)
            printf("  %-8s %-22s %s\n", names[i], model_verbs[i].words, model_verbs[i].help);
        return argc > 1 ? 0 : RUN_STATUS_USAGE;
    }
    fprintf(stderr, "corunna model: unknown verb \"%s\"%s (`corunna model --help` lists them)\n", word,
            cor_hint_at(cor_nearest(word, names, MODEL_VERBS)).text);
    return RUN_STATUS_USAGE;
}
