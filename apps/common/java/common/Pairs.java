// SPDX-License-Identifier: Apache-2.0
package common;

import java.util.function.BiConsumer;

/** Options among the arguments of a program: names and values in turn. */
public final class Pairs {
    private Pairs() {
    }

    /** Every option from {@code first} on, with its value; throws with the sentence for the user. */
    public static void take(String[] words, int first, BiConsumer<String, String> option) {
        for (int i = first; i < words.length; i += 2) {
            if (i + 1 == words.length) {
                throw new IllegalArgumentException("option " + words[i] + " needs a value");
            }
            option.accept(words[i], words[i + 1]);
        }
    }
}
