// SPDX-License-Identifier: Apache-2.0
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Selects of one row by its key, one after the other, on a server of SQL:
 *
 * <pre>PointSelect URL USER PASSWORD MILLISECONDS</pre>
 *
 * Fills a table unless it is there, and prints the microseconds of a select: the least of several periods of that
 * length, until some in a row are no faster, which is when the compilers of both sides have done their work. Every row
 * is compared.
 */
public final class PointSelect {
    private static final int ROWS = 10_000;
    private static final int PERIODS_MAX = 30;
    private static final int PERIODS_STABLE = 4;
    private static final double STABLE = 0.98;

    private final PreparedStatement select;
    private int key;

    private PointSelect(PreparedStatement select) {
        this.select = select;
    }

    public static void main(String[] arguments) throws SQLException {
        if (arguments.length != 4 || !arguments[3].matches("[1-9][0-9]{0,5}")) {
            System.err.println("usage: PointSelect URL USER PASSWORD MILLISECONDS");
            System.exit(2);
        }
        long periodNs = Integer.parseInt(arguments[3]) * 1_000_000L;
        try (Connection connection = DriverManager.getConnection(arguments[0], arguments[1], arguments[2])) {
            fill(connection);
            try (PreparedStatement select = connection.prepareStatement("select words from item where id = ?")) {
                System.out.printf("%.3f%n", new PointSelect(select).best(periodNs) / 1e3);
            }
        }
    }

    private static String words(int key) {
        return "the words of row " + key;
    }

    private static void fill(Connection connection) throws SQLException {
        try (ResultSet tables = connection.getMetaData().getTables(null, null, "ITEM", null)) {
            if (tables.next()) {
                return;
            }
        }
        try (Statement create = connection.createStatement()) {
            create.executeUpdate("create table item (id integer primary key, words varchar(100))");
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into item values (?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setString(2, words(i));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private void selectNext() throws SQLException {
        key = (key + 7919) % ROWS; // a prime, so that all rows come
        select.setInt(1, key);
        try (ResultSet found = select.executeQuery()) {
            if (!found.next() || !found.getString(1).equals(words(key))) {
                throw new SQLException("row " + key + " came back as another");
            }
        }
    }

    /** Nanoseconds of a select. */
    private double best(long periodNs) throws SQLException {
        double best = Double.MAX_VALUE;
        int stable = 0;
        for (int i = 0; i < PERIODS_MAX && stable < PERIODS_STABLE; i++) {
            long begin = System.nanoTime();
            long now = begin;
            int count = 0;
            for (; now - begin < periodNs; now = System.nanoTime()) {
                selectNext();
                count++;
            }
            double each = (now - begin) / (double) count;
            stable = each > best * STABLE ? stable + 1 : 0;
            best = Math.min(best, each);
        }
        return best;
    }
}
