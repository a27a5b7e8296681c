// SPDX-License-Identifier: Apache-2.0
package mpi;

/** Arrays of requests, and of what became of them, as the Open MPI dialect has them. */
final class Requests {
    private Requests() {
    }

    /** The engine's number of each, 0 for one that is null. */
    static long[] handles(Request[] requests) {
        long[] handles = new long[requests.length];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = requests[i] == null ? 0 : requests[i].handle;
        }
        return handles;
    }

    static void become(Request[] requests, long[] handles) {
        for (int i = 0; i < handles.length; i++) {
            if (requests[i] != null) {
                requests[i].handle = handles[i];
            }
        }
    }

    static int index(Status status) {
        return status == null ? MPI.UNDEFINED : status.index;
    }

    static int[] indices(Status[] statuses) {
        if (statuses == null) {
            return null;
        }
        int[] indices = new int[statuses.length];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = statuses[i].index;
        }
        return indices;
    }
}
