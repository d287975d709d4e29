package signature_test

import (
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// scripts has a text in each of 18 scripts, with letters that the normal forms write
// differently wherever the script has any.
var scripts = map[string]string{
	"Latin":      "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi, ngày ﬁnal №12",
	"Greek":      "Ὅλοι οἱ ἄνθρωποι γεννιοῦνται ἐλεύθεροι καὶ ἴσοι στὴν ἀξιοπρέπεια καὶ τὰ δικαιώματα",
	"Cyrillic":   "Усі люди народжуються вільними і рівними у своїй гідності та правах, ёлка й йод",
	"Armenian":   "Բոլոր մարդիկ ծնվում են ազատ և հավասար իրենց արժանապատվությամբ ու իրավունքներով",
	"Hebrew":     "כׇּל בְּנֵי הָאָדָם נוֹלְדוּ בְּנֵי חוֹרִין וְשָׁוִים בְּעֶרְכָּם וּבִזְכֻיּוֹתֵיהֶם שׂרה",
	"Arabic":     "يُولَدُ جميعُ النّاسِ أحرارًا متساوين في الكرامة والحقوق آدم إلى ؤ ئ",
	"Devanagari": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता क़लम ज़मीन ऩ",
	"Bengali":    "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে কোথায় বৌ",
	"Gurmukhi":   "ਸਾਰਾ ਮਨੁੱਖੀ ਪਰਿਵਾਰ ਆਪਣੀ ਮਹਿਮਾ ਸ਼ਾਨ ਅਤੇ ਹੱਕਾਂ ਦੇ ਪੱਖੋਂ ਜਨਮ ਤੋਂ ਆਜ਼ਾਦ ਹੈ",
	"Tamil":      "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர் கொடு கோடு கௌரவம்",
	"Telugu":     "ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులును కై సమానులును",
	"Sinhala":    "සියලු මනුෂ්\u200dයයෝ නිදහස්ව උපත ලබා ඇත කෝ කෞ ගරුත්වයෙන් හා අයිතිවාසිකම්වලින් සමාන වෙති",
	"Thai":       "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ น้ำใจ ทำ คำ",
	"Lao":        "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ ນ້ຳ ໜ້າ ແລະ ສິດທິ ເທົ່າທຽມກັນ",
	"Hangul":     "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다 한글 문서",
	"Kana":       "すべてのにんげんは、うまれながらにしてじゆうであり、ガギグゲゴ ﾊﾟﾋﾟﾌﾟ コーヒー",
	"Han":        "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心 豈更車 ㈱",
	"Ethiopic":   "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው",
}

// NFC, NFD and the compatibility forms of a text have one signature.
func TestNormalForms(t *testing.T) {
	t.Parallel()
	if len(scripts) != 18 {
		t.Fatalf("%d scripts", len(scripts))
	}
	for script, text := range scripts {
		text = strings.ReplaceAll(text, "㈱", "") // a symbol, which separates, but not in NFKC
		text = strings.ReplaceAll(text, "№", "")
		want := signature.Of(signature.DefaultParams(), []byte(text))
		if want.Shingles == 0 {
			t.Errorf("%s: no shingle", script)
		}
		for name, f := range map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD} {
			if got := signature.Of(signature.DefaultParams(), f.Bytes([]byte(text))); !reflect.DeepEqual(got, want) {
				match, _ := signature.Rule{}.Match(&got, &want)
				t.Errorf("%s: %s has another signature: %+v", script, name, match)
			}
		}
	}
	const english = "The committee approved the new budget of 1,200,000 dollars on Tuesday after a debate; it's final."
	want := signature.Of(signature.DefaultParams(), []byte(english))
	if got := signature.Of(signature.DefaultParams(), []byte(width.Widen.String(english))); !reflect.DeepEqual(got, want) {
		t.Errorf("full width: got %+v, want %+v", got, want)
	}
	const katakana = "すべてのニンゲンハ、ウマレナガラニシテジユウデアリ、カツ"
	want = signature.Of(signature.DefaultParams(), []byte(katakana))
	if got := signature.Of(signature.DefaultParams(), []byte(width.Narrow.String(katakana))); !reflect.DeepEqual(got, want) {
		t.Errorf("half width: got %+v, want %+v", got, want)
	}
}

// The places of tokens are those in the text, whatever its form.
func TestTokenPlacesOfNormalForms(t *testing.T) {
	t.Parallel()
	for script, text := range scripts {
		decomposed := norm.NFD.String(text)
		for _, tok := range token.Split([]byte(decomposed)) {
			found := token.Split([]byte(decomposed[tok.Start:tok.End]))
			if len(found) == 0 || string(found[0].Term) != string(tok.Term) && string(found[len(found)-1].Term) != string(tok.Term) {
				t.Errorf("%s: token %q is at %q", script, tok.Term, decomposed[tok.Start:tok.End])
			}
		}
	}
}
