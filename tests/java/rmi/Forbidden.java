// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.io.Serializable;

/** A class that a filter rejects. */
public final class Forbidden implements Serializable {
    private static final long serialVersionUID = 1L;
}
