import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.*;
import org.apache.lucene.analysis.*;
import org.apache.lucene.analysis.minhash.MinHashFilter;
import org.apache.lucene.analysis.shingle.ShingleFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BooleanSimilarity;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Lucene's MinHashFilter with its defaults, 512 buckets of one hash: each document is looked up by its terms. */
public class Lucene {
    public static void main(String[] args) throws Exception {
        Analyzer analyzer = new Analyzer() {
            protected TokenStreamComponents createComponents(String field) {
                Tokenizer words = new StandardTokenizer();
                ShingleFilter shingles = new ShingleFilter(new LowerCaseFilter(words), 4, 4);
                shingles.setOutputUnigrams(false);
                shingles.setOutputUnigramsIfNoShingles(true);
                return new TokenStreamComponents(words, new MinHashFilter(shingles, 1, 512, 1, true));
            }
        };
        List<String> ids = new ArrayList<>();
        List<Set<String>> sketches = new ArrayList<>();
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer));
                Scanner in = new Scanner(System.in, StandardCharsets.UTF_8).useDelimiter("\n")) {
            while (in.hasNext()) {
                String[] doc = Json.strings(in.next()); // "id", the id, "text", the text
                Set<String> terms = new LinkedHashSet<>();
                TokenStream stream = analyzer.tokenStream("text", doc[3]);
                CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
                for (stream.reset(); stream.incrementToken();) terms.add(term.toString());
                stream.close();
                Document fields = new Document();
                for (String t : terms) fields.add(new StringField("sketch", t, Field.Store.NO));
                writer.addDocument(fields);
                ids.add(doc[1]);
                sketches.add(terms);
            }
        }
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setSimilarity(new BooleanSimilarity());
        for (int i = 0; i < ids.size(); i++) {
            BooleanQuery.Builder query = new BooleanQuery.Builder();
            for (String t : sketches.get(i)) query.add(new TermQuery(new Term("sketch", t)), BooleanClause.Occur.SHOULD);
            query.setMinimumNumberShouldMatch((int) Math.ceil(sketches.get(i).size() * Double.parseDouble(args[0])));
            for (ScoreDoc hit : searcher.search(query.build(), ids.size()).scoreDocs)
                if (hit.doc < i) System.out.println("{\"pair\":[" + Json.quote(ids.get(hit.doc)) + "," + Json.quote(ids.get(i)) + "]}");
        }
    }
}
