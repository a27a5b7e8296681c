// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.List;

/** Remote calls as they come, by several threads. */
final class Turns {
    private static final int CALLERS = 4;
    private static final String NAME = "turns";

    private Turns() {
    }

    /** What is called. */
    public interface Turn extends Remote {
        byte[] turn(byte[] bytes) throws RemoteException;
    }

    private static final class Server implements Turn {
        @Override
        public byte[] turn(byte[] bytes) {
            byte[] turned = new byte[bytes.length];
            for (int i = 0; i < bytes.length; i++) {
                turned[i] = bytes[bytes.length - 1 - i];
            }
            Watch.moved(bytes.length);
            return turned;
        }
    }

    /** The registry's and the object's; both stay until the program ends. */
    static final class Served {
        private final Registry registry;
        private final Server server = new Server();

        Served(int port) throws Exception {
            registry = LocateRegistry.createRegistry(port);
            registry.rebind(NAME, UnicastRemoteObject.exportObject(server, 0));
        }
    }

    static void ask(int port, long seed, int calls, int limit) throws Exception {
        Turn turn = (Turn) LocateRegistry.getRegistry("127.0.0.1", port).lookup(NAME);
        List<Thread> callers = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            Dice dice = new Dice(seed, caller);
            callers.add(ReaderWriter.start(false, Watch.guarded(() -> {
                for (int call = 0; call < calls; call++) {
                    byte[] bytes = new byte[dice.size(limit)];
                    for (int i = 0; i < bytes.length; i++) {
                        bytes[i] = (byte) dice.roll();
                    }
                    byte[] turned = turn.turn(bytes);
                    for (int i = 0; i < bytes.length; i++) {
                        if (turned.length != bytes.length || turned[i] != bytes[bytes.length - 1 - i]) {
                            throw new AssertionError("a remote call returned other bytes");
                        }
                    }
                    Watch.moved(bytes.length);
                }
            })));
        }
        for (Thread one : callers) {
            one.join();
        }
    }
}
