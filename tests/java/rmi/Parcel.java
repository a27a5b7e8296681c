// SPDX-License-Identifier: Apache-2.0
package rmi;

import java.io.Serializable;
import java.util.Arrays;

/** An object with an array of any size in it. */
public final class Parcel implements Serializable {
    private static final long serialVersionUID = 1L;

    public final String name;
    public final double[] values;
    public Serializable more;

    public Parcel(String name, double[] values, Serializable more) {
        this.name = name;
        this.values = values;
        this.more = more;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Parcel && name.equals(((Parcel) other).name)
                && Arrays.equals(values, ((Parcel) other).values);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }
}
