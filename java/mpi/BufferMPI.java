// SPDX-License-Identifier: Apache-2.0
package mpi;

/** Room for buffered sends, as programs written for FastMPJ make it; see {@link MPI#Buffer_attach(BufferMPI)}. */
public final class BufferMPI {
    private final int bytes;

    /**
     * Room for messages.
     *
     * @param count elements of the datatype that all messages together have, with {@link MPI#BSEND_OVERHEAD} bytes for
     *     each message
     * @param datatype what the elements are; of objects a count is one of bytes
     */
    public BufferMPI(int count, Datatype datatype) {
        Datatype.require("BufferMPI", datatype);
        long room = datatype.isObject() ? count : datatype.bytes(count);
        if (count < 0 || room > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, "BufferMPI: count is " + count + " of " + datatype
                    + "; there is room for 0 to " + Integer.MAX_VALUE + " bytes");
        }
        bytes = (int) room;
    }

    int bytes() {
        return bytes;
    }
}
