// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import java.util.Arrays;

/** Which elements of an array have stood in it before: a hash table of indices, used again for every message. */
final class Seen {
    private static final int FIRST = 64;

    private int[] slots = new int[FIRST];
    private int mask;

    /** Forgets everything and makes room for so many elements. */
    void begin(int count) {
        int wanted = Integer.highestOneBit(Math.max(FIRST / 2, Math.min(count, 1 << 28))) * 4;
        if (slots.length < wanted) {
            slots = new int[wanted];
        } else {
            Arrays.fill(slots, 0, wanted, 0);
        }
        mask = wanted - 1;
    }

    /** Gives back memory that only a huge message needed. */
    void end() {
        if (slots.length > 1 << 20) {
            slots = new int[FIRST];
        }
    }

    /** The index at which an equal string stood, or -1; then this one is remembered. For strings equal is same. */
    int string(Object[] array, int offset, int index) {
        String text = (String) array[offset + index];
        int hash = text.hashCode();
        for (int at = spread(hash);; at = at + 1 & mask) {
            int found = slots[at] - 1;
            if (found < 0) {
                slots[at] = index + 1;
                return -1;
            }
            if (text.equals(array[offset + found])) {
                return found;
            }
        }
    }

    /** The index at which the same object stood, or -1; then this one is remembered. */
    int object(Object[] array, int offset, int index) {
        Object object = array[offset + index];
        for (int at = spread(System.identityHashCode(object));; at = at + 1 & mask) {
            int found = slots[at] - 1;
            if (found < 0) {
                slots[at] = index + 1;
                return -1;
            }
            if (array[offset + found] == object) {
                return found;
            }
        }
    }

    private int spread(int hash) {
        int mixed = hash * 0x9E37_79B9;
        return (mixed ^ mixed >>> 16) & mask;
    }
}
