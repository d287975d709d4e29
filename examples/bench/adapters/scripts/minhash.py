"""A plain MinHash: runs of four words, 100 lanes of h -> (a h + b) mod p, all sketches compared. Its argument is the
resemblance from which on two documents are near-duplicates."""
import operator
import random
import re
import sys
import zlib

from lines import documents, pair

LANES, PRIME = 100, (1 << 61) - 1
rnd = random.Random(1)
factors = [(rnd.randrange(1, PRIME), rnd.randrange(PRIME)) for _ in range(LANES)]


def sketch(text):
    words = re.findall(r"[^\W_]+", text.lower())
    hashes = {zlib.crc32(" ".join(words[i : i + 4]).encode()) for i in range(max(1, len(words) - 3))}
    return [min([(a * h + b) % PRIME for h in hashes]) for a, b in factors]


ids, texts = documents()
sketches = [sketch(t) for t in texts]
need = float(sys.argv[1]) * LANES - 1e-9
for i, s in enumerate(sketches):
    for j in range(i):
        if sum(map(operator.eq, s, sketches[j])) >= need:
            pair(ids[j], ids[i])
