/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the options in run_options.def: each stores the values of an option in the request. 0, or -1 after a
 * message. */
#ifndef COR_RUN_TAKE_H
#define COR_RUN_TAKE_H

#include "launch/options/run_options.h"

/* ---- run_take.c: any field or setting, ranks, hosts -------------------------------------------------------------- */

/* Set the int at meaning->at to 1. */
int cor_take_flag(run_request *request, const run_option_match *match);
/* Set the text at meaning->at to meaning->detail, or else to the value. */
int cor_take_text(run_request *request, const run_option_match *match);
/* Set the setting meaning->detail, of the launcher alone or of the ranks too, to the value. */
int cor_take_knob(run_request *request, const run_option_match *match);
int cor_take_setting(run_request *request, const run_option_match *match);
int cor_take_tune(run_request *request, const run_option_match *match);
/* After all options: what --tune says in a list (base/knob_map.h) is said of each name, so that no variable of the user
 * for one of them has priority. */
void cor_take_maps(run_request *request);
int cor_take_size(run_request *request, const run_option_match *match);
int cor_take_hosts(run_request *request, const run_option_match *match);
int cor_take_host_file(run_request *request, const run_option_match *match);
int cor_take_per_node(run_request *request, const run_option_match *match);
int cor_take_universe(run_request *request, const run_option_match *match);
int cor_take_one_per_node(run_request *request, const run_option_match *match);
int cor_take_launcher(run_request *request, const run_option_match *match);
int cor_take_manager(run_request *request, const run_option_match *match);
int cor_take_sim(run_request *request, const run_option_match *match);
int cor_take_help(run_request *request, const run_option_match *match);
int cor_take_version(run_request *request, const run_option_match *match);

/* ---- run_take_place.c: mapping and binding ----------------------------------------------------------------------- */

int cor_take_map(run_request *request, const run_option_match *match);
int cor_take_map_by(run_request *request, const run_option_match *match);
int cor_take_order(run_request *request, const run_option_match *match);
int cor_take_ppr(run_request *request, const run_option_match *match);
int cor_take_distribution(run_request *request, const run_option_match *match);

/* ---- run_take_environment.c
 * --------------------------------------------------------------------------------------- */

int cor_take_export(run_request *request, const run_option_match *match);
int cor_take_env(run_request *request, const run_option_match *match);
int cor_take_env_all(run_request *request, const run_option_match *match);
int cor_take_env_none(run_request *request, const run_option_match *match);
int cor_take_env_list(run_request *request, const run_option_match *match);
int cor_take_env_slurm(run_request *request, const run_option_match *match);
int cor_take_wdir(run_request *request, const run_option_match *match);
int cor_take_abi(run_request *request, const run_option_match *match);
int cor_take_path(run_request *request, const run_option_match *match);

/* ---- run_take_output.c: output, input, watching
 * ------------------------------------------------------------------- */

int cor_take_prefix(run_request *request, const run_option_match *match);
int cor_take_out_file(run_request *request, const run_option_match *match);
int cor_take_error_file(run_request *request, const run_option_match *match);
int cor_take_folder(run_request *request, const run_option_match *match);
int cor_take_output(run_request *request, const run_option_match *match);
int cor_take_stdin(run_request *request, const run_option_match *match);
int cor_take_display(run_request *request, const run_option_match *match);
int cor_take_timeout(run_request *request, const run_option_match *match);
int cor_take_trace(run_request *request, const run_option_match *match);
int cor_take_stats(run_request *request, const run_option_match *match);
int cor_take_html(run_request *request, const run_option_match *match);
int cor_take_stall(run_request *request, const run_option_match *match);
int cor_take_gdb(run_request *request, const run_option_match *match);
int cor_take_debugger(run_request *request, const run_option_match *match);
int cor_take_xterm(run_request *request, const run_option_match *match);

#endif
