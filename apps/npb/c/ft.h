/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPB_FT_H
#define NPB_FT_H

/* Are these checksums, real and imaginary parts of so many time steps, the class's? The error of one is that of the
 * complex number. */
int ft_checksums_match(int index, const double *sums, int count);

#endif
