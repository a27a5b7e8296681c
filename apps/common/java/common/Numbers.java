// SPDX-License-Identifier: Apache-2.0
package common;

/** Numbers among the arguments of a program. */
public final class Numbers {
    private Numbers() {
    }

    /** A whole number from {@code least} on; throws with the sentence for the user. */
    public static int atLeast(int least, String name, String value) {
        try {
            int number = Integer.parseInt(value);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException none) {
            // told below
        }
        throw new IllegalArgumentException(name + " is '" + value + "'; it is a number from " + least + " on");
    }
}
