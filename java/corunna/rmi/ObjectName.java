// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.DataInput;
import java.io.IOException;

/** Which remote object: the number of an {@code ObjID}, and the {@code UID} in it. */
final class ObjectName {
    private final long number;
    private final int maker;
    private final long time;
    private final short count;

    private ObjectName(long number, int maker, long time, short count) {
        this.number = number;
        this.maker = maker;
        this.time = time;
        this.count = count;
    }

    /** As {@code ObjID.write} writes it. */
    static ObjectName read(DataInput in) throws IOException {
        return new ObjectName(in.readLong(), in.readInt(), in.readLong(), in.readShort());
    }

    static ObjectName get(Input in) throws IOException {
        return new ObjectName(in.getLong(), in.getInt(), in.getLong(), in.getShort());
    }

    void put(Output out) throws IOException {
        out.putLong(number);
        out.putInt(maker);
        out.putLong(time);
        out.putShort(count);
    }

    /** The number of the JVM that made the object. */
    int maker() {
        return maker;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof ObjectName)) {
            return false;
        }
        ObjectName that = (ObjectName) other;
        return number == that.number && maker == that.maker && time == that.time && count == that.count;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number * 31 + time) * 31 + maker + count;
    }
}
