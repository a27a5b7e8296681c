// SPDX-License-Identifier: Apache-2.0
package mpi;

/** The reduction of {@link MPI#MAXLOC} as a function: of pairs of a value and a place it keeps the largest value. */
public class Maxloc extends User_function {
    private final Reduction reduction = new Reduction("Maxloc", Reduction.MAXLOC);

    /** The function. */
    public Maxloc() {
    }

    @Override
    public void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count, Datatype datatype) {
        reduction.Call(invec, inoffset, inoutvec, inoutoffset, count, datatype);
    }
}
