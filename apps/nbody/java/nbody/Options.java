// SPDX-License-Identifier: Apache-2.0
package nbody;

import common.Numbers;
import common.Pairs;
import common.PictureOptions;
import common.Places;
import java.nio.file.Path;

/** What a run is asked for after its class. */
final class Options {
    private static final int[] BODIES = {2000, 8000, 32000, 128000, 512000};

    int bodies;
    int steps = 50;
    Path snapshot; // files; null: none
    Path restart;
    final PictureOptions pictures = new PictureOptions();

    /** Throws with the sentence for the user. */
    Options(int index, String[] words) {
        bodies = BODIES[index];
        Pairs.take(words, 0, this::take);
    }

    private void take(String name, String value) {
        switch (name) {
        case "--bodies":
            bodies = Numbers.atLeast(4, name, value);
            break;
        case "--steps":
            steps = Numbers.atLeast(1, name, value);
            break;
        case "--snapshot":
            snapshot = Path.of(value);
            break;
        case "--restart":
            restart = Path.of(value);
            break;
        default:
            if (!pictures.take(name, value)) {
                throw new IllegalArgumentException("unknown option " + name
                        + "; options are --bodies, --steps, --frames, --animation, --count, --snapshot and --restart");
            }
        }
    }

    /** Whether files can be written where they are wanted; throws with the sentence for the user. */
    void checkPlaces() {
        pictures.checkPlaces();
        Places.checkFile(snapshot);
    }
}
