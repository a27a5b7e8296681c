// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

/**
 * How messages look. A connection begins with the client's {@link #HELLO} and two bytes more, version and features,
 * which the server answers with its features. Then both sides send messages in turns: a request, its reply.
 *
 * <p>A message is a sequence of frames. Each begins with an int:
 * <ul>
 * <li>not negative: bytes follow; their number stands above the lowest bit, which is set in the last frame of a
 * message; <li>negative: an array follows; the lowest bits are its kind ({@link Elements}), the next int is its length,
 * then come its elements. None comes before the bytes that tell what the message is for. The arrays of a message are
 * numbered, in one row with its strings of bytes.
 * </ul>
 * The bytes of a message are a {@link #CALL} (object, hash of the method, arguments), a {@link #PING}, or the reply to
 * one. A primitive value is written as it is. A reference begins with a tag; an {@link #OBJECT} is followed by a Java
 * object stream, of which there is one a message, without header, and with each class described once a connection. An
 * array that was sent by itself is a {@link SentArray} in the stream.
 */
final class Frame {
    /** Differs from the first bytes of an ordinary client, which are JRMI. An ordinary server closes the connection. */
    static final int HELLO = 0x434F_524D;
    static final int VERSION = 2;
    /** Features: the object streams of this side take no {@link SentArray}, because a filter of the JVM watches
     * them. */
    static final int WHOLE_STREAMS = 1;
    /** Set in the server's answer. */
    static final int WELCOME = 0x40;

    static final int SIZE_SHIFT = 1;
    static final int LAST = 1;
    /** Bytes of a frame at most. */
    static final int CAPACITY = 16 << 10;

    static final int CALL = 1;
    static final int PING = 2;
    static final int RETURN = 3;
    static final int THROW = 4;
    /** The server could not read the request; it closes the connection after this. */
    static final int THROW_AND_CLOSE = 5;

    static final int NULL = 0;
    /** A string of bytes: its length and so many characters. */
    static final int STRING = 1;
    /** An array or a string that has been sent: its number. */
    static final int ARRAY = 2;
    static final int OBJECT = 3;

    /** An array inside an object is sent by itself from so many bytes on; below, the stream is cheaper. */
    static final int ARRAY_MIN_BYTES = 512;

    private Frame() {
    }
}
