// SPDX-License-Identifier: Apache-2.0
package mpi;

/** The error classes of the MPI standard that this library throws, with the numbers of its ABI. */
final class ErrorClass {
    static final int BUFFER = 1;
    static final int COUNT = 2;
    static final int TYPE = 3;
    static final int TAG = 4;
    static final int COMM = 5;
    static final int RANK = 6;
    static final int REQUEST = 7;
    static final int ROOT = 8;
    static final int GROUP = 9;
    static final int OP = 10;
    static final int TOPOLOGY = 11;
    static final int DIMS = 12;
    static final int ARG = 13;
    static final int UNKNOWN = 14;
    static final int TRUNCATE = 15;
    static final int OTHER = 16;
    static final int ACCESS = 20;
    static final int AMODE = 21;
    static final int ASSERT = 22;
    static final int BAD_FILE = 23;
    static final int BASE = 24;
    static final int CONVERSION = 25;
    static final int DISP = 26;
    static final int FILE_EXISTS = 28;
    static final int FILE_IN_USE = 29;
    static final int FILE = 30;
    static final int INFO_KEY = 31;
    static final int INFO_NOKEY = 32;
    static final int INFO_VALUE = 33;
    static final int INFO = 34;
    static final int IO = 35;
    static final int KEYVAL = 36;
    static final int LOCKTYPE = 37;
    static final int NAME = 38;
    static final int NO_MEM = 39;
    static final int NOT_SAME = 40;
    static final int NO_SPACE = 41;
    static final int NO_SUCH_FILE = 42;
    static final int PORT = 43;
    static final int QUOTA = 44;
    static final int READ_ONLY = 45;
    static final int RMA_ATTACH = 46;
    static final int RMA_CONFLICT = 47;
    static final int RMA_RANGE = 48;
    static final int RMA_SHARED = 49;
    static final int RMA_SYNC = 50;
    static final int SERVICE = 51;
    static final int SIZE = 52;
    static final int SPAWN = 53;
    static final int UNSUPPORTED_DATAREP = 54;
    static final int UNSUPPORTED_OPERATION = 55;
    static final int WIN = 56;
    static final int RMA_FLAVOR = 57;
    static final int PROC_ABORTED = 58;
    static final int LASTCODE = 16383;

    private ErrorClass() {
    }

    /** The class of one of the engine's codes ({@code src/base/error.h}). */
    static int of(int code) {
        switch (code) {
        case -1:
            return ARG;
        case -2:
            return COUNT;
        case -3:
            return TYPE;
        case -4:
            return TAG;
        case -5:
            return RANK;
        case -6:
            return COMM;
        case -7:
            return REQUEST;
        case -8:
            return BUFFER;
        case -9:
            return UNSUPPORTED_OPERATION;
        case -12:
            return RMA_SYNC;
        case -13:
            return RMA_RANGE;
        case -14:
            return RMA_ATTACH;
        case -15:
            return RMA_SHARED;
        case -16:
            return RMA_CONFLICT;
        case -20:
            return TRUNCATE;
        case -21:
            return TYPE;
        case -40:
            return PROC_ABORTED;
        case -60:
            return NO_MEM;
        case -64:
            return PORT;
        case -65:
            return SPAWN;
        case -66:
            return NAME;
        case -67:
            return SERVICE;
        default:
            return ofFile(code);
        }
    }

    private static int ofFile(int code) {
        switch (code) {
        case -80:
            return AMODE;
        case -81:
            return BAD_FILE;
        case -82:
            return NO_SUCH_FILE;
        case -83:
            return FILE_EXISTS;
        case -84:
            return ACCESS;
        case -85:
            return READ_ONLY;
        case -86:
        case -90:
            return IO;
        case -87:
            return NO_SPACE;
        case -88:
            return QUOTA;
        case -89:
            return FILE_IN_USE;
        case -91:
        case -93:
            return UNSUPPORTED_OPERATION;
        case -92:
            return CONVERSION;
        case -94:
            return NOT_SAME;
        case -95:
            return UNSUPPORTED_DATAREP;
        default:
            return OTHER;
        }
    }
}
