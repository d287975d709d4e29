import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.BufferedInputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.minhash.MinHashFilter;
import org.apache.lucene.analysis.shingle.ShingleFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.util.Version;

/**
 * Lucene's MinHashFilter for peerbench. The argument is a file of documents, each
 * with its length before it. Answers commands, a line each:
 *
 * <pre>
 * version                      of Lucene
 * pass BUCKETS                 does all documents; mean bytes of terms of a document
 * cpu                          CPU time of this process so far, in ns, in steps of 10 ms
 * accept PAIRS COMMON UNION    share of pairs of random sets of which 90 of 100 buckets agree
 * </pre>
 */
class Lucene {
    /** The random elements of a set, as terms. */
    static class Elements extends TokenStream {
        private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
        private final List<String> set;
        private int at;

        Elements(List<String> set) {
            this.set = set;
        }

        @Override
        public boolean incrementToken() {
            if (at == set.size()) {
                return false;
            }
            clearAttributes();
            term.append(set.get(at++));
            return true;
        }
    }

    static Analyzer analyzer(int buckets) {
        return new Analyzer() {
            @Override
            protected TokenStreamComponents createComponents(String field) {
                Tokenizer words = new StandardTokenizer();
                ShingleFilter shingles = new ShingleFilter(new LowerCaseFilter(words), 4, 4);
                shingles.setOutputUnigrams(false);
                return new TokenStreamComponents(words, new MinHashFilter(shingles, 1, buckets, 1, true));
            }
        };
    }

    /** The terms that a stream ends in. */
    static List<String> terms(TokenStream stream) throws Exception {
        CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
        List<String> all = new ArrayList<>();
        stream.reset();
        while (stream.incrementToken()) {
            all.add(term.toString());
        }
        stream.end();
        stream.close();
        return all;
    }

    static double pass(Analyzer analyzer, List<String> docs) throws Exception {
        long bytes = 0;
        for (String doc : docs) {
            for (String term : terms(analyzer.tokenStream("text", doc))) {
                bytes += 2L * term.length();
            }
        }
        return (double) bytes / docs.size();
    }

    static double accept(int pairs, int common, int union) throws Exception {
        SplittableRandom random = new SplittableRandom(1000L * union + common);
        int accepted = 0;
        for (int pair = 0; pair < pairs; pair++) {
            List<String> a = new ArrayList<>();
            List<String> b = new ArrayList<>();
            for (int i = 0; i < union; i++) {
                String e = Long.toHexString(random.nextLong());
                if (i < common || i % 2 == 0) {
                    a.add(e);
                }
                if (i < common || i % 2 == 1) {
                    b.add(e);
                }
            }
            List<String> x = terms(new MinHashFilter(new Elements(a), 1, 100, 1, true));
            List<String> y = terms(new MinHashFilter(new Elements(b), 1, 100, 1, true));
            int agree = 0;
            for (int i = 0; i < Math.min(x.size(), y.size()); i++) {
                if (x.get(i).equals(y.get(i))) {
                    agree++;
                }
            }
            if (agree >= 90) {
                accepted++;
            }
        }
        return (double) accepted / pairs;
    }

    static List<String> read(String file) throws Exception {
        List<String> docs = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(file)))) {
            while (in.available() > 0) {
                docs.add(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
            }
        }
        return docs;
    }

    public static void main(String[] args) throws Exception {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        List<String> docs = read(args[0]);
        java.util.Map<String, Analyzer> analyzers = new java.util.HashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "version":
                    System.out.println(Version.LATEST);
                    break;
                case "pass":
                    System.out.println(pass(analyzers.computeIfAbsent(words[1], n -> analyzer(Integer.parseInt(n))), docs));
                    break;
                case "cpu":
                    System.out.println(system.getProcessCpuTime());
                    break;
                case "accept":
                    System.out.println(
                        accept(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3])));
                    break;
                default:
                    System.out.println("unknown command");
            }
            System.out.flush();
        }
    }
}
