// SPDX-License-Identifier: Apache-2.0
package common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether files can be written where a user wants them, before work starts; throws with the sentence for the user. */
public final class Places {
    private Places() {
    }

    /** A folder, which is made if there is none; null is always right. */
    public static void checkFolder(Path folder) {
        if (folder == null) {
            return;
        }
        try {
            Files.createDirectories(folder);
        } catch (IOException failure) {
            throw new IllegalArgumentException("folder " + folder + " cannot be made", failure);
        }
        if (!Files.isWritable(folder)) {
            throw new IllegalArgumentException("folder " + folder + " cannot be written to");
        }
    }

    /** A file; null is always right. */
    public static void checkFile(Path file) {
        Path folder = file == null ? null : file.toAbsolutePath().getParent();
        if (file != null && (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)
                || Files.isDirectory(file))) {
            throw new IllegalArgumentException("file " + file + " cannot be written");
        }
    }
}
