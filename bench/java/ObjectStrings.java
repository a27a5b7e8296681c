/** Ping-pong of an array of strings, see Objects. Arguments: sizes. */
public final class ObjectStrings {
    private ObjectStrings() {
    }

    public static void main(String[] arguments) throws Exception {
        Objects.main("strings", arguments);
    }
}
