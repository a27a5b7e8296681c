package mpi;

/** A reduction: how two vectors are combined into one. The predefined ones are fields of {@link MPI}. */
public class Op {
    /** The number of a predefined reduction, from 1 on; 0 of a program's own. */
    public int opCode;

    private final String name;
    private final User_function function;
    private final boolean isCommutative;

    private Op(String name, int opCode, User_function function, boolean isCommutative) {
        this.name = name;
        this.opCode = opCode;
        this.function = function;
        this.isCommutative = isCommutative;
    }

    static Op predefined(String name, int opCode) {
        return new Op(name, opCode, new Reduction(name, opCode), true);
    }

    /**
     * A reduction of the program's own.
     *
     * @param function combines two vectors
     * @param commute whether their order does not matter
     * @throws MPIException if the function is null
     */
    public Op(User_function function, boolean commute) throws MPIException {
        this("user function", 0, require(function), commute);
    }

    /**
     * A reduction of the program's own.
     *
     * @param function combines two vectors
     * @param commute whether their order does not matter
     * @param opCode the number it shall have
     * @throws MPIException if the function is null
     */
    public Op(User_function function, boolean commute, int opCode) throws MPIException {
        this("user function", opCode, require(function), commute);
    }

    /**
     * A reduction of the program's own.
     *
     * @param function combines two vectors
     * @param commute whether their order does not matter
     * @throws MPIException if the function is null
     */
    public Op(User_Function function, boolean commute) throws MPIException {
        this(require(function) == null ? null : new User_function() {
            @Override
            public void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count,
                    Datatype datatype) {
                function.Call(invec, inoffset, inoutvec, inoutoffset, count, datatype);
            }
        }, commute);
    }

    private static <F> F require(F function) {
        if (function == null) {
            throw new MPIException(ErrorClass.OP, "Op: the function is null");
        }
        return function;
    }

    /**
     * Combines two vectors, element by element, into the second.
     *
     * @param invec the first vector, an array
     * @param inoffset its first element
     * @param inoutvec the second vector, an array, and the result
     * @param inoutoffset its first element
     * @param count how many elements of the datatype
     * @param datatype what they are
     */
    public final void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count,
            Datatype datatype) {
        function.Call(invec, inoffset, inoutvec, inoutoffset, count, datatype);
    }

    boolean isCommutative() {
        return isCommutative;
    }

    /**
     * Does nothing: a reduction holds nothing.
     *
     * @throws MPIException never
     */
    public void free() throws MPIException {
    }

    /** Does nothing: a reduction holds nothing. */
    @Override
    @SuppressWarnings({"deprecation", "removal"})
    public void finalize() throws MPIException {
        // Empty, so that reductions do not burden the garbage collector.
    }

    /** The name, for example {@code MPI.SUM}. */
    @Override
    public String toString() {
        return name;
    }
}
