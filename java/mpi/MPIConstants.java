// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/** What the Open MPI Java bindings have beside methods, and mpiJava does not; it is inherited by {@link MPI}. */
abstract class MPIConstants {
    /** No error. */
    public static final int SUCCESS = 0;
    /** The version of the MPI standard that the calls of this dialect follow. */
    public static final int VERSION = 3;
    /** The number behind its dot. */
    public static final int SUBVERSION = 1;
    /** {@link Comm#getTopology}: a graph of which each rank knows a part. */
    public static final int DIST_GRAPH = 3;
    /** No key. */
    public static final int KEYVAL_INVALID = 0;
    /** Characters of a name. */
    public static final int MAX_OBJECT_NAME = 128;
    /** Characters of a port. */
    public static final int MAX_PORT_NAME = 1024;
    /** Characters of a data representation. */
    public static final int MAX_DATAREP_STRING = 128;
    /** Characters of a key of {@link Info}. */
    public static final int MAX_INFO_KEY = 256;
    /** Characters of a value of {@link Info}. */
    public static final int MAX_INFO_VAL = 1024;
    /** The order of C. */
    public static final int ORDER_C = 0xC;
    /** The order of Fortran. */
    public static final int ORDER_FORTRAN = 0xF;
    /** Not distributed. */
    public static final int DISTRIBUTE_NONE = 16;
    /** Distributed in blocks. */
    public static final int DISTRIBUTE_BLOCK = 17;
    /** Distributed in turn. */
    public static final int DISTRIBUTE_CYCLIC = 18;
    /** The usual distribution. */
    public static final int DISTRIBUTE_DFLT_DARG = 19;
    /** Of {@link File}: the pointers begin at its end. */
    public static final int MODE_APPEND = 1;
    /** Of {@link File}: it is made if it is not there. */
    public static final int MODE_CREATE = 2;
    /** Of {@link File}: it is deleted when it is closed. */
    public static final int MODE_DELETE_ON_CLOSE = 4;
    /** Of {@link File}: with {@link #MODE_CREATE} it must not be there yet. */
    public static final int MODE_EXCL = 8;
    /** Of {@link File}: it is only read. */
    public static final int MODE_RDONLY = 16;
    /** Of {@link File}: it is read and written. */
    public static final int MODE_RDWR = 32;
    /** Of {@link File}: it is read or written from begin to end, by the pointer of all ranks. */
    public static final int MODE_SEQUENTIAL = 64;
    /** Of {@link File}: nobody else has it open meanwhile. */
    public static final int MODE_UNIQUE_OPEN = 128;
    /** Of {@link File}: it is only written. */
    public static final int MODE_WRONLY = 256;
    /** Of {@link File#setView}: the place of the pointer of all ranks. */
    public static final int DISPLACEMENT_CURRENT = -1;
    /** Of {@link File#seek}: from where the pointer is. */
    public static final int SEEK_CUR = 401;
    /** Of {@link File#seek}: from the end of the file. */
    public static final int SEEK_END = 402;
    /** Of {@link File#seek}: from the beginning of the view. */
    public static final int SEEK_SET = 403;
    /** Of {@link Win}. */
    public static final int MODE_NOCHECK = 1024;
    /** Of {@link Win}. */
    public static final int MODE_NOPRECEDE = 2048;
    /** Of {@link Win}. */
    public static final int MODE_NOPUT = 4096;
    /** Of {@link Win}. */
    public static final int MODE_NOSTORE = 8192;
    /** Of {@link Win}. */
    public static final int MODE_NOSUCCEED = 16384;
    /** Of {@link Win}. */
    public static final int LOCK_EXCLUSIVE = 301;
    /** Of {@link Win}. */
    public static final int LOCK_SHARED = 302;
    /** Of {@link Win}. */
    public static final int WIN_BASE = 601;
    /** Of {@link Win}. */
    public static final int WIN_DISP_UNIT = 602;
    /** Of {@link Win}. */
    public static final int WIN_SIZE = 603;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_ACCESS = 20;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_AMODE = 21;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_ARG = 13;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_ASSERT = 22;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_BAD_FILE = 23;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_BASE = 24;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_BUFFER = 1;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_COMM = 5;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_CONVERSION = 25;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_COUNT = 2;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_DIMS = 12;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_DISP = 26;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_DUP_DATAREP = 27;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_FILE = 30;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_FILE_EXISTS = 28;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_FILE_IN_USE = 29;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_GROUP = 9;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_INFO = 34;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_INFO_KEY = 31;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_INFO_NOKEY = 32;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_INFO_VALUE = 33;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_INTERN = 17;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_IN_STATUS = 19;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_IO = 35;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_KEYVAL = 36;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_LASTCODE = 16383;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_LOCKTYPE = 37;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_NAME = 38;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_NOT_SAME = 40;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_NO_MEM = 39;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_NO_SPACE = 41;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_NO_SUCH_FILE = 42;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_OP = 10;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_OTHER = 16;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_PENDING = 18;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_PORT = 43;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_PROC_ABORTED = 58;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_QUOTA = 44;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_RANK = 6;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_READ_ONLY = 45;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_REQUEST = 7;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_RMA_CONFLICT = 47;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_RMA_SYNC = 50;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_ROOT = 8;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_SERVICE = 51;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_SIZE = 52;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_SPAWN = 53;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_SYSRESOURCE = -2;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_TAG = 4;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_TOPOLOGY = 11;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_TRUNCATE = 15;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_TYPE = 3;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_UNKNOWN = 14;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_UNSUPPORTED_DATAREP = 54;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_UNSUPPORTED_OPERATION = 55;
    /** An error class of the MPI standard; see {@link MPIException#getErrorClass}. */
    public static final int ERR_WIN = 56;

    /** The null datatype: no buffer is of it. */
    public static final Datatype DATATYPE_NULL = new Datatype();
    /** Complex numbers in a {@code float[]}, two elements each. */
    public static final Datatype FLOAT_COMPLEX = Datatype.complex("MPI.FLOAT_COMPLEX", false);
    /** Complex numbers in a {@code double[]}, two elements each. */
    public static final Datatype DOUBLE_COMPLEX = Datatype.complex("MPI.DOUBLE_COMPLEX", true);
    /** Structs of a {@code short} and an {@code int}, in bytes. */
    public static final Datatype SHORT_INT =
            Datatype.valueAndPlace("MPI.SHORT_INT", Short.BYTES, Native.REDUCE_SHORT_INT);
    /** Structs of a {@code long} and an {@code int}, in bytes. */
    public static final Datatype LONG_INT =
            Datatype.valueAndPlace("MPI.LONG_INT", Long.BYTES, Native.REDUCE_LONG_INT);
    /** Structs of a {@code float} and an {@code int}, in bytes. */
    public static final Datatype FLOAT_INT =
            Datatype.valueAndPlace("MPI.FLOAT_INT", Float.BYTES, Native.REDUCE_FLOAT_INT);
    /** Structs of a {@code double} and an {@code int}, in bytes. */
    public static final Datatype DOUBLE_INT =
            Datatype.valueAndPlace("MPI.DOUBLE_INT", Double.BYTES, Native.REDUCE_DOUBLE_INT);
    /** The struct of {@link MPI#INT2}. */
    public static final Int2 int2 = new Int2(4, 4);
    /** The struct of {@link #SHORT_INT}. */
    public static final ShortInt shortInt = new ShortInt(2, 4, 4);
    /** The struct of {@link #LONG_INT}. */
    public static final LongInt longInt = new LongInt(8, 8, 4);
    /** The struct of {@link #FLOAT_INT}. */
    public static final FloatInt floatInt = new FloatInt(4, 4);
    /** The struct of {@link #DOUBLE_INT}. */
    public static final DoubleInt doubleInt = new DoubleInt(8, 4);
    /** The value in a window is replaced; of windows only. */
    public static final Op REPLACE = Op.predefined("MPI.REPLACE", Reduction.REPLACE);
    /** The value in a window stays; of windows only. */
    public static final Op NO_OP = Op.predefined("MPI.NO_OP", Reduction.NO_OP);
    /** Errors are thrown, and end the job if they are not caught. */
    public static final Errhandler ERRORS_ABORT = new Errhandler("MPI.ERRORS_ABORT");
    /** No hints at all. */
    public static final Info INFO_NULL = new Info(Info.NULL);
    /**
     * What is known of how this rank was started: {@code command}, {@code argv}, {@code maxprocs} between Init and
     * Finalize, {@code host}, {@code arch}, {@code wdir}, {@code thread_level}. It cannot be changed.
     */
    public static final Info INFO_ENV = Info.newEnv();
    /** {@link Comm#getAttr(int)}: which of the programs of the job this is; the first is 0. */
    public static final int APPNUM = Keyval.APPNUM_NUMBER;
    /** {@link Comm#getAttr(int)}: the highest error code. */
    public static final int LASTUSEDCODE = Keyval.LASTUSEDCODE_NUMBER;
    /** {@link Comm#getAttr(int)}: how many ranks the job has. With mpj.jar compilers see a {@link Keyval} instead. */
    public static final int UNIVERSE_SIZE = Keyval.UNIVERSE_SIZE_NUMBER;
    /**
     * {@link Comm#getAttr(int)}: whether all ranks have the same {@link MPI#Wtime}. With mpj.jar compilers see a
     * {@link Keyval} instead.
     */
    public static final int WTIME_IS_GLOBAL = Keyval.WTIME_IS_GLOBAL_NUMBER;

    MPIConstants() {
    }
}
