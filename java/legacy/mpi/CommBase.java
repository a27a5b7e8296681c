// SPDX-License-Identifier: Apache-2.0
package mpi;

/** Members of {@link Comm} with the types of other libraries; see {@link MPIBase}. */
abstract class CommBase extends CommCore {
    CommBase(String name) {
        super(name);
    }

    /** {@link Comm#Attr_get} as mpiJava declares it; what is not there is {@link MPI#UNDEFINED}. */
    public int Attr_get(int keyval) throws MPIException {
        Object value = ((Comm) this).Get_attr(keyval);
        return value instanceof Integer ? (Integer) value : MPI.UNDEFINED;
    }
}
