// SPDX-License-Identifier: Apache-2.0
/** The classes of MPJ Express's device layer that the types of package {@link mpi} are made of or refer to. */
package mpjdev;
