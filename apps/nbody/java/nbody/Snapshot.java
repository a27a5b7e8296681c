// SPDX-License-Identifier: Apache-2.0
package nbody;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.CRC32;

/** All bodies at the end of a step, in a file: eight letters, the step, how many there are, their numbers, and a sum of
 * all bytes. */
final class Snapshot {
    private static final long LETTERS = 0x434f524e42444f31L; // CORNBDO1
    private static final int HEAD = 8 + 8 + 8;
    private static final int COUNT_MAX = 1 << 24;

    final long step;
    final Bodies bodies;

    Snapshot(long step, Bodies bodies) {
        this.step = step;
        this.bodies = bodies;
    }

    /** Beside its place first, so that there is never half a file. */
    void write(Path file) throws IOException {
        int bytes = HEAD + 8 * Bodies.NUMBERS * bodies.count;
        ByteBuffer buffer = ByteBuffer.allocate(bytes + 8);
        buffer.putLong(LETTERS).putLong(step).putLong(bodies.count);
        for (int i = 0; i < Bodies.NUMBERS * bodies.count; i++) {
            buffer.putDouble(bodies.data[i]);
        }
        buffer.putLong(sum(buffer.array(), bytes));
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.write(part, buffer.array());
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            Files.deleteIfExists(part);
            throw failure;
        }
    }

    private static long sum(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return crc.getValue();
    }

    /** Throws with the sentence for the user. */
    static Snapshot read(Path file) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException failure) {
            throw new IllegalArgumentException("snapshot " + file + " cannot be read", failure);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        check(bytes.length >= HEAD + 8 && buffer.getLong() == LETTERS, file, "is none");
        long step = buffer.getLong();
        long count = buffer.getLong();
        check(count >= 2 && count <= COUNT_MAX && bytes.length == HEAD + 8 * Bodies.NUMBERS * count + 8, file,
                "has the wrong length");
        check(buffer.getLong(bytes.length - 8) == sum(bytes, bytes.length - 8), file, "is damaged");
        Bodies bodies = new Bodies((int) count);
        boolean isFine = step >= 0;
        for (int i = 0; i < bodies.data.length; i++) {
            bodies.data[i] = buffer.getDouble();
            isFine &= Double.isFinite(bodies.data[i]);
        }
        for (int i = 0; i < bodies.count; i++) {
            isFine &= bodies.data[Bodies.NUMBERS * i + Bodies.MASS] > 0
                    && bodies.data[Bodies.NUMBERS * i + Bodies.COST] > 0;
        }
        check(isFine, file, "has numbers that bodies do not have");
        return new Snapshot(step, bodies);
    }

    private static void check(boolean holds, Path file, String sentence) {
        if (!holds) {
            throw new IllegalArgumentException("snapshot " + file + " " + sentence);
        }
    }
}
