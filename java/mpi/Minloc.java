// SPDX-License-Identifier: Apache-2.0
package mpi;

/** The reduction of {@link MPI#MINLOC} as a function: of pairs of a value and a place it keeps the smallest value. */
public class Minloc extends User_function {
    private final Reduction reduction = new Reduction("Minloc", Reduction.MINLOC);

    /** The function. */
    public Minloc() {
    }

    @Override
    public void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count, Datatype datatype) {
        reduction.Call(invec, inoffset, inoutvec, inoutoffset, count, datatype);
    }
}
