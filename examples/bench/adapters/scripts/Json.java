/** As much of JSON as Lucene.java needs: the strings of a line. */
class Json {
    static String[] strings(String line) {
        java.util.List<String> all = new java.util.ArrayList<>();
        StringBuilder text = null;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (text == null) {
                text = c == '"' ? new StringBuilder() : null;
            } else if (c == '"') {
                all.add(text.toString());
                text = null;
            } else if (c != '\\') {
                text.append(c);
            } else if (line.charAt(++i) == 'u') {
                text.append((char) Integer.parseInt(line.substring(i + 1, i + 5), 16));
                i += 4;
            } else {
                int at = "nrtbf".indexOf(line.charAt(i));
                text.append(at < 0 ? line.charAt(i) : "\n\r\t\b\f".charAt(at));
            }
        }
        return all.toArray(new String[0]);
    }

    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            out.append(c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return out.append('"').toString();
    }
}
