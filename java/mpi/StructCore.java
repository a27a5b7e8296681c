// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.util.ArrayList;
import java.util.List;

/** What a {@link Struct} is: its fields, and once it is in use its datatype. */
abstract class StructCore {
    private final List<Field> fields = new ArrayList<>();
    /** Where the next field begins; once complete, the extent. */
    int end;
    private Datatype type;

    StructCore() {
    }

    /** So many elements of a basic kind, of a datatype, or of another struct. */
    private static final class Field {
        final int kind;
        final Datatype type;
        final int offset;
        final int length;

        Field(int kind, Datatype type, int offset, int length) {
            this.kind = kind;
            this.type = type;
            this.offset = offset;
            this.length = length;
        }

        /** Known when the struct is complete: those of {@link MPI} are made before its datatypes are. */
        Datatype type() {
            if (type != null) {
                return type;
            }
            Datatype[] basic = {MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.BOOLEAN, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE};
            return basic[kind];
        }
    }

    /** Where the new field begins. */
    final int add(int kind, Datatype fieldType, int extent, int length) {
        checkOpen();
        int offset = end;
        fields.add(new Field(kind, fieldType, offset, length));
        end += extent * length;
        return offset;
    }

    private void checkOpen() {
        if (type != null) {
            throw new IllegalStateException("the struct is in use; no field can be added");
        }
    }

    final synchronized Datatype complete() {
        if (type == null) {
            int[] lengths = new int[fields.size()];
            int[] offsets = new int[lengths.length];
            Datatype[] types = new Datatype[lengths.length];
            for (int i = 0; i < lengths.length; i++) {
                Field field = fields.get(i);
                lengths[i] = field.length;
                offsets[i] = field.offset;
                types[i] = field.type();
            }
            type = Datatype.createStruct(lengths, offsets, types);
            end = type.getExtent();
        }
        return type;
    }

    /** The next field begins here, in bytes. */
    final void skipTo(int offset) {
        checkOpen();
        if (offset < end) {
            throw new IllegalArgumentException("offset is " + offset + ", but the fields so far reach to " + end);
        }
        end = offset;
    }

    /** The extent of the complete struct, in bytes. */
    final int extent() {
        complete();
        return end;
    }
}
