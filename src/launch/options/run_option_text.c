/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/options/run_option_text.h"

#include "launch/options/mpjrun_options.h"
#include "launch/options/run_options.h"
#include "launch/run_path.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_LEFT = 24, TEXT_WIDTH = 100 };

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Call for each of a row's names, which is not terminated. */
typedef void (*text_name_fn)(const char *name, int length, int is_first);

static void text_each_name(const run_option *option, text_name_fn call)
{
    for (const char *at = option->names; *at;) {
        int length = (int)strcspn(at, "|");
        call(at, length, at == option->names);
        at += length + (at[length] == '|');
    }
}

static const char *text_dashes(int length)
{
    return length > 1 ? "--" : "-";
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

/* Words of a text from a column on, in lines of at most TEXT_WIDTH. */
static void text_wrap(const char *text, int column)
{
    for (int used = column; *text; text += strspn(text, " ")) {
        int length = (int)strcspn(text, " ");
        if (used > column && used + 1 + length > TEXT_WIDTH) {
            printf("\n%*s", column, "");
            used = column;
        }
        used += printf(used > column ? " %.*s" : "%.*s", length, text);
        text += length;
    }
    puts("");
}

/* A row: a mark, the first name with its values, and the help beside it or below. */
static void text_row(const char *mark, const run_option *option)
{
    int length = (int)strcspn(option->names, "|");
    int used = printf("%s %s%.*s %s", mark, text_dashes(length), length, option->names, option->values);
    if (used >= TEXT_LEFT)
        puts("");
    printf("%*s", used >= TEXT_LEFT ? TEXT_LEFT : TEXT_LEFT - used, "");
    text_wrap(option->help, TEXT_LEFT);
}

void cor_run_option_text_rows(const run_option_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        text_row(" ", &table->rows[i]);
}

void cor_run_option_text_help(void)
{
    puts("usage: corunna run [options] program [arguments] [: [options] program [arguments] ...]\n"
         "Starts the program, or several, as the ranks of one parallel job, on this host or on others.\n"
         "An option marked * is of the program that follows it.");
    run_section section = RUN_SECTIONS;
    for (size_t i = 0; i < cor_run_options.count; i++) {
        const run_option *option = &cor_run_options.rows[i];
        const run_meaning *meaning = cor_run_meaning(option);
        if (meaning->effect != RUN_WORKS)
            continue;
        if (meaning->section != section)
            printf("\n%s:\n", cor_run_section_title(meaning->section));
        section = meaning->section;
        text_row(meaning->is_per_program ? "*" : " ", option);
    }
    char pages[PATH_MAX];
    int has_pages = cor_run_path_pages(pages);
    printf("\nOne dash or two make no difference. Other spellings, and options of Open MPI, Hydra and srun that\n"
           "change nothing here or are refused, are in %s%sdocs/launching.md.\n",
           has_pages ? pages : "", has_pages ? "/" : "");
}

/* ---- markdown ---------------------------------------------------------------------------------------------------- */

static void markdown_cell(const char *text)
{
    for (; *text; text++)
        fputs(*text == '|' ? "\\|" : (const char[]){*text, '\0'}, stdout);
}

static void markdown_name(const char *name, int length, int is_first)
{
    printf("%s`%s%.*s`", is_first ? "" : ", ", text_dashes(length), length, name);
}

static void markdown_from(const char *from)
{
    static const struct {
        char letter;
        const char *name;
    } launchers[] = {{'O', "Open MPI"}, {'H', "Hydra"}, {'S', "srun"}};
    const char *before = "";
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (strchr(from, launchers[i].letter)) {
            printf("%s%s", before, launchers[i].name);
            before = ", ";
        }
}

static void markdown_row(const run_option *option)
{
    const run_meaning *meaning = cor_run_meaning(option);
    static const char *const effects[] = {"", "*changes nothing:* ", "*refused:* "};
    fputs("| ", stdout);
    text_each_name(option, markdown_name);
    if (*option->values) {
        fputs(" ", stdout);
        markdown_cell(option->values);
    }
    fputs(" | ", stdout);
    markdown_from(meaning->from);
    printf(" | %s%s", meaning->is_per_program ? "*(per program)* " : "", effects[meaning->effect]);
    markdown_cell(option->help);
    puts(" |");
}

void cor_run_option_text_markdown(void)
{
    run_section section = RUN_SECTIONS;
    for (size_t i = 0; i < cor_run_options.count; i++) {
        const run_meaning *meaning = cor_run_meaning(&cor_run_options.rows[i]);
        if (meaning->section != section)
            printf("%s### %s\n\n| Option | Also of | |\n|---|---|---|\n", i > 0 ? "\n" : "",
                   cor_run_section_title(meaning->section));
        section = meaning->section;
        markdown_row(&cor_run_options.rows[i]);
    }
    const run_option_table *mpjrun = cor_mpjrun_options();
    puts("\n### mpjrun\n\n| Option | |\n|---|---|");
    for (size_t i = 0; i < mpjrun->count; i++) {
        fputs("| ", stdout);
        text_each_name(&mpjrun->rows[i], markdown_name);
        printf(" %s | ", mpjrun->rows[i].values);
        markdown_cell(mpjrun->rows[i].help);
        puts(" |");
    }
}

/* ---- the manual page --------------------------------------------------------------------------------------------- */

static void man_text(const char *text, int length)
{
    for (int i = 0; i < length; i++)
        fputs(text[i] == '-' ? "\\-" : text[i] == '\\' ? "\\e" : (const char[]){text[i], '\0'}, stdout);
}

static void man_name(const char *name, int length, int is_first)
{
    fputs(is_first ? "\\fB" : ", \\fB", stdout);
    man_text(text_dashes(length), length > 1 ? 2 : 1);
    man_text(name, length);
    fputs("\\fR", stdout);
}

static void man_row(const run_option *option)
{
    const run_meaning *meaning = cor_run_meaning(option);
    puts(".TP");
    text_each_name(option, man_name);
    if (*option->values) {
        fputs(" \\fI", stdout);
        man_text(option->values, (int)strlen(option->values));
        fputs("\\fR", stdout);
    }
    puts("");
    if (meaning->is_per_program)
        fputs("(per program) ", stdout);
    man_text(option->help, (int)strlen(option->help));
    puts(".");
}

void cor_run_option_text_man(void)
{
    for (int section = 0; section < RUN_SECTIONS; section++) {
        printf(".SS %s\n", cor_run_section_title((run_section)section));
        for (size_t i = 0; i < cor_run_options.count; i++) {
            const run_meaning *meaning = cor_run_meaning(&cor_run_options.rows[i]);
            if ((int)meaning->section == section && meaning->effect == RUN_WORKS)
                man_row(&cor_run_options.rows[i]);
        }
    }
}

/* ---- completions ------------------------------------------------------------------------------------------------- */

static void bash_name(const char *name, int length, int is_first)
{
    (void)is_first;
    if (*name != '?')
        printf(" %s%.*s", text_dashes(length), length, name);
}

/* Names of executables for which a shell asks for completion. */
#define COMPLETED                                                                                                     \
    "corunna mpirun mpiexec mpirun.corunna mpiexec.corunna mpjrun mpjrun.sh fmpjrun mpjrun.corunna mpjrun.sh.corunna"

static void text_command_names(const char *const *commands)
{
    for (size_t i = 0; commands[i]; i++)
        printf("%s%s", i > 0 ? " " : "", commands[i]);
}

/* The options of a table, or only those with a value. */
static void bash_options(const run_option_table *table, int is_valued)
{
    for (size_t i = 0; i < table->count; i++) {
        const run_option *option = &table->rows[i];
        int is_shown = table != &cor_run_options || cor_run_meaning(option)->effect == RUN_WORKS || is_valued;
        if (is_shown && (!is_valued || (*option->values && *option->values != '[')))
            text_each_name(option, bash_name);
    }
}

static void bash_case(const char *names, const run_option_table *table)
{
    printf("    %s)\n        options=\"", names);
    bash_options(table, 0);
    fputs(" \"\n        valued=\"", stdout);
    bash_options(table, 1);
    puts(" \"\n        ;;");
}

void cor_run_option_text_bash(const char *const *commands)
{
    puts("# Completion for bash of corunna and the other names of its launchers; made by `corunna options --bash`.\n"
         "_corunna()\n"
         "{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} name=${1##*/} at=1 options valued\n"
         "    name=${name%.corunna}\n"
         "    if [ \"$name\" = corunna ]; then\n"
         "        if [[ $COMP_CWORD -eq 1 || ($COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == help) ]]; then");
    fputs("            mapfile -t COMPREPLY < <(compgen -W \"", stdout);
    text_command_names(commands);
    puts("\" -- \"$word\")\n"
         "            return\n"
         "        fi\n"
         "        name=${COMP_WORDS[1]} at=2\n"
         "    fi\n"
         "    case $name in");
    bash_case("run | mpirun | mpiexec", &cor_run_options);
    bash_case("mpjrun | mpjrun.sh | fmpjrun", cor_mpjrun_options());
    puts("    *)\n"
         "        # The other commands, and their verbs, tell their options in their help.\n"
         "        local tell=(\"${COMP_WORDS[@]:0:2}\")\n"
         "        if [[ $name == @(model|apps) && $COMP_CWORD -gt 2 ]]; then tell+=(\"${COMP_WORDS[2]}\"); fi\n"
         "        if [[ $word == -* ]]; then\n"
         "            options=$(\"${tell[@]}\" --help 2>/dev/null | sed -n 's/^  *\\(-[^ ]*\\).*/\\1/p')\n"
         "            mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "        else\n"
         "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "        fi\n"
         "        return\n"
         "        ;;\n"
         "    esac\n"
         "    # Options end at the program; a \":\" begins those of the next one.\n"
         "    local in_program=0\n"
         "    for (( ; at < COMP_CWORD; at++)); do\n"
         "        case ${COMP_WORDS[at]} in\n"
         "        :) in_program=0 ;;\n"
         "        -*)\n"
         "            if [ $in_program = 0 ] && [[ $valued == *\" ${COMP_WORDS[at]} \"* || $valued == *\" "
         "-${COMP_WORDS[at]} \"* ]]; then\n"
         "                at=$((at + 1))\n"
         "            fi\n"
         "            ;;\n"
         "        *) in_program=1 ;;\n"
         "        esac\n"
         "    done\n"
         "    if [ $in_program = 0 ] && [ \"$at\" -eq \"$COMP_CWORD\" ] && [[ $word == -* ]]; then\n"
         "        # One dash or two make no difference.\n"
         "        if [[ $word == -[!-]?* ]]; then options=${options//--/-}; fi\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "    elif [ $in_program = 0 ] && [ \"$at\" -eq \"$COMP_CWORD\" ]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -c -f -- \"$word\" | sort -u)\n"
         "    else\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "    fi\n"
         "}\n"
         "complete -o filenames -F _corunna " COMPLETED);
}

/* Inside '...[help]:value:action'. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            printf(strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
    }
}

static void zsh_row(const run_option *option)
{
    for (const char *at = option->names; *at;) {
        int length = (int)strcspn(at, "|");
        if (*at != '?') {
            printf("        '*%s%.*s[", text_dashes(length), length, at);
            zsh_text(option->help);
            fputs("]", stdout);
            if (*option->values && *option->values != '[') {
                fputs(":", stdout);
                zsh_text(option->values);
                fputs(":_files", stdout);
            }
            puts("'");
        }
        at += length + (at[length] == '|');
    }
}

static void zsh_case(const char *names, const run_option_table *table)
{
    printf("    %s)\n        options=(\n", names);
    for (size_t i = 0; i < table->count; i++)
        if (table != &cor_run_options || cor_run_meaning(&table->rows[i])->effect == RUN_WORKS)
            zsh_row(&table->rows[i]);
    puts("        )\n        ;;");
}

void cor_run_option_text_zsh(const char *const *commands)
{
    puts("#compdef " COMPLETED "\n"
         "# Completion for zsh of corunna and the other names of its launchers; made by `corunna options --zsh`.\n"
         "_corunna()\n"
         "{\n"
         "    local name=${${service:t}%.corunna} program=$words[1]\n"
         "    local -a options\n"
         "    if [[ $name == corunna ]]; then\n"
         "        if (( CURRENT == 2 )) || [[ $CURRENT == 3 && $words[2] == help ]]; then");
    fputs("            compadd -- ", stdout);
    text_command_names(commands);
    puts("\n"
         "            return\n"
         "        fi\n"
         "        name=$words[2]\n"
         "        shift words\n"
         "        (( CURRENT-- ))\n"
         "    fi\n"
         "    case $name in");
    zsh_case("run|mpirun|mpiexec", &cor_run_options);
    zsh_case("mpjrun|mpjrun.sh|fmpjrun", cor_mpjrun_options());
    puts("    *)\n"
         "        # The other commands, and their verbs, tell their options in their help.\n"
         "        local -a tell=($program $name)\n"
         "        [[ $name == (model|apps) && $CURRENT -gt 2 ]] && tell+=($words[2])\n"
         "        if [[ $words[CURRENT] == -* ]]; then\n"
         "            compadd -- $($tell --help 2>/dev/null | sed -n 's/^  *\\(-[^ ]*\\).*/\\1/p')\n"
         "        else\n"
         "            _files\n"
         "        fi\n"
         "        return\n"
         "        ;;\n"
         "    esac\n"
         "    # One dash or two make no difference.\n"
         "    options+=(${${(M)options:#\\*--*}/#\\*--/*-})\n"
         "    _arguments -S $options '*::program:_normal'\n"
         "}\n"
         "_corunna \"$@\"");
}
