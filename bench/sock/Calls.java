// SPDX-License-Identifier: Apache-2.0
import corunna.rmi.FastRmi;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.Socket;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;
import java.util.List;

/** Remote calls. The stub comes over the connection of the two JVMs, so that no registry is needed. */
final class Calls {
    static final List<String> TESTS = List.of("rmi-null", "rmi-doubles");

    private final Service service;

    /** What is called. */
    interface Service extends Remote {
        void nothing() throws RemoteException;

        void take(double[] values) throws RemoteException;

        double last() throws RemoteException;
    }

    private static final class Serving implements Service {
        private double[] taken = new double[1];

        @Override
        public void nothing() {
        }

        @Override
        public synchronized void take(double[] values) {
            taken = values;
        }

        @Override
        public synchronized double last() {
            return taken.length + taken[taken.length - 1];
        }
    }

    Calls(Socket socket, boolean isDirect) throws IOException, ClassNotFoundException {
        Service found = (Service) new ObjectInputStream(socket.getInputStream()).readObject();
        service = isDirect ? FastRmi.accelerate(found) : found;
        if (isDirect && !FastRmi.isFast(service)) {
            throw new IllegalStateException("calls do not go the fast way");
        }
    }

    /** Until the other side closes the connection. */
    static void serve(Socket socket, boolean isDirect) throws IOException {
        Serving serving = new Serving();
        Remote stub = isDirect ? FastRmi.export(serving, 0) : UnicastRemoteObject.exportObject(serving, 0);
        ObjectOutputStream out = new ObjectOutputStream(socket.getOutputStream());
        out.writeObject(stub);
        out.flush();
        while (socket.getInputStream().read() >= 0) {
            continue;
        }
    }

    void run(int bytes, long count, boolean isChecked) throws RemoteException {
        double[] values = bytes == 0 ? null : new double[Math.max(1, bytes / Double.BYTES)];
        for (long i = 0; i < count; i++) {
            if (values == null) {
                service.nothing();
                continue;
            }
            if (isChecked) {
                Arrays.fill(values, i);
            }
            service.take(values);
            if (isChecked && service.last() != values.length + (double) i) {
                throw new IllegalStateException("the server took something else in call " + i);
            }
        }
    }
}
