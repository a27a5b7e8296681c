/* SPDX-License-Identifier: Apache-2.0 */
/* What the C applications with options share: classes, numbers and places among their words, and the report in the form
 * of the NAS Parallel Benchmarks. A function that returns 0 leaves a sentence for the user in `why`. */
#ifndef APP_WORDS_H
#define APP_WORDS_H

enum { APP_WHY_MAX = 512 };

/* The class, S, W, A, B or C, is the first word; S if that is an option or there is none. 1: its place in that list,
 * and the place of the first option. */
int app_class(int argc, char **argv, int *index_p, int *option_p, char why[APP_WHY_MAX]);
char app_class_letter(int index);

/* Has the option at this place a value behind it? */
int app_has_value(int argc, char **argv, int option, char why[APP_WHY_MAX]);

/* A whole number from `least` on. */
int app_number(const char *name, const char *value, int least, int *number_p, char why[APP_WHY_MAX]);

/* Whether a folder, which is made if there is none, or a file can be written; NULL always can. */
int app_place_folder(const char *folder, char why[APP_WHY_MAX]);
int app_place_file(const char *file, char why[APP_WHY_MAX]);

typedef struct app_result {
    char letter;
    const char *size;
    int iterations, ranks;
    double seconds, operations;
    const char *type; /* of operations */
    int is_right;
} app_result;

void app_report(const app_result *result);

#endif
