// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The key of an attribute of communicators, made by {@link MPI#Comm_create_keyval}. */
public final class Keyval {
    static final int UNIVERSE_SIZE_NUMBER = 0x7FFF_FF04;
    static final int WTIME_IS_GLOBAL_NUMBER = 0x7FFF_FF05;
    static final int APPNUM_NUMBER = 0x7FFF_FF06;
    static final int LASTUSEDCODE_NUMBER = 0x7FFF_FF07;

    private static final AtomicInteger NEXT = new AtomicInteger(0x4000_0000);

    private static final Set<Integer> NUMBERS = ConcurrentHashMap.newKeySet();

    private final String name;
    private final int number;
    private volatile boolean isFreed;

    private Keyval(String name, int number) {
        this.name = name;
        this.number = number;
    }

    static Keyval predefined(String name, int number) {
        return new Keyval(name, number);
    }

    static Keyval create() {
        int number = NEXT.getAndIncrement();
        return new Keyval("Keyval " + number, number);
    }

    // ---- keys that are numbers, as Open MPI has them ----

    static int createNumber() {
        int number = NEXT.getAndIncrement();
        NUMBERS.add(number);
        return number;
    }

    static int requireNumber(String call, int number) {
        if (!isPredefined(number) && !isNumber(number)) {
            throw new MPIException(ErrorClass.KEYVAL, call + ": the key " + number
                    + " is none; createKeyval makes one, until freeKeyval");
        }
        return number;
    }

    static void freeNumber(String call, int number) {
        if (!NUMBERS.remove(number)) {
            throw new MPIException(ErrorClass.KEYVAL, call + ": the key " + number + (isPredefined(number)
                    ? " is predefined" : " is none, or was freed"));
        }
    }

    /** Is it one that createKeyval made? */
    static boolean isNumber(int number) {
        return NUMBERS.contains(number);
    }

    static boolean isPredefined(int number) {
        return number == MPI.TAG_UB || number == MPI.HOST || number == MPI.IO || number == UNIVERSE_SIZE_NUMBER
                || number == WTIME_IS_GLOBAL_NUMBER || number == APPNUM_NUMBER || number == LASTUSEDCODE_NUMBER;
    }

    /** The number of a key that can be used. */
    static int number(String call, Keyval key) {
        if (key == null || key.isFreed) {
            throw new MPIException(ErrorClass.ARG, call + ": the key "
                    + (key == null ? "is a null reference" : key.name + " has been freed"));
        }
        return key.number;
    }

    static void free(Keyval key) {
        if (isPredefined(number("Comm_free_keyval", key))) {
            throw new MPIException(ErrorClass.ARG, "Comm_free_keyval: the key " + key.name + " is predefined");
        }
        key.isFreed = true;
    }

    /** The key's name. */
    @Override
    public String toString() {
        return name;
    }
}
