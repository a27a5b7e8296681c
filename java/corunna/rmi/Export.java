// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import java.io.ObjectInputFilter;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.server.RemoteObject;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An exported object as its callers see it. The object is not kept alive: that the ordinary export does, as long as a
 * client has a lease.
 */
final class Export extends WeakReference<Remote> {
    private static final int CLOSED = -1;

    private final ObjectName name;
    private final Remote stub;
    private final CallFilter filter;
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
    private final Map<Long, Target> targets = new HashMap<>();
    /** Calls under way, or {@link #CLOSED}. */
    private final AtomicInteger calls = new AtomicInteger();

    /** A method that can be called. */
    static final class Target {
        final Method method;
        final Signature signature;

        Target(Method method) {
            this.method = method;
            this.signature = new Signature(method);
        }
    }

    /** Classes of arguments are those that the loader of this thread's context finds. */
    Export(ObjectName name, Remote object, Remote stub, ObjectInputFilter filter, ReferenceQueue<Remote> gone) {
        super(object, gone);
        this.name = name;
        this.stub = stub;
        this.filter = CallFilter.of(filter);
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Class<?> face : type.getInterfaces()) {
                addMethods(face);
            }
        }
    }

    private void addMethods(Class<?> face) {
        if (Remote.class.isAssignableFrom(face)) {
            for (Method method : face.getMethods()) {
                method.trySetAccessible(); // the interface need not be public
                targets.putIfAbsent(Signature.hash(method), new Target(method));
            }
        }
    }

    ObjectName name() {
        return name;
    }

    /** The object; null: it is gone, or not exported any more, or anew and by another name. */
    Remote object() {
        Remote found = get();
        try {
            return found != null && RemoteObject.toStub(found) == stub ? found : null;
        } catch (NoSuchObjectException e) {
            return null;
        }
    }

    /** The method of this hash, or null. */
    Target target(long hash) {
        return targets.get(hash);
    }

    ClassLoader loader() {
        return loader;
    }

    CallFilter filter() {
        return filter;
    }

    /** Begins a call, which {@link #leave} ends; false: there are no more calls. */
    boolean enter() {
        return calls.getAndUpdate(count -> count == CLOSED ? CLOSED : count + 1) != CLOSED;
    }

    void leave() {
        calls.decrementAndGet();
    }

    /** Lets no more calls begin; false: some are under way. */
    boolean close() {
        return calls.compareAndSet(0, CLOSED);
    }

    /** Takes {@link #close} back. */
    void open() {
        calls.set(0);
    }
}
