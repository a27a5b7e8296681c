// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.NativeNet;
import java.io.IOException;

/** Arrays over a socket of ours: native code copies between the array and the connection. */
final class ArrayWays implements FastChannel.Ways {
    private final FastSocketImpl impl;

    ArrayWays(FastSocketImpl impl) {
        this.impl = impl;
    }

    @Override
    public void write(Object array, int kind, long offset, long bytes) throws IOException {
        impl.write(array, kind, offset, bytes);
    }

    @Override
    public long read(Object array, int kind, long offset, long bytes) throws IOException {
        return impl.read(array, kind, offset, bytes, NativeNet.ALL);
    }

    @Override
    public boolean isFast() {
        return impl.isFast();
    }
}
