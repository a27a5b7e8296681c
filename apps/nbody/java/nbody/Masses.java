// SPDX-License-Identifier: Apache-2.0
package nbody;

import java.util.Arrays;

/**
 * What acts on bodies: bodies, and cubes of the tree that act as one mass. Six numbers each, one after the other, so
 * that an array of them is a message.
 */
final class Masses {
    static final int NUMBERS = 6;
    static final int MASS = 3;  // after the place
    static final int KEY = 4;   // place along the curve; of a cube, that of a body in it
    static final int LEVEL = 5; // of a cube: how often the whole was parted to get it; 0: a body

    double[] data;
    int count;

    Masses(int room) {
        data = new double[NUMBERS * room];
    }

    void add(double[] from, int place, double mass, double key, int level) {
        int at = NUMBERS * count;
        if (at == data.length) {
            data = Arrays.copyOf(data, Math.max(1024 * NUMBERS, 2 * data.length));
        }
        System.arraycopy(from, place, data, at, 3);
        data[at + MASS] = mass;
        data[at + KEY] = key;
        data[at + LEVEL] = level;
        count++;
    }

    /** Appends numbers of other masses. */
    void addAll(double[] others) {
        data = Arrays.copyOf(data, NUMBERS * count + others.length);
        System.arraycopy(others, 0, data, NUMBERS * count, others.length);
        count += others.length / NUMBERS;
    }

    /** The box around them: its corner, then the one opposite. Around nothing, the first is beyond the second. */
    double[] box() {
        double[] box = new double[6];
        Arrays.fill(box, 0, 3, Double.POSITIVE_INFINITY);
        Arrays.fill(box, 3, 6, Double.NEGATIVE_INFINITY);
        for (int i = 0; i < count; i++) {
            for (int axis = 0; axis < 3; axis++) {
                double x = data[NUMBERS * i + axis];
                box[axis] = Math.min(box[axis], x);
                box[3 + axis] = Math.max(box[3 + axis], x);
            }
        }
        return box;
    }
}
