// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.ByteBuffer;

/** A {@link UserFunction} where vectors are arrays: they are copied to the buffers that it works on, and back. */
final class ViewFunction extends User_function {
    private final UserFunction function;

    ViewFunction(UserFunction function) {
        this.function = function;
    }

    UserFunction function() {
        return function;
    }

    @Override
    public void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count, Datatype datatype) {
        Datatype.require("Op", datatype);
        if (datatype.isObject() || !datatype.isArray(invec) || !datatype.isArray(inoutvec) || datatype.low(count) < 0) {
            throw new MPIException(ErrorClass.TYPE, "Op: a UserFunction combines elements of " + datatype
                    + " that are in an array, from the first element of the array on at the earliest; the vectors are "
                    + Datatype.a(Views.nameOf(invec)) + " and " + Datatype.a(Views.nameOf(inoutvec)));
        }
        datatype.checkBuffer("Op", invec, inoffset, count);
        datatype.checkBuffer("Op", inoutvec, inoutoffset, count);
        int elements = (int) datatype.high(count);
        int kind = datatype.basicKind();
        ByteBuffer in = MPI.newByteBuffer(elements << datatype.shift());
        ByteBuffer inout = MPI.newByteBuffer(elements << datatype.shift());
        Combination.Arrays.put(in, kind, invec, inoffset, elements);
        Combination.Arrays.put(inout, kind, inoutvec, inoutoffset, elements);
        function.call(in, inout, count, datatype);
        inout.clear();
        Combination.Arrays.get(inout, kind, inoutvec, inoutoffset, elements);
    }
}
