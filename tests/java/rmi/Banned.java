// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.io.Serializable;

/** A class that the filter of a JVM rejects. */
public final class Banned implements Serializable {
    private static final long serialVersionUID = 1L;
}
