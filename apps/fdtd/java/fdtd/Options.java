// SPDX-License-Identifier: Apache-2.0
package fdtd;

import common.Numbers;
import common.Pairs;
import common.PictureOptions;
import java.util.Locale;

/** What a run of the solver is asked for: a class, then options. */
final class Options {
    private static final String CLASSES = "SWABC";
    private static final int[] CELLS = {240, 480, 960, 1920, 3840};
    private static final int[] STEPS = {400, 800, 1000, 1000, 1000};

    char letter = 'S';
    int cells;
    int steps;
    boolean isParted2d = true;
    final PictureOptions pictures = new PictureOptions();

    /** Throws with the sentence for the user. */
    Options(String[] words) {
        int first = 0;
        if (words.length > 0 && !words[0].startsWith("--")) {
            int index = words[0].length() == 1 ? CLASSES.indexOf(words[0].toUpperCase(Locale.ROOT)) : -1;
            if (index < 0) {
                throw new IllegalArgumentException("class is '" + words[0] + "'; classes are S, W, A, B and C");
            }
            letter = CLASSES.charAt(index);
            first = 1;
        }
        cells = CELLS[CLASSES.indexOf(letter)];
        steps = STEPS[CLASSES.indexOf(letter)];
        Pairs.take(words, first, this::take);
    }

    private void take(String name, String value) {
        switch (name) {
        case "--cells":
            cells = Numbers.atLeast(8, name, value);
            break;
        case "--steps":
            steps = Numbers.atLeast(1, name, value);
            break;
        case "--parts":
            if (!value.equals("1d") && !value.equals("2d")) {
                throw new IllegalArgumentException("--parts is '" + value + "'; it is 1d or 2d");
            }
            isParted2d = value.equals("2d");
            break;
        default:
            if (!pictures.take(name, value)) {
                throw new IllegalArgumentException("unknown option " + name
                        + "; options are --cells, --steps, --parts, --frames, --animation and --count");
            }
        }
    }
}
