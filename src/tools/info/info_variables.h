/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of MPI's tool interface, from the tables that the interface has them from. */
#ifndef COR_TOOLS_INFO_VARIABLES_H
#define COR_TOOLS_INFO_VARIABLES_H

/* Print all control variables, or all performance variables, by their categories. */
void cor_info_cvars(void);
void cor_info_pvars(void);

#endif
