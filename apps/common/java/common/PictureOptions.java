// SPDX-License-Identifier: Apache-2.0
package common;

import java.nio.file.Path;

/** The options about pictures of a run: {@code --frames}, {@code --animation} and {@code --count}. */
public final class PictureOptions {
    private Path frames;    // a folder; null: no pictures
    private Path animation; // a file; null: none
    private int count = 40;

    /** Takes one of these options; false: it is another. */
    public boolean take(String name, String value) {
        switch (name) {
        case "--count":
            count = Numbers.atLeast(1, name, value);
            return true;
        case "--frames":
            frames = Path.of(value);
            return true;
        case "--animation":
            animation = Path.of(value);
            return true;
        default:
            return false;
        }
    }

    /** Whether pictures can be written where they are wanted; throws with the sentence for the user. */
    public void checkPlaces() {
        Places.checkFolder(frames);
        Places.checkFile(animation);
    }

    /** What the pictures go to, or null if none are wanted. */
    public Animation open(boolean isGlowing) {
        return frames == null && animation == null ? null : new Animation(frames, animation, isGlowing);
    }

    /** A picture after every so many of {@code steps}. */
    public int stepsBetween(int steps) {
        return Math.max(1, steps / count);
    }
}
