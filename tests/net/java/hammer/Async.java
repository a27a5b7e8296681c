// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CountDownLatch;

/** One end of a connection by completion handlers: a read and a write are always under way. */
final class Async {
    private final AsynchronousSocketChannel channel;
    private final Plan plan;
    private final int end;
    private final Dice reading;
    private final Dice writing;
    private final CountDownLatch left = new CountDownLatch(2);
    private int received;
    private int sent;

    private Async(AsynchronousSocketChannel channel, Plan plan, int end) {
        this.channel = channel;
        this.plan = plan;
        this.end = end;
        reading = plan.dice(end, 3);
        writing = plan.dice(end, 4);
    }

    /** What comes after a call. */
    private interface Next {
        void take(int count) throws IOException;
    }

    private static CompletionHandler<Integer, Void> then(Next next) {
        return new CompletionHandler<>() {
            @Override
            public void completed(Integer count, Void nothing) {
                Watch.guarded(() -> next.take(count)).run();
            }

            @Override
            public void failed(Throwable why, Void nothing) {
                Watch.fail(why);
            }
        };
    }

    private void read() {
        ByteBuffer bytes = ByteBuffer.allocate(reading.size(plan.limit));
        channel.read(bytes, null, then(got -> {
            if (got < 0) {
                if (received != plan.total(1 - end)) {
                    throw new AssertionError("the end comes after " + received + " bytes");
                }
                left.countDown();
                return;
            }
            plan.compare(1 - end, received, bytes.flip());
            received += got;
            Watch.moved(got);
            read();
        }));
    }

    private void write(ByteBuffer rest) {
        ByteBuffer bytes = rest;
        if (!bytes.hasRemaining()) {
            bytes = ByteBuffer.allocate(Math.min(writing.size(plan.limit), plan.total(end) - sent));
            plan.fill(end, sent, bytes);
            bytes.flip();
        }
        ByteBuffer part = bytes;
        channel.write(part, null, then(done -> {
            sent += done;
            Watch.moved(done);
            if (sent < plan.total(end)) {
                write(part);
                return;
            }
            channel.shutdownOutput();
            left.countDown();
        }));
    }

    static void run(AsynchronousSocketChannel channel, Plan plan, int end) throws Exception {
        Async one = new Async(channel, plan, end);
        one.read();
        one.write(ByteBuffer.allocate(0));
        one.left.await();
        channel.close();
    }
}
