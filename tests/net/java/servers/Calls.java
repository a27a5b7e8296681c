// SPDX-License-Identifier: Apache-2.0
package servers;

import java.rmi.NotBoundException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/** RMI as it comes: {@code serve PORT}, with a registry of its own, or {@code ask PORT}, which ends both. */
public final class Calls {
    private static final String NAME = "sums";

    private Calls() {
    }

    /** What is called. */
    public interface Sums extends Remote {
        double sum(double[] numbers) throws RemoteException;

        String greet(String name) throws RemoteException;

        int back(Echo echo, int times) throws RemoteException;

        void fail() throws RemoteException;

        void end() throws RemoteException;
    }

    /** What the server calls back. */
    public interface Echo extends Remote {
        int echo(int value) throws RemoteException;
    }

    private static final class Server implements Sums {
        private final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public double sum(double[] numbers) {
            return Arrays.stream(numbers).sum();
        }

        @Override
        public String greet(String name) {
            return "hello " + name;
        }

        @Override
        public int back(Echo echo, int times) throws RemoteException {
            int sum = 0;
            for (int i = 0; i < times; i++) {
                sum += echo.echo(i);
            }
            return sum;
        }

        @Override
        public void fail() {
            throw new IllegalStateException("as asked");
        }

        @Override
        public void end() {
            ended.countDown();
        }
    }

    private static void serve(int port) throws RemoteException, InterruptedException {
        Server server = new Server();
        Registry registry = LocateRegistry.createRegistry(port);
        registry.rebind(NAME, UnicastRemoteObject.exportObject(server, 0));
        System.out.println("ready");
        server.ended.await();
        while (!UnicastRemoteObject.unexportObject(server, false)) {
            Thread.sleep(1); // until the last call is answered
        }
        System.exit(0);
    }

    private static void ask(int port) throws RemoteException, NotBoundException {
        Sums sums = (Sums) LocateRegistry.getRegistry("127.0.0.1", port).lookup(NAME);
        for (int i = 0; i < 500; i++) {
            if (!sums.greet("number " + i).equals("hello number " + i)) {
                throw new IllegalStateException("another answer");
            }
        }
        double[] numbers = new double[131072];
        Arrays.setAll(numbers, i -> i / 4.0);
        System.out.println(sums.sum(numbers));
        Echo echo = value -> value * 2;
        System.out.println(sums.back((Echo) UnicastRemoteObject.exportObject(echo, 0), 100));
        try {
            sums.fail();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        sums.end();
        UnicastRemoteObject.unexportObject(echo, true);
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[1]);
        if (args[0].equals("serve")) {
            serve(port);
        } else {
            ask(port);
        }
    }
}
