// SPDX-License-Identifier: Apache-2.0
package mpjdev;

/** The type of {@link mpi.Comm#mpjdevComm}, which programs for MPJ Express may name. There are no objects of it. */
public abstract class Comm {
    /** For subclasses. */
    public Comm() {
    }

    /**
     * How many ranks there are.
     *
     * @return at least 1
     * @throws MPJDevException if it cannot be used
     */
    public abstract int size() throws MPJDevException;

    /**
     * The number of this rank.
     *
     * @return 0 to {@link #size} - 1
     * @throws MPJDevException if it cannot be used
     */
    public abstract int id() throws MPJDevException;
}
