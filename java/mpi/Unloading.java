// SPDX-License-Identifier: Apache-2.0
package mpi;

/** What remains to be done when an operation is complete, before its buffer has the data: see {@link Request}. */
interface Unloading {
    /** The data are here; takes them to where they belong. */
    void unload(String call, Status status);

    /** The operation is done, or failed, and nothing else needs what this has. */
    void close();

    /** The operation goes on, or may; it keeps what it needs by itself. */
    void leave();

    /** Is there something to unload whatever the status says of its length? */
    boolean isAlways();
}
