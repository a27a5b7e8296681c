// SPDX-License-Identifier: Apache-2.0
package common;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;

/**
 * Pictures of a square field, as PNG files and as one animated PNG. Either blue is negative, white 0 and red positive;
 * or black is 0, and what is more glows.
 */
public final class Animation {
    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    private static final int SIDE_MAX = 480; // larger fields are thinned out
    private static final int FRAMES_A_SECOND = 20;

    private final boolean isGlowing;
    private final Path folder;
    private final Path file;
    private final List<byte[]> frames = new ArrayList<>();
    private int side;

    /** Each of the two paths may be null. */
    public Animation(Path folder, Path file, boolean isGlowing) {
        this.isGlowing = isGlowing;
        this.folder = folder;
        this.file = file;
    }

    /** A field of so many elements a side, all of them in rows. */
    public void add(double[] field, int elements, double brightest) throws IOException {
        int step = (elements + SIDE_MAX - 1) / SIDE_MAX;
        side = (elements + step - 1) / step;
        byte[] rows = new byte[side * (side + 1)]; // the first byte of each says that it is not filtered
        for (int y = 0; y < side; y++) {
            for (int x = 0; x < side; x++) {
                double value = field[(elements - 1 - y * step) * elements + x * step] / brightest;
                double shade = Math.signum(value) * Math.sqrt(Math.min(1, Math.abs(value)));
                rows[y * (side + 1) + 1 + x] = (byte) Math.round(127.5 + 127.5 * shade);
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
            out.write(rows);
        }
        if (folder != null) {
            write(folder.resolve(String.format("frame%04d.png", frames.size())), List.of(bytes.toByteArray()));
        }
        frames.add(bytes.toByteArray());
    }

    public void finish() throws IOException {
        if (file != null && !frames.isEmpty()) {
            write(file, frames);
        }
    }

    /** Beside its place first, so that there is never half a picture. */
    private void write(Path target, List<byte[]> pictures) throws IOException {
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(part))) {
            out.write(SIGNATURE);
            chunk(out, "IHDR", header());
            chunk(out, "PLTE", palette());
            if (pictures.size() > 1) {
                chunk(out, "acTL", ints(pictures.size(), 0));
            }
            int sequence = 0;
            for (int i = 0; i < pictures.size(); i++) {
                if (pictures.size() > 1) {
                    chunk(out, "fcTL", control(sequence++));
                }
                if (i == 0) {
                    chunk(out, "IDAT", pictures.get(0));
                } else {
                    chunk(out, "fdAT", join(ints(sequence++), pictures.get(i)));
                }
            }
            chunk(out, "IEND", new byte[0]);
        } catch (IOException failure) {
            Files.deleteIfExists(part);
            throw failure;
        }
        Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
    }

    private byte[] header() throws IOException {
        return join(ints(side, side), new byte[] {8, 3, 0, 0, 0}); // 8 bits, a palette, no interlacing
    }

    private byte[] control(int sequence) throws IOException {
        return join(ints(sequence, side, side, 0, 0),
                new byte[] {0, 1, 0, FRAMES_A_SECOND, 0, 0}); // 1/20 s, nothing is disposed of or blended
    }

    private byte[] palette() {
        byte[] colours = new byte[3 * 256];
        for (int i = 0; i < 256; i++) {
            if (isGlowing) {
                double light = Math.max(0, (i - 127.5) / 127.5);
                colours[3 * i] = (byte) Math.round(255 * Math.min(1, 1.6 * light));
                colours[3 * i + 1] = (byte) Math.round(255 * Math.min(1, 1.2 * light * Math.sqrt(light)));
                colours[3 * i + 2] = (byte) Math.round(255 * Math.min(1, 0.15 + 1.1 * light * light));
                continue;
            }
            double value = (i - 127.5) / 127.5;
            double fade = 1 - Math.abs(value);
            colours[3 * i] = (byte) Math.round(255 * (value > 0 ? 1 - 0.3 * value : fade));
            colours[3 * i + 1] = (byte) Math.round(255 * fade);
            colours[3 * i + 2] = (byte) Math.round(255 * (value < 0 ? 1 + 0.3 * value : fade));
        }
        return colours;
    }

    private static byte[] ints(int... values) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        for (int value : values) {
            out.writeInt(value);
        }
        return bytes.toByteArray();
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = java.util.Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static void chunk(DataOutputStream out, String type, byte[] data) throws IOException {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 check = new CRC32();
        check.update(name);
        check.update(data);
        out.writeInt(data.length);
        out.write(name);
        out.write(data);
        out.writeInt((int) check.getValue());
    }
}
