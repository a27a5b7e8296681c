// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** What combines the elements of one call: an operator of the engine's, or one of the program's own at work. */
final class Operator implements AutoCloseable {
    /** What native code is given. */
    final long handle;
    /** Of the program's own, or null. */
    final Combination combination;
    private final Datatype type;
    /** The datatype as the engine knows it, for a combination. */
    private final long element;

    Operator(String call, Op op, Datatype type) {
        this.type = type;
        int number = op.number == 0 ? 0 : op.number(call, type);
        if (number == 0 && type.Size() > 0) {
            combination = new Combination(op, type);
            element = Layouts.handle(type);
            handle = Native.combinerCreate(combination, op.isCommutative(), element);
        } else {
            combination = null;
            element = 0;
            handle = number == 0 ? Native.opAndKind(Op.SUM_NUMBER, Native.KIND_INT) // of nothing, but the ranks wait
                    : Native.opAndKind(number, type.reduceKind());
        }
        if (handle == 0) {
            close();
            throw new MPIException(ErrorClass.NO_MEM, call + ": no memory for the operator");
        }
    }

    /** The call has ended, or begun to go on in the background. */
    @Override
    public void close() {
        if (handle != 0 && combination != null) {
            Native.combinerFree(handle);
        }
        if (combination != null) {
            Layouts.release(type, element);
        }
    }
}
