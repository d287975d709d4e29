#!/usr/bin/env python3
"""Signatures of package neardup, version 3, in Python: a second implementation of
analysis/signature/FORMAT.md, whose sections the comments name. It is made to be read, not to be fast.

    neardup.py sign < LINES       JSON lines {"values": ["text", ...], "params": {...}} to signatures
    neardup.py compare FILE FILE  two texts by the default rule
    neardup.py read < LINES       stored signatures, or JSON objects with fields ~F.sketch

check.py beside this file compares it with the vectors beside FORMAT.md.
"""
import base64, bisect, binascii, json, os, re, struct, sys

FORMAT, ALL = 3, (1 << 64) - 1


# 1. Conventions

def fold(a, b):
    product = a * b
    return product >> 64 ^ product & ALL

def mix(seed, i):
    z = seed + i * 0x9E3779B97F4A7C15 & ALL
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & ALL
    z = (z ^ z >> 27) * 0x94D049BB133111EB & ALL
    return z ^ z >> 31

X1, X2, X3, X4, X5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)

def rotate(x, n):
    return (x << n | x >> 64 - n) & ALL

def xxh64(seed, data):
    def step(acc, lane):
        return rotate(acc + lane * X2 & ALL, 31) * X1 & ALL
    at, size = 0, len(data)
    h = seed + X5
    if size >= 32:
        acc = [seed + X1 + X2 & ALL, seed + X2 & ALL, seed, seed - X1 & ALL]
        while at + 32 <= size:
            acc = [step(a, lane) for a, lane in zip(acc, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotate(a, n) for a, n in zip(acc, (1, 7, 12, 18))) & ALL
        for a in acc:
            h = (h ^ step(0, a)) * X1 + X4 & ALL
    h = h + size & ALL
    while at + 8 <= size:
        h = rotate(h ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * X1 + X4 & ALL
        at += 8
    if at + 4 <= size:
        h = rotate(h ^ struct.unpack_from("<I", data, at)[0] * X1 & ALL, 23) * X2 + X3 & ALL
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * X5 & ALL, 11) * X1 & ALL
    h = (h ^ h >> 33) * X2 & ALL
    h = (h ^ h >> 29) * X3 & ALL
    return h ^ h >> 32


# 2. Parameters

DEFAULTS = {"width": 4, "lanes": 100, "simhash_width": 4, "simhash_weight": "distinct",
            "fingerprint": "polynomial", "bag": False, "numbers": "any", "passages": 0, "seed": 0, "tokens": ""}

def quoted(name):
    return '"%s"' % name.replace("\\", "\\\\").replace('"', '\\"')


def parameters_id(p):
    text = 'neardup %d width %d lanes %d simhash_width %d simhash_weight %s fingerprint %s bag %s numbers %s passages %d seed %d tokens %s' % (
        FORMAT, p["width"], p["lanes"], p["simhash_width"], quoted(p["simhash_weight"]), p["fingerprint"],
        "true" if p["bag"] else "false", "thousands" if p["numbers"] == "equal" else "any", p["passages"], p["seed"], quoted(p["tokens"]))
    return xxh64(0, text.encode()) & 0xFFFFFFFF


# 4. From a value to tokens

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "unicode.json"), encoding="utf-8") as file:
    UNICODE = json.load(file)

class Ranges:
    """A set of code points, from text such as "41-5a aa"."""
    def __init__(self, text):
        pairs = [(one.split("-") * 2)[:2] for one in text.split()]
        self.first, self.last = [int(a, 16) for a, _ in pairs], [int(b, 16) for _, b in pairs]
    def __contains__(self, c):
        i = bisect.bisect(self.first, c)
        return i > 0 and c <= self.last[i - 1]

PROPERTIES = {name: Ranges(text) for name, text in UNICODE["properties"].items()}
ORDER = {c: int(n) for n, text in UNICODE["combining_classes"].items() for r in [Ranges(text)]
         for a, b in zip(r.first, r.last) for c in map(chr, range(a, b + 1))}
DECOMPOSE, COMPOSE = UNICODE["decompositions"], UNICODE["compositions"]
DIGITS = {chr(ord(zero) + n): str(n) for zero in UNICODE["zeros"] for n in range(10)}
FOLD = dict(zip(UNICODE["fold_from"], UNICODE["fold_to"]))
DIGIT, SINGLE, MARK, HEBREW, LETTER, CONNECTOR, INVISIBLE, SEPARATOR = range(8)
BETWEEN_LETTERS, BETWEEN_HEBREW, BETWEEN_DIGITS, BETWEEN_BOTH = range(8, 12)
WORD = {LETTER, HEBREW, DIGIT, CONNECTOR}
BETWEEN = {c: kind for kind, members in (
    (BETWEEN_LETTERS, ":\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a"),
    (BETWEEN_HEBREW, '"'),
    (BETWEEN_DIGITS, ",;\u037e\u0589\u060c\u060d\u066b\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b"),
    (BETWEEN_BOTH, "'.\u2018\u2019\u2024\ufe52\uff07\uff0e")) for c in members}
MORE_LETTERS = Ranges("2c2-2c5 2d2-2d7 2de-2df 2e5-2eb 2ed 2ef-2ff 55a-55c 55e 58a 5f3 a708-a716 a720-a721 a789-a78a ab5b")

class Classes(dict):  # 4.2
    def __missing__(self, c):
        self[c] = kind = self.of(c, ord(c))
        return kind
    def of(self, c, n):
        if n in PROPERTIES["digit"]:
            return DIGIT
        if c in "\u30fc\uff70\u3031\u3032\u3033\u3034\u3035":
            return SINGLE
        if n in PROPERTIES["mark"] or c in "\uff9e\uff9f":
            return MARK
        if n in PROPERTIES["letter"] or n in MORE_LETTERS:
            return HEBREW if n in PROPERTIES["hebrew"] else SINGLE if n in PROPERTIES["single"] else LETTER
        if n in PROPERTIES["connector"]:
            return CONNECTOR
        if n in PROPERTIES["invisible"]:
            return INVISIBLE
        return BETWEEN.get(c, SEPARATOR)

CLASS = Classes()

def nfkc(text):  # UAX #15, with the arithmetic of Hangul
    if text.isascii():
        return text
    chars = []
    for c in text:
        s = ord(c) - 0xAC00
        if 0 <= s < 11172:
            chars += [chr(0x1100 + s // 588), chr(0x1161 + s % 588 // 28)] + [chr(0x11A7 + s % 28)] * (s % 28 > 0)
        else:
            chars += DECOMPOSE.get(c, c)
    start = 0
    for i in range(len(chars) + 1):  # sort marks by their combining classes
        if i == len(chars) or chars[i] not in ORDER:
            if i - start > 1:
                chars[start:i] = sorted(chars[start:i], key=ORDER.get)
            start = i + 1
    done, starter = [], -1
    for c in chars:
        order = ORDER.get(c, 0)
        if starter >= 0 and (starter == len(done) - 1 or 0 < ORDER.get(done[-1], 0) < order):
            a, b = ord(done[starter]), ord(c)
            if 0 <= a - 0x1100 < 19 and 0 <= b - 0x1161 < 21:
                both = chr(0xAC00 + ((a - 0x1100) * 21 + b - 0x1161) * 28)
            elif 0 <= a - 0xAC00 < 11172 and (a - 0xAC00) % 28 == 0 and 0 < b - 0x11A7 < 28:
                both = chr(a + b - 0x11A7)
            else:
                both = COMPOSE.get(done[starter] + c)
            if both:
                done[starter] = both
                continue
        if order == 0:
            starter = len(done)
        done.append(c)
    return "".join(done)

def normalised(text):  # 4.3
    result, piece = [], []
    for c in text + "\0":
        if CLASS[c] == SEPARATOR:
            result += [nfkc("".join(piece)), c]
            piece = []
        else:
            piece.append(c)
    return "".join(result)

def joins(last, m, n):  # 4.4: what can stand between and after
    kind = CLASS[m]
    if kind == BETWEEN_HEBREW:
        return last == n == HEBREW
    if last == n == DIGIT:
        return kind in (BETWEEN_DIGITS, BETWEEN_BOTH)
    return kind in (BETWEEN_LETTERS, BETWEEN_BOTH) and last in (LETTER, HEBREW) and n in (LETTER, HEBREW)

def tokenize(value):
    """The tokens of a value, as bytes."""
    text = [c for c in normalised(value.decode("utf-8", "replace")) if CLASS[c] != INVISIBLE] + ["\0", "\0"]
    kinds, tokens, i = [CLASS[c] for c in text], [], 0
    while i < len(text):
        start, last, solid = i, kinds[i], kinds[i] != CONNECTOR
        i += 1
        if last != SINGLE and last not in WORD:
            continue
        while True:
            while kinds[i] == MARK:
                i += 1
            if last == SINGLE:
                break
            if kinds[i] in WORD:
                i += 1
            elif joins(last, text[i], kinds[i + 1]):
                i += 2
            else:
                break
            last = kinds[i - 1]
            solid = solid or last != CONNECTOR
        if solid:
            tokens.append("".join("'" if c in "\u2018\u2019" else FOLD.get(c, c) for c in text[start:i]).encode())
    return tokens


# 5. The hash of a token

def token_hash(seed, token):
    k0, k1, n = mix(seed, 1), mix(seed, 2), len(token)
    h = k0
    for at in range(0, max(n, 1), 16):
        first, second = (int.from_bytes(half.rjust(8, b"\0"), "little") if half else 0
                         for half in (token[at:at + 8], token[at + 8:at + 16]))
        h = fold(h ^ first, k1 ^ second ^ (n if at + 16 >= n else 0))
    return h


# 6 and 7. Fingerprints

ARABIC = {"\u066b": ".", "\u066c": ","}

def numbers_of(tokens):
    found = []
    for t in tokens:
        text = "".join(DIGITS.get(c) or ARABIC.get(c) or (c if c in ",.'" else " ") for c in t.decode("utf-8", "replace"))
        for numeral in re.findall(r"[0-9]+(?:[,.'][0-9]+)*", text):
            first, *rest = re.split("([,.'])", numeral)
            signs, runs = rest[::2], rest[1::2]
            n = 0
            while n < len(runs) and signs[n] == signs[0]:
                n += 1
            if len(first) > 3 or first[0] == "0" or any(len(r) != 3 for r in runs[:n]) or signs == ["."]:
                n = 0
            found += ["".join([first] + runs[:n])] + runs[n:]
    return found

def remainder(a, p):
    """a mod p, as polynomials over GF(2)."""
    size = p.bit_length()
    while a.bit_length() >= size:
        a ^= p << a.bit_length() - size
    return a

def irreducible(p):
    """No factor of a degree up to half of p's: none in common with x^(2^i) - x."""
    power = 2  # x
    for _ in range((p.bit_length() - 1) // 2):
        power = remainder(int(bin(power)[2:], 4), p)  # squared: a zero between any two bits
        a, b = p, power ^ 2
        while b:
            a, b = b, remainder(a, b)
        if a != 1:
            return False
    return True

def rabin_polynomial(degree, seed):
    for i in range(1 << 20):
        p = 1 << degree | mix(seed, 16 + i) & (1 << degree) - 1 | 1
        if irreducible(p):
            return p

class Signer:
    def __init__(self, params=None, weight=None):
        """weight is the function of a feature and its count that simhash_weight names, if it names one."""
        self.weight, self.p = weight, {**DEFAULTS, **(params or {})}
        p = self.p
        self.seed, self.id, self.hashes = p["seed"], parameters_id(p), {}
        self.rabin = p["fingerprint"].startswith("rabin")
        if self.rabin:
            self.degree = int(p["fingerprint"][5:])
            self.polynomial = rabin_polynomial(self.degree, self.seed)

    def hash(self, token):
        if token not in self.hashes:
            self.hashes[token] = token_hash(self.seed, token)
        return self.hashes[token]

    def prints(self, w, parts, numbers, between):
        """The fingerprint of each shingle of w parts."""
        kind, k0, k1 = self.p["fingerprint"], mix(self.seed, 3), mix(self.seed, 4)
        for i in range(len(parts) - w + 1):
            if kind == "xxhash64":
                yield xxh64(self.seed, between.join(parts[i:i + w]))
                continue
            total = 0
            for h in numbers[i:i + w]:
                total = total << 64 | h if self.rabin else total * 0x9FB21C651E98DF25 + h & ALL
            yield remainder(total, self.polynomial) if self.rabin else fold(total ^ k0, k1)

    def element(self, f):
        return mix(f, 0) if self.rabin else f

    def sign(self, values):
        """The signature of a document, given as a list of values, each a list of tokens."""
        p, seed, exact, figures, shingles, copies, features, texts, passages = self.p, self.seed, 0, 0, {}, {}, {}, {}, set()
        for tokens in filter(None, values):
            numbers = [self.hash(t) for t in tokens]
            exact += xxh64(0, struct.pack("<%dQ" % len(numbers), *numbers)) | 1  # 11
            found = numbers_of(tokens) if p["numbers"] == "equal" else []  # 12
            figures += xxh64(seed, "".join(n + " " for n in found).encode()) | 1 if found else 0
            for i, f in enumerate(self.prints(p["simhash_width"], tokens, numbers, b" ")):  # 10
                features[f] = features.get(f, 0) + 1
                texts[f] = b" ".join(tokens[i:i + p["simhash_width"]])
            prints = list(self.prints(p["width"], tokens, numbers, b" "))
            window = p["passages"] - p["width"] + 1
            for i in range(len(prints) - window + 1 if p["passages"] else 0):  # 14.3
                passages.add(min(map(self.element, prints[i:i + window])) & 0xFFFFFFFFFF)
            for f in prints:  # 8
                n = copies[f] = copies.get(f, 0) + 1
                if n > 1 and p["bag"]:
                    f = mix(f, n) >> (24 if p["fingerprint"] == "rabin40" else 0)
                shingles[f] = None
        if self.weight:
            features = {f: self.weight(texts[f], n) for f, n in features.items()}
        tokens = sum(map(len, values))
        simhash, lanes = self.simhash(features), self.sketch([self.element(f) for f in shingles]) if shingles else []
        if figures & ALL:
            h = fold(figures & ALL, mix(seed, 9) | 1)
            simhash = simhash and max(1, simhash ^ mix(h, 0))
            lanes = [v ^ mix(h, i // 8 + 1) >> 8 * (i % 8) & 0xFF for i, v in enumerate(lanes)]
        return {"params": self.id, "tokens": tokens, "shingles": len(shingles), "prints": list(shingles),
                "exact": max(1, fold(exact & ALL, mix(seed, 7) | 1)) if tokens else 0,
                "simhash": simhash, "lanes": lanes, "passages": sorted(passages)}

    def sketch(self, elements):  # 9
        k, m, s = self.p["lanes"], mix(self.seed, 5) | 1, mix(self.seed, 6)
        lanes = [None] * k
        for r in range(k):
            found, key = {}, mix(s, r)
            for e in elements:
                product = (fold(e ^ key, m) if r else e) * k
                lane, value = product >> 64, r << 53 | (product & ALL) >> 11
                found[lane] = min(value, found.get(lane, value))
            lanes = [found.get(i) if v is None else v for i, v in enumerate(lanes)]
            if None not in lanes:
                break
        for i in range(k):
            if lanes[i] is None:
                lanes[i] = k + i << 53 | min(fold(e ^ key, m) for key in [mix(s, k + i)] for e in elements) >> 11
        return [v & 0xFF for v in lanes]

    def simhash(self, features):  # 10
        votes = {"distinct": lambda n: 1, "count": lambda n: n, "log": int.bit_length}.get(self.p["simhash_weight"], lambda n: n)
        all = [(self.element(f), votes(n)) for f, n in features.items()]
        half = sum(n for _, n in all) // 2
        return sum(1 << bit for bit in range(64) if sum(n for f, n in all if f >> bit & 1) > half)


# 13. The stored form

class Unreadable(Exception):
    """Its first argument is "version" or "malformed"."""

def varint(n):
    return (bytes([n & 127 | 128]) + varint(n >> 7)) if n > 127 else bytes([n])

def store(s):
    data = struct.pack("<BIcQQ", FORMAT, s["params"], b"S", s["exact"], s["simhash"])
    data += varint(s["tokens"]) + varint(s["shingles"]) + varint(len(s["lanes"]))
    data += bytes(s["lanes"])
    data += struct.pack("<I", xxh64(0, data) & 0xFFFFFFFF)
    return base64.b64encode(data).decode().rstrip("=")

def store_passages(s):  # 14.3
    data = struct.pack("<BIc", 1, s["params"], b"w") + varint(len(s["passages"]))
    for before, v in zip([0] + s["passages"], s["passages"]):
        data += varint(v - before)
    return base64.b64encode(data + struct.pack("<I", xxh64(0, data) & 0xFFFFFFFF)).decode().rstrip("=")

def read(text):
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable("malformed", "base64")
    if base64.b64encode(data).decode().rstrip("=") != text:
        raise Unreadable("malformed", "base64")
    if data and data[0] != FORMAT:
        raise Unreadable("version", data[0])
    body, check = data[:-4], data[-4:]
    if len(body) < 25 or struct.pack("<I", xxh64(0, body) & 0xFFFFFFFF) != check:
        raise Unreadable("malformed", "length or checksum")
    numbers, at = [], 22
    for _ in range(3):
        n = shift = 0
        while True:
            if at == len(body):
                raise Unreadable("malformed", "varint")
            byte = body[at]
            n, at, shift = n | (byte & 127) << shift, at + 1, shift + 7
            if byte < 128:
                break
        if n > ALL or shift > 7 and byte == 0:
            raise Unreadable("malformed", "varint")
        numbers.append(n)
    tokens, shingles, k = numbers
    if not (k == 0 if shingles == 0 else 16 <= k <= 1024) or len(body) - at != k:
        raise Unreadable("malformed", "lanes")
    _, params, kind, exact, simhash = struct.unpack_from("<BIcQQ", body)
    if kind != b"S":
        raise Unreadable("malformed", "kind")
    return {"params": params, "tokens": tokens, "shingles": shingles, "exact": exact, "simhash": simhash,
            "lanes": list(body[at:])}


# 14.1. Terms

def bands(s, bands=11, blocks=4):
    k = len(s["lanes"])
    if s["tokens"] == 0:
        return []
    if k == 0:
        return ["ff%08x" % (s["exact"] & 0xFFFFFFFF)]
    def part(i, n, whole):
        return slice(whole * i // n, whole * (i + 1) // n)
    keys = [(i, xxh64(0, bytes(own))) for i in range(bands) for own in [s["lanes"][part(i, bands, k)]]]
    keys += [(0xC0 + i, s["simhash"] >> own.start & (1 << own.stop - own.start) - 1) for i in range(blocks) for own in [part(i, blocks, 64)]]
    return ["%02x%08x" % (i, key & 0xFFFFFFFF) for i, key in keys]


# 15. Comparison

def compare(a, b):
    """Lanes that agree, bits that differ, and which tests of the default rule the pair passes."""
    k, by = len(a["lanes"]), []
    if a["params"] != b["params"] or k != len(b["lanes"]) and k and b["lanes"] or not a["tokens"] or not b["tokens"]:
        return 0, 0, ""
    agree = sum(x == y for x, y in zip(a["lanes"], b["lanes"]))
    hamming = bin(a["simhash"] ^ b["simhash"]).count("1")
    if a["exact"] == b["exact"]:
        by.append("exact")
    if k and b["lanes"] and agree >= (9 * k + 9) // 10:
        by.append("sketch")
    if k and b["lanes"] and hamming <= 3 and a["simhash"] and b["simhash"]:
        by.append("simhash")
    return agree, hamming, "+".join(by)


# 16. Signatures as the vectors have them, and the commands

def octets(v):
    return v.encode() if isinstance(v, str) else base64.b64decode(v["base64"])

def listed(parts, join, pack):
    return join(parts) if len(parts) <= 20 else "xxh64 %016x" % xxh64(0, pack(parts))

def shown(s):
    return {"shingles": listed(s["prints"], lambda all: "".join("%016x" % f for f in all), lambda all: struct.pack("<%dQ" % len(all), *all)),
            "simhash": "%016x" % s["simhash"], "exact": "%016x" % s["exact"],
            "lanes": "".join("%02x" % v for v in s["lanes"]), "stored": store(s), "bands": " ".join(bands(s)), "passages": store_passages(s)}

def described(s):
    return {**s, "params": "%08x" % s["params"], "exact": "%016x" % s["exact"], "simhash": "%016x" % s["simhash"]}

def main(args):
    signers = {}
    if args == ["sign"]:
        for line in sys.stdin:
            document = json.loads(line)
            key = json.dumps(document.get("params"))
            signer = signers[key] = signers.get(key) or Signer(document.get("params"))
            own = [tokenize(octets(v)) for v in document["values"]]
            s = signer.sign(own)
            print(json.dumps({"tokens": [listed(one, lambda all: b" ".join(all).decode(), b" ".join) for one in own], **shown(s)}, ensure_ascii=False))
    elif args[:1] == ["compare"] and len(args) == 3:
        a, b = (Signer().sign([tokenize(open(name, "rb").read())]) for name in args[1:])
        agree, hamming, by = compare(a, b)
        print(json.dumps({"agree": agree, "hamming": hamming, "by": by}))
    elif args == ["read"]:
        for line in filter(None, map(str.strip, sys.stdin)):
            stored = json.loads(line) if line.startswith("{") else {"~.sketch": line}
            for name, text in stored.items():
                if name.startswith("~") and name.endswith(".sketch"):
                    try:
                        print(json.dumps({"field": name[1:-7], **described(read(text))} if isinstance(text, str) else {"field": name[1:-7], "error": "malformed"}))
                    except Unreadable as e:
                        print(json.dumps({"field": name[1:-7], "error": e.args[0]}))
    else:
        sys.exit(__doc__)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
