// SPDX-License-Identifier: Apache-2.0
package mpjdev;

import java.util.UUID;
import mpjbuf.Type;

/** What {@link mpi.Status} shows of a message beside its methods. Programs for MPJ Express read these fields. */
public class Status {
    /** Rank of the sender in the communicator. */
    public int source;
    /** Tag of the message. */
    public int tag;
    /** Which of several requests was completed. */
    public int index;
    /**
     * Whole elements received, counted in the datatype given to the receive; of a probed message, whose datatype is
     * not known, bytes.
     */
    public int count;
    /** Bytes received, as far as they can be counted in an int. */
    public int countInBytes;
    /** Elements of the basic type received, or as {@link #count} where that is not known. */
    public int numEls;
    /** The basic type, where a program has said so. */
    public Type type;
    /** The sender, where a program has said so. */
    public UUID srcID;

    /** The empty status. */
    public Status() {
    }

    /**
     * A status of a message.
     *
     * @param source rank of the sender
     * @param tag its tag
     * @param index which of several requests was completed
     */
    public Status(int source, int tag, int index) {
        this.source = source;
        this.tag = tag;
        this.index = index;
    }

    /**
     * A status of a message.
     *
     * @param source rank of the sender
     * @param tag its tag
     * @param index which of several requests was completed
     * @param type what its elements are
     * @param numEls how many there are
     */
    public Status(int source, int tag, int index, Type type, int numEls) {
        this(source, tag, index);
        this.type = type;
        this.numEls = numEls;
    }

    /**
     * A status of a message.
     *
     * @param srcID the sender
     * @param tag its tag
     * @param index which of several requests was completed
     */
    public Status(UUID srcID, int tag, int index) {
        this(0, tag, index);
        this.srcID = srcID;
    }

    /**
     * A status of a message.
     *
     * @param srcID the sender
     * @param tag its tag
     * @param index which of several requests was completed
     * @param type what its elements are
     * @param numEls how many there are
     */
    public Status(UUID srcID, int tag, int index, Type type, int numEls) {
        this(0, tag, index, type, numEls);
        this.srcID = srcID;
    }
}
