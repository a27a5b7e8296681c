// SPDX-License-Identifier: Apache-2.0
package servers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A program of JDBC, {@code Rows URL USER PASSWORD}: two connections insert rows and read them; prints what it
 * reads. */
public final class Rows {
    private static final int THREADS = 2;
    private static final int ROWS = 300;
    private static final int TEXT_MAX = 700;

    private Rows() {
    }

    private static String text(int key) {
        StringBuilder text = new StringBuilder();
        while (text.length() < key % TEXT_MAX) {
            text.append(key * 31 + text.length()).append(' ');
        }
        return text.toString();
    }

    private static Void insert(Connection connection, int first) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into item values (?, ?, ?)");
                PreparedStatement point = connection.prepareStatement("select words from item where id = ?")) {
            for (int i = 0; i < ROWS; i++) {
                int key = first + i * THREADS;
                insert.setInt(1, key);
                insert.setDouble(2, key / 8.0);
                insert.setString(3, text(key));
                insert.executeUpdate();
                point.setInt(1, key);
                try (ResultSet found = point.executeQuery()) {
                    if (!found.next() || !found.getString(1).equals(text(key))) {
                        throw new SQLException("row " + key + " came back as another");
                    }
                }
            }
        }
        return null;
    }

    private static void print(Statement statement) throws SQLException {
        try (ResultSet all = statement.executeQuery("select id, price, words from item order by id")) {
            while (all.next()) {
                System.out.println(all.getInt(1) + " " + all.getDouble(2) + " " + all.getString(3));
            }
        }
        try (ResultSet sums = statement.executeQuery("select count(*), sum(price) from item where id < 400")) {
            sums.next();
            System.out.println(sums.getLong(1) + " rows, " + sums.getDouble(2));
        }
        try {
            statement.executeUpdate("insert into item values (1, 1.0, 'again')");
            System.out.println("a key twice");
        } catch (SQLException e) {
            System.out.println("refused, state " + e.getSQLState().substring(0, 2));
        }
    }

    public static void main(String[] args) throws SQLException, InterruptedException, ExecutionException {
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i <= THREADS; i++) {
            connections.add(DriverManager.getConnection(args[0], args[1], args[2]));
        }
        try (Statement statement = connections.get(THREADS).createStatement()) {
            statement.executeUpdate(
                    "create table item (id integer primary key, price double precision, words varchar(1000))");
            ExecutorService workers = Executors.newFixedThreadPool(THREADS);
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int first = i;
                work.add(() -> insert(connections.get(first), first));
            }
            for (Future<Void> done : workers.invokeAll(work)) {
                done.get();
            }
            workers.shutdown();
            print(statement);
            statement.executeUpdate("drop table item");
        }
        for (Connection connection : connections) {
            connection.close();
        }
    }
}
