// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.Native;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The bytes that a socket receives. */
final class FastInput extends InputStream {
    private final FastSocketImpl impl;

    FastInput(FastSocketImpl impl) {
        this.impl = impl;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return length == 0 ? 0 : (int) impl.read(bytes, Native.KIND_BYTE, offset, length, 0);
    }

    @Override
    public int available() throws IOException {
        return impl.available();
    }

    @Override
    public void close() {
        impl.close();
    }
}
