// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;

/** A square field of temperatures as a PNG file and as text. */
final class Picture {
    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    private static final String SHADES = " .:-=+*#%@";
    /** Black, violet, red, orange, yellow, white. */
    private static final int[][] COLOURS = {
        {0, 0, 8}, {70, 10, 110}, {190, 40, 70}, {245, 130, 25}, {250, 215, 60}, {255, 255, 230},
    };

    private final double[] field;
    private final int size;
    private final double hottest;

    Picture(double[] field, int size) {
        this.field = field;
        this.size = size;
        double max = 1e-300;
        for (double value : field) {
            max = Math.max(max, value);
        }
        this.hottest = max;
    }

    // ---- PNG: signature, header, one compressed block of rows, end ----

    void writePng(Path file) throws IOException {
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        DataOutputStream fields = new DataOutputStream(header);
        fields.writeInt(size);
        fields.writeInt(size);
        fields.write(new byte[] {8, 2, 0, 0, 0}); // 8 bits, red green blue, no interlacing
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
            out.write(SIGNATURE);
            writeChunk(out, "IHDR", header.toByteArray());
            writeChunk(out, "IDAT", compressedRows());
            writeChunk(out, "IEND", new byte[0]);
        }
    }

    private byte[] compressedRows() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream rows = new DeflaterOutputStream(bytes)) {
            byte[] row = new byte[1 + 3 * size]; // the first byte says that the row is not filtered
            for (int y = 0; y < size; y++) {
                for (int x = 0; x < size; x++) {
                    int[] colour = colour(field[y * size + x]);
                    for (int i = 0; i < 3; i++) {
                        row[1 + 3 * x + i] = (byte) colour[i];
                    }
                }
                rows.write(row);
            }
        }
        return bytes.toByteArray();
    }

    private static void writeChunk(DataOutputStream out, String type, byte[] data) throws IOException {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 check = new CRC32();
        check.update(name);
        check.update(data);
        out.writeInt(data.length);
        out.write(name);
        out.write(data);
        out.writeInt((int) check.getValue());
    }

    private int[] colour(double value) {
        double position = Math.max(0, Math.min(1, value / hottest)) * (COLOURS.length - 1);
        int below = Math.min((int) position, COLOURS.length - 2);
        double part = position - below;
        int[] colour = new int[3];
        for (int i = 0; i < 3; i++) {
            colour[i] = (int) Math.round(COLOURS[below][i] * (1 - part) + COLOURS[below + 1][i] * part);
        }
        return colour;
    }

    // ---- text: a character is about twice as high as wide ----

    /** With colours every character shows two cells, one above the other. */
    String toText(int columns, boolean isColoured) {
        int rows = columns / 2;
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                if (isColoured) {
                    int[] above = colour(at(2 * row, 2 * rows, column, columns));
                    int[] below = colour(at(2 * row + 1, 2 * rows, column, columns));
                    text.append(String.format("\033[38;2;%d;%d;%dm\033[48;2;%d;%d;%dm\u2580", above[0], above[1],
                            above[2], below[0], below[1], below[2]));
                } else {
                    double shade = at(row, rows, column, columns) / hottest * (SHADES.length() - 1);
                    text.append(SHADES.charAt((int) Math.round(Math.max(0, shade))));
                }
            }
            text.append(isColoured ? "\033[0m\n" : "\n");
        }
        return text.toString();
    }

    private double at(int row, int rows, int column, int columns) {
        int y = (int) ((row + 0.5) * size / rows);
        int x = (int) ((column + 0.5) * size / columns);
        return field[y * size + x];
    }
}
