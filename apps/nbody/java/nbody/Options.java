package nbody;

import common.Numbers;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a run is asked for after its class. */
final class Options {
    private static final int[] BODIES = {2000, 8000, 32000, 128000, 512000};

    int bodies;
    int steps = 50;
    int frameCount = 40;
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
                    + "; options are --bodies, --steps, --animation, --count, --snapshot and --restart");
        }
    }

    /** Whether files can be written where they are wanted. */
    void checkPlaces() {
        for (Path file : new Path[] {animation, snapshot}) {
            Path folder = file == null ? null : file.toAbsolutePath().getParent();
            if (file != null && (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)
                    || Files.isDirectory(file))) {
                throw new IllegalArgumentException("file " + file + " cannot be written");
            }
        }
    }
}
