/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LU_SURFACE_H
#define LU_SURFACE_H

#include "flow_box.h"

/* LU's last figure: the integral of the pressure over the walls of a box inside the cube, by the trapezoidal rule. All
 * ranks take part. */
double lu_surface_integral(const flow_box *box);

#endif
