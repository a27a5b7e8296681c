// SPDX-License-Identifier: Apache-2.0
package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A failure is told by the name of the method that the program called, in every method of both dialects. */
class CalledMethodTest {
    private static final int WRONG = -7;
    /** These would succeed, and the other tests find the JVM initialised. */
    private static final Set<String> BEGINNINGS = Set.of("Init", "InitThread", "Init_thread", "initThread");

    static Stream<Object> receivers() {
        return Stream.of(MPI.COMM_WORLD, new Intercomm("two groups"), new Cartcomm("grid"), new Graphcomm("graph"),
                MPI.GROUP_EMPTY, MPI.INT, Request.none(), new Status(), MPI.SUM, new Message(), new Info());
    }

    private static Object wrong(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        if (type == long.class) {
            return (long) WRONG;
        }
        return type.isPrimitive() ? (Object) WRONG : null;
    }

    private static Object[] wrongArguments(Method method) {
        return Stream.of(method.getParameterTypes()).map(CalledMethodTest::wrong).toArray();
    }

    /** Op.Call is the operator at work, which has a name of its own. */
    private static boolean isCall(Method method) {
        return method.getDeclaringClass().getPackageName().equals("mpi") && !method.isSynthetic()
                && !BEGINNINGS.contains(method.getName()) && !method.getName().equals("Call");
    }

    /** The helpers that make and slice buffers do not, and throw what Java throws. */
    private static boolean declaresFailure(Method method) {
        return List.of(method.getExceptionTypes()).contains(MPIException.class);
    }

    /** Calls all public methods with arguments that are wrong. Returns the names of those that were refused. */
    private static Set<String> refused(Class<?> type, Object receiver) throws IllegalAccessException {
        Set<String> refused = new TreeSet<>();
        List<String> misnamed = new ArrayList<>();
        for (Method method : type.getMethods()) {
            boolean isReachable = receiver != null || Modifier.isStatic(method.getModifiers());
            if (!isCall(method) || !isReachable) {
                continue;
            }
            try {
                method.setAccessible(true); // it may be declared by a class that is not public
                method.invoke(receiver, wrongArguments(method));
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof MPIException) {
                    refused.add(method.getName());
                    String message = e.getCause().getMessage();
                    if (!message.startsWith(method.getName() + ": ")) {
                        misnamed.add(method + " says \"" + message + "\"");
                    }
                } else if (declaresFailure(method)) {
                    misnamed.add(method + " throws " + e.getCause());
                }
            }
        }
        assertEquals(List.of(), misnamed);
        return refused;
    }

    @ParameterizedTest
    @MethodSource("receivers")
    void namesTheMethod(Object receiver) throws IllegalAccessException {
        refused(receiver.getClass(), receiver);
    }

    @Test
    void namesStaticMethods() throws IllegalAccessException {
        assertTrue(refused(MPI.class, null).containsAll(Set.of("Finalize", "Buffer_attach", "attachBuffer")));
    }

    @Test
    void everyFamilyRefuses() throws IllegalAccessException {
        Set<String> refused = refused(Intracomm.class, MPI.COMM_WORLD);
        List<String> families = List.of(
                "Rank", "getRank", "Send", "send", "Recv", "recv", "Isend", "iSend", "Recv_init", "recvInit",
                "Sendrecv", "sendRecv", "Probe", "probe", "Barrier", "barrier", "Bcast", "bcast", "Gather", "gather",
                "Gatherv", "gatherv", "Scatter", "scatter", "Scatterv", "scatterv", "Allgather", "allGather",
                "Allgatherv", "allGatherv", "Alltoall", "allToAll", "Alltoallv", "allToAllv", "allToAllw", "Reduce",
                "reduce", "Allreduce", "allReduce", "Reduce_scatter", "reduceScatter", "reduceScatterBlock", "Scan",
                "scan", "exScan", "Reduce_local", "reduceLocal", "iBcast", "iReduce", "neighborAllGather", "Split",
                "split", "Create_cart", "createCart", "Create_graph", "createGraph", "Pack", "pack", "Abort",
                "abort");
        assertTrue(refused.containsAll(families), () -> "of " + families + " only these refuse: " + refused);
    }

    @Test
    void aConstructorIsNamedByItsClass() {
        MPIException e = assertThrows(MPIException.class, () -> new Op((UserFunction) null, true));
        assertTrue(e.getMessage().startsWith("Op: "), e.getMessage());
    }

    @Test
    void whatAProgramSaysIsLeftAlone() {
        assertEquals("broken: it is", new MPIException("broken: it is").getMessage());
        assertEquals("MPI.OBJECT: no memory",
                new MPIException(ErrorClass.NO_MEM, "MPI.OBJECT: no memory").getMessage());
        assertEquals("Send: in no call", new MPIException(ErrorClass.OTHER, "Send: in no call").getMessage());
    }
}
