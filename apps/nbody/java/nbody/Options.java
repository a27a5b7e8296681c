// SPDX-License-Identifier: Apache-2.0
package nbody;

import common.Numbers;
import common.Places;
import java.nio.file.Path;

/** What a run is asked for after its class. */
final class Options {
    private static final int[] BODIES = {2000, 8000, 32000, 128000, 512000};

    int bodies;
    int steps = 50;
    int frameCount = 40;
    Path frames;    // a folder for pictures; null: none
    Path animation; // files; null: none
    Path snapshot;
    Path restart;

    /** Throws with the sentence for the user. */
    Options(int index, String[] words) {
        bodies = BODIES[index];
        for (int i = 0; i < words.length; i += 2) {
            if (i + 1 == words.length) {
                throw new IllegalArgumentException("option " + words[i] + " needs a value");
            }
            take(words[i], words[i + 1]);
        }
    }

    private void take(String name, String value) {
        switch (name) {
        case "--bodies":
            bodies = Numbers.atLeast(4, name, value);
            break;
        case "--steps":
            steps = Numbers.atLeast(1, name, value);
            break;
        case "--count":
            frameCount = Numbers.atLeast(1, name, value);
            break;
        case "--frames":
            frames = Path.of(value);
            break;
        case "--animation":
            animation = Path.of(value);
            break;
        case "--snapshot":
            snapshot = Path.of(value);
            break;
        case "--restart":
            restart = Path.of(value);
            break;
        default:
            throw new IllegalArgumentException("unknown option " + name
                    + "; options are --bodies, --steps, --frames, --animation, --count, --snapshot and --restart");
        }
    }

    /** Whether files can be written where they are wanted; throws with the sentence for the user. */
    void checkPlaces() {
        Places.checkFolder(frames);
        Places.checkFile(animation);
        Places.checkFile(snapshot);
    }

    boolean wantsPictures() {
        return frames != null || animation != null;
    }

    /** A picture after every so many steps. */
    int stepsBetweenFrames() {
        return Math.max(1, steps / frameCount);
    }
}
