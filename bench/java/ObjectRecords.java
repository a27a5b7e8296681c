/** Ping-pong of an array of small records, see Objects. Arguments: sizes. */
public final class ObjectRecords {
    private ObjectRecords() {
    }

    public static void main(String[] arguments) throws Exception {
        Objects.main("records", arguments);
    }
}
