// SPDX-License-Identifier: Apache-2.0
package mpi;

/** A number of elements that may be more than an {@code int} can say. */
public final class Count implements Comparable<Object> {
    private long count;

    /**
     * A number.
     *
     * @param count how many
     */
    public Count(long count) {
        this.count = count;
    }

    /**
     * The number.
     *
     * @return the number
     */
    public long getCount() {
        return count;
    }

    /**
     * Sets the number.
     *
     * @param count how many
     */
    public void setCount(long count) {
        this.count = count;
    }

    /**
     * Is the other object a count of the same number?
     *
     * @param other the other
     * @return true if so
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Count && ((Count) other).count == count;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(count);
    }

    /**
     * Compares with another count.
     *
     * @param other the other
     * @return negative, 0 or positive
     */
    @Override
    public int compareTo(Object other) {
        return Long.compare(count, ((Count) other).count);
    }
}
