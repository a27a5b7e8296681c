// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.Buffer;

/** The beginning, the end and the objects of a program for Open MPI, as fields and methods of {@link MPI}. */
abstract class MPICalls extends MPIConstants {
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

    MPICalls() {
    }

    // ---- life ----

    /**
     * Joins the job and tells how threads may be used.
     *
     * @param args the arguments of {@code main}
     * @param required what the program needs: {@link MPI#THREAD_SINGLE} to {@link MPI#THREAD_MULTIPLE}
     * @return what the program gets, {@link MPI#THREAD_MULTIPLE}
     * @throws MPIException if the call fails
     */
    public static int InitThread(String[] args, int required) throws MPIException {
        return MPI.Init_thread(args, required);
    }

    /**
     * Has {@link MPI#Init} been called?
     *
     * @return true also after {@link MPI#Finalize}
     * @throws MPIException if the call fails
     */
    public static boolean isInitialized() throws MPIException {
        return MPI.Initialized();
    }

    /**
     * Has {@link MPI#Finalize} been called?
     *
     * @return true until {@link MPI#Init} is called again
     * @throws MPIException if the call fails
     */
    public static boolean isFinalized() throws MPIException {
        return MPI.Finalized();
    }

    /**
     * Is this the thread that called {@link MPI#Init}?
     *
     * @return true if so
     * @throws MPIException if the call fails
     */
    public static boolean isThreadMain() throws MPIException {
        return MPI.isMainThread();
    }

    /**
     * Throws if MPI is not initialised.
     *
     * @throws MPIException if the call fails
     */
    protected static void check() throws MPIException {
        MPI.current("check");
    }

    // ---- where and when ----

    /**
     * The version of the MPI standard that the calls of this dialect follow.
     *
     * @return the version
     */
    public static Version getVersion() {
        return new Version(MPIConstants.VERSION, MPIConstants.SUBVERSION);
    }

    /**
     * What this library is.
     *
     * @return its name
     */
    public static String getLibVersion() {
        return "Corunna";
    }

    /**
     * The machine this rank runs on.
     *
     * @return its name
     * @throws MPIException if the call fails
     */
    public static String getProcessorName() throws MPIException {
        return MPI.Get_processor_name();
    }

    /**
     * The time since some moment in the past.
     *
     * @return seconds
     * @throws MPIException if the call fails
     */
    public static double wtime() throws MPIException {
        return MPI.Wtime();
    }

    /**
     * The resolution of {@link #wtime}.
     *
     * @return seconds
     * @throws MPIException if the call fails
     */
    public static double wtick() throws MPIException {
        return MPI.Wtick();
    }

    /**
     * A hint for a tool that watches the program; there is none.
     *
     * @param level a number
     * @param argument anything
     */
    public static void pControl(int level, Object argument) {
    }

    // ---- buffers ----

    /**
     * Gives room for buffered sends: as much as the array is long. The array itself is not used.
     *
     * @param bytesArray the array
     * @throws MPIException if the call fails
     */
    public static void attachBuffer(byte[] bytesArray) throws MPIException {
        if (MPI.hasAttached()) {
            throw new MPIException(ErrorClass.BUFFER, "attachBuffer: a buffer is attached already");
        }
        MPI.Buffer_attach(bytesArray);
    }

    /**
     * Takes the room for buffered sends back, after what is in it has been sent.
     *
     * @return the array that was attached
     * @throws MPIException if the call fails
     */
    public static byte[] detachBuffer() throws MPIException {
        return MPI.detach();
    }

    /**
     * Is it a direct buffer?
     *
     * @param buf the array or buffer
     * @return true if so
     */
    protected static boolean isDirectBuffer(Object buf) {
        return buf instanceof Buffer && ((Buffer) buf).isDirect();
    }

    /**
     * Is it a buffer on the heap?
     *
     * @param buf the array or buffer
     * @return true if so
     */
    protected static boolean isHeapBuffer(Object buf) {
        return buf instanceof Buffer && !((Buffer) buf).isDirect();
    }
}
