// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One end of a connection under a selector: both directions by one thread. */
final class Selecting {
    private final SocketChannel channel;
    private final Plan plan;
    private final int end;
    private final Dice dice;
    private final ByteBuffer in;
    private ByteBuffer out = ByteBuffer.allocate(0);
    private int received;
    private int sent;
    private boolean hasEnded;

    private Selecting(SocketChannel channel, Plan plan, int end) {
        this.channel = channel;
        this.plan = plan;
        this.end = end;
        dice = plan.dice(end, 2);
        in = dice.below(2) == 0 ? ByteBuffer.allocateDirect(plan.limit) : ByteBuffer.allocate(plan.limit);
    }

    /** A channel, which blocks still, joins. */
    static void join(Selector selector, SocketChannel channel, Plan plan, int end) throws IOException {
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE, new Selecting(channel, plan, end));
    }

    private void read() throws IOException {
        in.clear().limit(dice.size(plan.limit));
        int got = channel.read(in);
        if (got < 0) {
            if (received != plan.total(1 - end)) {
                throw new AssertionError("the end comes after " + received + " of " + plan.total(1 - end) + " bytes");
            }
            hasEnded = true;
            return;
        }
        plan.compare(1 - end, received, in.flip());
        received += got;
        Watch.moved(got);
    }

    private void write() throws IOException {
        if (!out.hasRemaining()) {
            out = ByteBuffer.allocate(Math.min(dice.size(plan.limit), plan.total(end) - sent));
            plan.fill(end, sent, out);
            out.flip();
        }
        int done = channel.write(out);
        sent += done;
        Watch.moved(done);
        if (sent == plan.total(end)) {
            channel.shutdownOutput();
        }
    }

    /** True: all is done, and the connection closed. */
    private boolean serve(SelectionKey key) throws IOException {
        if (key.isReadable() && !hasEnded) {
            read();
        }
        if (key.isWritable() && sent < plan.total(end)) {
            write();
        }
        int wanted = (hasEnded ? 0 : SelectionKey.OP_READ) | (sent < plan.total(end) ? SelectionKey.OP_WRITE : 0);
        if (wanted == 0) {
            channel.close();
            return true;
        }
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
        }
        return false;
    }

    /** What is ready now, after waiting for it; how many have ended. */
    static int turn(Selector selector) throws IOException {
        int ended = 0;
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.attachment() instanceof Selecting && ((Selecting) key.attachment()).serve(key)) {
                ended++;
            }
        }
        return ended;
    }
}
