// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the preloaded library counts in this process, which `corunna sock --stats` prints from outside. */
final class Fast {
    private static final String NAME = "/memfd:corunna-sock-stats";
    private static final int BYTES_READ = 8; // the place of its word

    private Fast() {
    }

    /** Bytes that came through shared memory; 0 without the library. */
    static long bytesRead() throws IOException {
        List<Path> descriptors;
        try (Stream<Path> list = Files.list(Path.of("/proc/self/fd"))) {
            descriptors = list.collect(Collectors.toList());
        }
        for (Path one : descriptors) {
            if (Files.isSymbolicLink(one) && Files.readSymbolicLink(one).toString().startsWith(NAME)) {
                return ByteBuffer.wrap(Files.readAllBytes(one)).order(ByteOrder.nativeOrder()).getLong(8 * BYTES_READ);
            }
        }
        return 0;
    }
}
