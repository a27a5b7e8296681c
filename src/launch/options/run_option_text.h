/* SPDX-License-Identifier: Apache-2.0 */
/* Texts generated from the tables of options: help, documentation, completions of shells. All go to stdout. */
#ifndef COR_RUN_OPTION_TEXT_H
#define COR_RUN_OPTION_TEXT_H

#include "launch/options/run_option.h"

/* Help: the rows of a table. */
void cor_run_option_text_rows(const run_option_table *table);

/* `corunna run --help`: the options that work, by sections. */
void cor_run_option_text_help(void);

/* `corunna options --KIND`, for docs/launching.md, docs/man/corunna-run.1 and packaging/completion. Completion needs
 * the names of the commands, NULL after the last. */
void cor_run_option_text_markdown(void);
void cor_run_option_text_man(void);
void cor_run_option_text_bash(const char *const *commands);
void cor_run_option_text_zsh(const char *const *commands);

#endif
