// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.Native;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** The bytes that a socket sends. */
final class FastOutput extends OutputStream {
    private final FastSocketImpl impl;

    FastOutput(FastSocketImpl impl) {
        this.impl = impl;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length > 0) {
            impl.write(bytes, Native.KIND_BYTE, offset, length);
        }
    }

    @Override
    public void close() {
        impl.close();
    }
}
