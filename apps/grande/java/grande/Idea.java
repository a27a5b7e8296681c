// SPDX-License-Identifier: Apache-2.0
package grande;

/** The cipher IDEA: blocks of eight bytes, a key of sixteen; eight rounds of sums, products modulo 2^16 + 1, and
 * exclusive ors. */
final class Idea {
    private static final int ROUNDS = 8;
    private static final int KEYS = 6 * ROUNDS + 4;

    private Idea() {
    }

    /** Subkeys of a key of eight 16-bit words: the key, turned left by 25 bits again and again. */
    static int[] encryptionKeys(int[] key) {
        int[] keys = new int[KEYS];
        System.arraycopy(key, 0, keys, 0, 8);
        for (int i = 8; i < KEYS; i++) {
            int row = i - i % 8 - 8; // the eight words before
            int high = keys[row + (i + 1) % 8];
            int low = keys[row + (i + 2) % 8];
            keys[i] = (high << 9 | low >> 7) & 0xffff;
        }
        return keys;
    }

    /** Those that undo what subkeys do: inverse, and in reverse order. */
    static int[] decryptionKeys(int[] keys) {
        int[] inverse = new int[KEYS];
        for (int round = 0; round <= ROUNDS; round++) {
            int from = KEYS - 4 - 6 * round;
            int to = 6 * round;
            boolean isOutside = round == 0 || round == ROUNDS; // where the two middle words were not swapped
            inverse[to] = invert(keys[from]);
            inverse[to + 1] = -keys[from + (isOutside ? 1 : 2)] & 0xffff;
            inverse[to + 2] = -keys[from + (isOutside ? 2 : 1)] & 0xffff;
            inverse[to + 3] = invert(keys[from + 3]);
            if (round < ROUNDS) {
                inverse[to + 4] = keys[from - 2];
                inverse[to + 5] = keys[from - 1];
            }
        }
        return inverse;
    }

    /** a b modulo 2^16 + 1, where 0 stands for 2^16. */
    private static int multiply(int a, int b) {
        if (a == 0) {
            return 1 - b & 0xffff;
        }
        if (b == 0) {
            return 1 - a & 0xffff;
        }
        int product = a * b; // may be negative; its bits are right
        int low = product & 0xffff;
        int high = product >>> 16;
        return low - high + (low < high ? 1 : 0) & 0xffff;
    }

    /** a^(p - 2) is the inverse of a, for the prime p. */
    private static int invert(int a) {
        int result = 1;
        int square = a;
        for (int exponent = 65535; exponent > 0; exponent >>= 1) {
            if ((exponent & 1) != 0) {
                result = multiply(result, square);
            }
            square = multiply(square, square);
        }
        return result;
    }

    /** From one array to another, of so many bytes each, a multiple of eight. */
    static void run(byte[] from, byte[] to, int length, int[] keys) {
        for (int at = 0; at < length; at += 8) {
            int a = word(from, at);
            int b = word(from, at + 2);
            int c = word(from, at + 4);
            int d = word(from, at + 6);
            int k = 0;
            for (int round = 0; round < ROUNDS; round++) {
                a = multiply(a, keys[k++]);
                b = b + keys[k++] & 0xffff;
                c = c + keys[k++] & 0xffff;
                d = multiply(d, keys[k++]);
                int e = multiply(a ^ c, keys[k++]);
                int f = multiply((b ^ d) + e & 0xffff, keys[k++]);
                e = e + f & 0xffff;
                a ^= f;
                d ^= e;
                int swap = b ^ e;
                b = c ^ f;
                c = swap;
            }
            put(to, at, multiply(a, keys[k]));
            put(to, at + 2, c + keys[k + 1]);
            put(to, at + 4, b + keys[k + 2]);
            put(to, at + 6, multiply(d, keys[k + 3]));
        }
    }

    private static int word(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }

    private static void put(byte[] bytes, int at, int word) {
        bytes[at] = (byte) (word >> 8);
        bytes[at + 1] = (byte) word;
    }
}
