// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.util.HashMap;
import java.util.Map;

/** The attributes of a communicator, those that every one has included. */
final class Attributes {
    private final Map<Integer, Object> values = new HashMap<>();

    synchronized void set(String call, int key, Object value) {
        checkOwn(call, key);
        values.put(key, value);
    }

    synchronized Object get(int key, Endpoint endpoint) {
        switch (key) {
        case MPI.TAG_UB:
            return Integer.MAX_VALUE;
        case MPI.HOST:
            return MPI.PROC_NULL;
        case MPI.IO:
            return MPI.ANY_SOURCE;
        case Keyval.UNIVERSE_SIZE_NUMBER:
            return endpoint.universe();
        case Keyval.WTIME_IS_GLOBAL_NUMBER:
            return 0;
        case Keyval.LASTUSEDCODE_NUMBER:
            return ErrorClass.LASTCODE;
        case Keyval.APPNUM_NUMBER:
            return endpoint.program();
        default:
            return values.get(key);
        }
    }

    synchronized void delete(String call, int key) {
        checkOwn(call, key);
        values.remove(key);
    }

    /** A dup has what stands under the keys of {@link Comm#createKeyval}. */
    synchronized void copyTo(Attributes other) {
        for (Map.Entry<Integer, Object> each : values.entrySet()) {
            if (Keyval.isNumber(each.getKey())) {
                other.set("dup", each.getKey(), each.getValue());
            }
        }
    }

    private static void checkOwn(String call, int key) {
        if (Keyval.isPredefined(key)) {
            throw new MPIException(ErrorClass.ARG, call + ": the key " + key + " is predefined and cannot be changed");
        }
    }
}
