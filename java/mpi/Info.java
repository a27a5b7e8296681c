// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hints: keys with values. They are kept where a program gives them; the engine uses those of {@link Intracomm#spawn}.
 */
public final class Info implements Freeable, Cloneable {
    /** The number of the null object. */
    protected static final long NULL = 0;

    /** Null once freed, and of {@link MPI#INFO_ENV}. */
    private Map<String, String> values;
    private final boolean isEnv;

    /**
     * Hints without a key yet.
     *
     * @throws MPIException if the call fails
     */
    public Info() throws MPIException {
        this(new LinkedHashMap<>(), false);
    }

    private Info(Map<String, String> values, boolean isEnv) {
        this.values = values;
        this.isEnv = isEnv;
    }

    /**
     * The null object, for its number.
     *
     * @param handle the number
     */
    protected Info(long handle) {
        this(handle == NULL ? null : new LinkedHashMap<>(), false);
    }

    /**
     * What is known of how this rank was started, see {@link MPIConstants#INFO_ENV}.
     *
     * @return the hints, which cannot be changed
     */
    protected static Info newEnv() {
        return new Info(null, true);
    }

    static Info require(String call, Info info) {
        if (info == null) {
            throw new MPIException(ErrorClass.INFO, call + ": the hints are a null reference");
        }
        return info;
    }

    private Map<String, String> values(String call) {
        if (isEnv) {
            return JobFacts.all();
        }
        if (values == null) {
            throw new MPIException(ErrorClass.INFO, call + ": the hints are MPI.INFO_NULL, or were freed");
        }
        return values;
    }

    /** The same to be written to. */
    private Map<String, String> ownValues(String call) {
        if (isEnv) {
            throw new MPIException(ErrorClass.INFO, call + ": the hints are MPI.INFO_ENV, which cannot be changed");
        }
        return values(call);
    }

    private static void checkKey(String call, String key) {
        if (key == null || key.isEmpty() || key.length() > MPI.MAX_INFO_KEY) {
            throw new MPIException(ErrorClass.INFO_KEY, call + ": the key " + (key == null ? "is null"
                    : "has " + key.length() + " characters; it has 1 to " + MPI.MAX_INFO_KEY));
        }
    }

    /**
     * Sets the value of a key.
     *
     * @param key orders the ranks
     * @param value the value
     * @throws MPIException if the call fails
     */
    public void set(String key, String value) throws MPIException {
        checkKey("set", key);
        if (value == null || value.length() > MPI.MAX_INFO_VAL) {
            throw new MPIException(ErrorClass.INFO_VALUE, "set: the value " + (value == null ? "is null"
                    : "has " + value.length() + " characters; it has at most " + MPI.MAX_INFO_VAL));
        }
        ownValues("set").put(key, value);
    }

    /**
     * The value of a key.
     *
     * @param key orders the ranks
     * @return the value, null if there is none
     * @throws MPIException if the call fails
     */
    public String get(String key) throws MPIException {
        checkKey("get", key);
        return values("get").get(key);
    }

    /**
     * Deletes a key.
     *
     * @param key orders the ranks
     * @throws MPIException if the call fails
     */
    public void delete(String key) throws MPIException {
        checkKey("delete", key);
        if (ownValues("delete").remove(key) == null) {
            throw new MPIException(ErrorClass.INFO_NOKEY, "delete: there is no key " + key);
        }
    }

    /**
     * How many keys there are.
     *
     * @return 0 or more
     * @throws MPIException if the call fails
     */
    public int size() throws MPIException {
        return values("size").size();
    }

    /**
     * A key by its number.
     *
     * @param number a number
     * @return the key
     * @throws MPIException if the call fails
     */
    public String getKey(int number) throws MPIException {
        List<String> keys = new ArrayList<>(values("getKey").keySet());
        if (number < 0 || number >= keys.size()) {
            throw new MPIException(ErrorClass.ARG, "getKey: number is " + number + ", but there are " + keys.size()
                    + " keys");
        }
        return keys.get(number);
    }

    /**
     * The same hints once more.
     *
     * @return the copy
     * @throws MPIException if the call fails
     */
    public Info dup() throws MPIException {
        return new Info(isNull() ? null : new LinkedHashMap<>(values("dup")), false);
    }

    /**
     * The same hints once more.
     *
     * @return the copy
     */
    @Override
    public Info clone() {
        return dup();
    }

    /**
     * Gives the hints back: from now on this is the null object.
     *
     * @throws MPIException if the call fails
     */
    @Override
    public void free() throws MPIException {
        ownValues("free");
        values = null;
    }

    /**
     * Is this the null object?
     *
     * @return true also once freed
     */
    public boolean isNull() {
        return values == null && !isEnv;
    }
}
