// SPDX-License-Identifier: Apache-2.0
import java.awt.image.BufferedImage;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import javax.imageio.ImageIO;

/** PictureCheck FILE SIDE FRAMES: is it a PNG of this size with so many frames, each with all its rows, and not all
 * white? */
public final class PictureCheck {
    private PictureCheck() {
    }

    public static void main(String[] args) throws IOException, DataFormatException {
        File file = new File(args[0]);
        int side = Integer.parseInt(args[1]);
        BufferedImage image = ImageIO.read(file);
        check(image != null && image.getWidth() == side && image.getHeight() == side, "its size is wrong");
        int coloured = 0;
        for (int y = 0; y < side; y++) {
            for (int x = 0; x < side; x++) {
                int rgb = image.getRGB(x, y);
                coloured += (rgb & 0xff) < 0xd0 || (rgb >> 16 & 0xff) < 0xd0 ? 1 : 0;
            }
        }
        check(coloured > 10, "nothing is to be seen");
        check(frames(file, side) == Integer.parseInt(args[2]), "the number of frames is wrong");
    }

    private static void check(boolean holds, String sentence) {
        if (!holds) {
            System.err.println("PictureCheck: " + sentence);
            System.exit(1);
        }
    }

    /** Looks at the sum of each chunk, the order of frames, and inflates their data. */
    private static int frames(File file, int side) throws IOException, DataFormatException {
        int frames = 0;
        int sequence = 0;
        try (DataInputStream in = new DataInputStream(new FileInputStream(file))) {
            in.skipBytes(8);
            for (String type = ""; !type.equals("IEND");) {
                byte[] data = new byte[4 + in.readInt()];
                in.readFully(data);
                CRC32 crc = new CRC32();
                crc.update(data);
                check(in.readInt() == (int) crc.getValue(), "the sum of a chunk is wrong");
                type = new String(data, 0, 4, java.nio.charset.StandardCharsets.US_ASCII);
                int number = data.length >= 8 ? java.nio.ByteBuffer.wrap(data).getInt(4) : -1;
                if (type.equals("fcTL") || type.equals("fdAT")) {
                    check(number == sequence++, "frames are out of order");
                }
                if (type.equals("IDAT") || type.equals("fdAT")) {
                    int start = type.equals("IDAT") ? 4 : 8;
                    Inflater inflater = new Inflater();
                    inflater.setInput(data, start, data.length - start);
                    check(inflater.inflate(new byte[side * side * 2]) == side * (side + 1), "rows are missing");
                    inflater.end();
                    frames++;
                }
            }
        }
        return frames;
    }
}
