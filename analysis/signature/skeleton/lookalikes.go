package skeleton

// lookalikes lists, for ASCII letters, the other letters that look like them, in lower case
// and fully decomposed. It is taken from confusables.txt, the data file of UTS #39, in the
// version of Debian's python3-confusable-homoglyphs 3.2.0-2. © Unicode, Inc.; the licence
// is LICENSE-UNICODE in this folder. Changes: these are left out: everything that is not a
// letter, letters with a compatibility decomposition (except \u03f2), digits, scripts that
// are not written like Latin (scripts from right to left, of India, of East and South-East
// Asia, Ethiopic), and targets of several letters, except ligatures. Marks of a target are
// left out, so "\u00f8" is "o". A letter that looks like another only in upper case is
// listed in lower case too. A letter that looks like two others is what its lower case
// looks like: \u039d is "v". A letter that looks like "l" is "i" if it is in upper case.
var lookalikes = [...]struct{ letters, like string }{
	{"a", "ɑαаᗅ⍺ꓮꭺ𐊠𖽀"},
	{"aa", "ꜳ"},
	{"ae", "æ"},
	{"ao", "ꜵ"},
	{"au", "ꜷ"},
	{"av", "ꜹꜻ"},
	{"ay", "ꜽ"},
	{"b", "ƀƃƅɓβбвьѣҍᏼᑲᖯᗷꓐꞵꮟ𐊂𐊡𐌁"},
	{"c", "ϲȼсҫᴄⲥꓚꮯ𐊢𐌂𐐽𐔜🝌"},
	{"d", "ðđƌɖɗԁᑯᗞᗪꓒꓓꭰꮷ"},
	{"dz", "ʣ"},
	{"e", "ɇεеҽҿ℮ⴹꓰꬲꭼ𐊆𑣆𑣎"},
	{"f", "ƒϝքᖴᵮẝꓝꞙꬵ𐊇𐊥𐔥𑣂𝈓"},
	{"g", "ƍǥɠɡԍցᏻᶃꓖꮐ"},
	{"h", "ħɦнћңһӈӊհᕼⱨⲏꓧꚕꮋꮒ𐋏"},
	{"i", "ɨɩɪιіӏᵻᵼ⍳ⲓꙇꭵ𑣃"},
	{"j", "ɉʝϳјᒍꓙꭻ"},
	{"k", "ƙκкқҟᛕⱪⲕꓗꝁꮶ𐔘"},
	{"l", "łƚǀɫɭᒪᛁ⏽ⳑⵏꓡꓲꮮ𐊊𐌉𐑃𐔦𑣒𖼖𖼨𝈪"},
	{"ll", "ǁ"},
	{"ls", "ʪ"},
	{"lz", "ʫ"},
	{"m", "μϻмӎᗰᛖⲙꓟꭑꮇ𐊰𐌑"},
	{"n", "ƞɲɳηոռᵰⲛꓠ𐆎𐔓"},
	{"o", "øɵθοσоѳөօჿᴏᴑⲟⵔꓳꝋꬽꬾ𐊒𐊫𐐬𐓪𐔖𑣈𑣕𑣗𝈚"},
	{"oe", "œ"},
	{"oo", "ꝏ"},
	{"p", "ƥρрᑭᵽ⍴ⲣꓑꮲ𐊕"},
	{"q", "ʠԛգզⵕ"},
	{"r", "ɍɼɽʀгғᖇᴦᵲⲅꓣꭇꭈꭱꮁꮢ𐓜𖼵𝈖"},
	{"s", "ƽʂѕտᵴꓢꜱꮥꮪ𐊖𐑈𑣁𖼺"},
	{"t", "ŧƫƭʈτтҭᵵⱦⲧꓔꭲ𐊗𐊱𐌕𖼊🝨"},
	{"tf", "ꝷ"},
	{"ts", "ʦ"},
	{"u", "ʉʋυսᑌᴜᵾꓴꞟꭎꭒ𐓶𑣘𖽂"},
	{"ue", "ᵫ"},
	{"uo", "ꭣ"},
	{"v", "νѵᐯᴠⴸꓦꛟꮩ𐔝𑜆𑣀𖼈𝈍"},
	{"w", "ɯѡѽԝաᴡꓪꝡꮃꮤ𑜊𑜎𑜏"},
	{"x", "χхҳᕁᕽ᙭ᚷ╳ⲭⵝꓫꭓ𐊐𐊴𐌗𐔧"},
	{"y", "ƴɏɣʏγуүұყᶌỿⲩꓬꭚꭹꮍ𐊲𑣜𖽃"},
	{"z", "ƶȥʐζᴢᵶꓜꮓ𑣄𑣉"},
}
