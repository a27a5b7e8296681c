// SPDX-License-Identifier: Apache-2.0
package nbody;

import java.util.Arrays;

/** Bodies: ten numbers each, one after the other, so that an array of them is a message and a snapshot. */
final class Bodies {
    static final int NUMBERS = 10;
    static final int PLACE = 0;    // x, y, z
    static final int VELOCITY = 3; // half a step behind, but for the first step and in snapshots
    static final int MASS = 6;
    static final int COST = 7;     // pairs that its last force took
    static final int KEY = 8;      // place along the curve
    static final int NAME = 9;     // its number; never changes

    double[] data;
    int count;

    Bodies(int count) {
        this.count = count;
        data = new double[NUMBERS * count];
    }

    /** Orders them along the curve. */
    void sort() {
        Integer[] order = new Integer[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        Arrays.sort(order, (a, b) -> {
            int byKey = Double.compare(data[NUMBERS * a + KEY], data[NUMBERS * b + KEY]);
            return byKey != 0 ? byKey : Double.compare(data[NUMBERS * a + NAME], data[NUMBERS * b + NAME]);
        });
        double[] sorted = new double[NUMBERS * count];
        for (int i = 0; i < count; i++) {
            System.arraycopy(data, NUMBERS * order[i], sorted, NUMBERS * i, NUMBERS);
        }
        data = sorted;
    }
}
