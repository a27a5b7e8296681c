// SPDX-License-Identifier: Apache-2.0
package mpi;

/** A version of the MPI standard; see {@link MPI#getVersion}. */
public final class Version {
    private final int version;
    private final int subVersion;

    /**
     * A version.
     *
     * @param version the number before the dot
     * @param subVersion the number behind it
     */
    protected Version(int version, int subVersion) {
        this.version = version;
        this.subVersion = subVersion;
    }

    /**
     * The number before the dot.
     *
     * @return the number
     */
    public int getVersion() {
        return version;
    }

    /**
     * The number behind the dot.
     *
     * @return the number
     */
    public int getSubVersion() {
        return subVersion;
    }
}
