"""ssdeep: context-triggered piecewise hashes, all compared. Its argument is the least score, of 100."""
import sys

import ssdeep

from lines import documents, pair

ids, texts = documents()
hashes = [ssdeep.hash(t.encode()) for t in texts]
least = int(sys.argv[1])
for i, h in enumerate(hashes):
    for j in range(i):
        if ssdeep.compare(h, hashes[j]) >= least:
            pair(ids[j], ids[i])
