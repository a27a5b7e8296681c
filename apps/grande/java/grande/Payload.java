// SPDX-License-Identifier: Apache-2.0
package grande;

import java.io.Serializable;
import mpi.Datatype;
import mpi.MPI;

/** What the transfers of section 1 send: numbers as they are, or in an object each. Each rank sends numbers of its
 * own. */
enum Payload {
    DOUBLES {
        @Override
        Datatype type() {
            return MPI.DOUBLE;
        }

        @Override
        Object make(int rank, int count) {
            double[] array = new double[count];
            for (int i = 0; i < count; i++) {
                array[i] = value(rank, i);
            }
            return array;
        }

        @Override
        double get(Object array, int i) {
            return ((double[]) array)[i];
        }
    },

    OBJECTS {
        @Override
        Datatype type() {
            return MPI.OBJECT;
        }

        @Override
        Object make(int rank, int count) {
            Boxed[] array = new Boxed[count];
            for (int i = 0; i < count; i++) {
                array[i] = new Boxed(value(rank, i));
            }
            return array;
        }

        @Override
        double get(Object array, int i) {
            return ((Boxed[]) array)[i].value;
        }
    };

    /** An object with a number. */
    private static final class Boxed implements Serializable {
        private static final long serialVersionUID = 1;

        private final double value;

        Boxed(double value) {
            this.value = value;
        }
    }

    private static final int RANKS_APART = 1 << 24; // more than elements of a message

    abstract Datatype type();

    /** An array of so many of a rank's numbers; rank -1 has none that any rank sends. */
    abstract Object make(int rank, int count);

    abstract double get(Object array, int i);

    /** A whole number, so that sums of all ranks' are exact. */
    static double value(int rank, int i) {
        return (double) RANKS_APART * rank + i;
    }

    String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
