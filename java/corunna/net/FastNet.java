// SPDX-License-Identifier: Apache-2.0
package corunna.net;

import corunna.engine.NativeNet;
import corunna.engine.Settings;
import java.lang.ref.Cleaner;
import java.util.Arrays;

/** What the fast sockets of a JVM have in common. */
final class FastNet {
    /** The native half, opened with the first socket or by the agent. */
    static final long HANDLE = open();

    /** Do sockets have IPv6 addresses, and IPv4 ones inside them? As the JDK decides. */
    static final boolean IS_IPV6 = !Boolean.getBoolean("java.net.preferIPv4Stack") && NativeNet.hasIpv6();

    /** Closes sockets that a program has forgotten. */
    static final Cleaner CLEANER = Cleaner.create();

    private FastNet() {
    }

    private static long open() {
        String[] knobs = Arrays.stream(Settings.overrides())
                .filter(knob -> knob.startsWith("net.") || knob.startsWith("log="))
                .toArray(String[]::new);
        long net = NativeNet.open(knobs, (code, sentence) -> new IllegalStateException(sentence));
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> NativeNet.leave(net), "corunna-net-end"));
        } catch (IllegalStateException e) {
            // the JVM ends already; links that stay are removed by the next program
        }
        return net;
    }
}
