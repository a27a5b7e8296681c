/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna options --KIND`: what documentation and shells take from the tables of options. */
#include "cmd/commands.h"
#include "launch/options/run_option_text.h"
#include "launch/run_plan.h"

#include <stdio.h>
#include <string.h>

int cor_command_options(int argc, char **argv)
{
    const char *commands[COMMANDS_MAX + 1], *kind = argc == 2 ? argv[1] : "";
    cor_command_names(commands);
    if (strcmp(kind, "--markdown") == 0)
        cor_run_option_text_markdown();
    else if (strcmp(kind, "--man") == 0)
        cor_run_option_text_man();
    else if (strcmp(kind, "--bash") == 0)
        cor_run_option_text_bash(commands);
    else if (strcmp(kind, "--zsh") == 0)
        cor_run_option_text_zsh(commands);
    else {
        fputs("usage: corunna options --markdown|--man|--bash|--zsh\n"
              "Prints the options of corunna run and mpjrun, for documentation and for completion in a shell.\n",
              stderr);
        return RUN_STATUS_USAGE;
    }
    return 0;
}
