/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna options --KIND`: what documentation and shells take from the tables of options. */
#include "run/commands.h"
#include "run/run_option_text.h"
#include "run/run_plan.h"

#include <stdio.h>
#include <string.h>

int cor_command_options(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*print)(void);
    } kinds[] = {{"--markdown", cor_run_option_text_markdown},
                 {"--man", cor_run_option_text_man},
                 {"--bash", cor_run_option_text_bash},
                 {"--zsh", cor_run_option_text_zsh}};
    for (size_t i = 0; argc == 2 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].word) == 0) {
            kinds[i].print();
            return 0;
        }
    fputs("usage: corunna options --markdown|--man|--bash|--zsh\n"
          "Prints the options of corunna run and mpjrun, for documentation and for completion in a shell.\n",
          stderr);
    return RUN_STATUS_USAGE;
}
