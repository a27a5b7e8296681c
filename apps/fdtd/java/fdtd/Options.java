// SPDX-License-Identifier: Apache-2.0
package fdtd;

import common.Numbers;
import common.Places;
import java.nio.file.Path;
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
    Path frames;    // a folder; null: no pictures
    Path animation; // a file; null: none
    int frameCount = 40;

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
        for (int i = first; i < words.length; i += 2) {
            if (i + 1 == words.length) {
                throw new IllegalArgumentException("option " + words[i] + " needs a value");
            }
            take(words[i], words[i + 1]);
        }
    }

    private void take(String name, String value) {
        switch (name) {
        case "--cells":
            cells = Numbers.atLeast(8, name, value);
            break;
        case "--steps":
            steps = Numbers.atLeast(1, name, value);
            break;
        case "--count":
            frameCount = Numbers.atLeast(1, name, value);
            break;
        case "--parts":
            if (!value.equals("1d") && !value.equals("2d")) {
                throw new IllegalArgumentException("--parts is '" + value + "'; it is 1d or 2d");
            }
            isParted2d = value.equals("2d");
            break;
        case "--frames":
            frames = Path.of(value);
            break;
        case "--animation":
            animation = Path.of(value);
            break;
        default:
            throw new IllegalArgumentException("unknown option " + name
                    + "; options are --cells, --steps, --parts, --frames, --animation and --count");
        }
    }

    /** Whether pictures can be written where they are wanted; throws with the sentence for the user. */
    void checkPlaces() {
        Places.checkFolder(frames);
        Places.checkFile(animation);
    }

    /** A picture after every so many steps. */
    int stepsBetweenFrames() {
        return Math.max(1, steps / frameCount);
    }
}
