// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * What follows a reduction with an operator of the program's own: all ranks that took part learn whether the operator
 * failed somewhere, and on which rank. One number for each rank is exchanged; if something failed, a sentence follows,
 * that of the failing rank with the lowest number.
 *
 * <p>With two groups each has its own such rank, and what one group sends comes back to it from the other. In a Reduce
 * between groups only the root and the ranks that have values take part: the arguments of the ranks beside the root do
 * not count, and so these need not know that there is a program's operator at all.
 */
final class Agreement {
    /** The characters of a sentence; the rest of a longer one is cut off. */
    private static final int SENTENCE = 500;

    private final Comm comm;
    private final String call;
    /** Of a Reduce between groups. */
    private final boolean isRooted;
    private final int root;

    Agreement(Comm comm, String call, boolean isRooted, int root) {
        this.comm = comm;
        this.call = call;
        this.isRooted = isRooted && comm.isInter;
        this.root = root;
    }

    /** Throws what failed here; else what failed elsewhere. */
    void conclude(Combination combination) {
        if (comm.isInter || comm.size > 1) {
            String elsewhere;
            try {
                elsewhere = ask(combination);
            } catch (MPIException e) {
                combination.tell(); // what failed first is the reason
                String message = e.getMessage(); // begins with the call that went round
                throw new MPIException(e.getErrorClass(), call + message.substring(message.indexOf(": ")), e);
            }
            combination.tell();
            if (elsewhere != null) {
                throw new MPIException(ErrorClass.OTHER, call + ": " + elsewhere);
            }
        } else {
            combination.tell();
        }
    }

    /** A sentence about what failed, or null. */
    private String ask(Combination combination) {
        // The rank counted from the end: the highest is that of the lowest rank.
        int[] mine = {combination.hasFailed() ? comm.size - comm.rank : 0};
        int[] ours = {0};
        int[] theirs = {0};
        share(mine, ours, theirs, 1, MPI.INT, MPI.MAX);
        if (ours[0] == 0 && theirs[0] == 0 && !isRooted) {
            return null;
        }
        char[] sentence = new char[SENTENCE];
        char[] ourSentence = new char[SENTENCE];
        char[] theirSentence = new char[SENTENCE];
        if (mine[0] != 0 && mine[0] == ours[0]) {
            String text = combination.sentence(comm.rank);
            text.getChars(0, Math.min(text.length(), SENTENCE), sentence, 0);
        }
        share(sentence, ourSentence, theirSentence, SENTENCE, MPI.CHAR, MPI.BOR);
        if (ours[0] != 0) {
            return text(ourSentence);
        }
        return theirs[0] == 0 ? null : "on the other side " + text(theirSentence);
    }

    /** Combines what the ranks of each group have. */
    private void share(Object mine, Object ours, Object theirs, int count, Datatype type, Op op) {
        if (isRooted) {
            Object known = comm.isRoot(root) ? theirs : ours;
            comm.Reduce(mine, 0, known, 0, count, type, op, root);
            comm.Bcast(known, 0, count, type, root);
        } else if (comm.isInter) {
            comm.Allreduce(mine, 0, theirs, 0, count, type, op);
            comm.Allreduce(theirs, 0, ours, 0, count, type, op);
        } else {
            shareWithin(mine, ours, count, type, op);
        }
    }

    /** An Allreduce that works even if the program forces an algorithm which could not do it. */
    private void shareWithin(Object mine, Object ours, int count, Datatype type, Op op) {
        Reducing.reduceStaged(comm, Native.ALLREDUCE, 0, new Side(mine, 0, count, type),
                new Side(ours, 0, count, type),
                Native.opAndKind(op.number(call, type), type.basicKind()) | Native.UNFORCED);
    }

    private static String text(char[] sentence) {
        int length = 0;
        while (length < sentence.length && sentence[length] != 0) {
            length++;
        }
        return new String(sentence, 0, length);
    }
}
