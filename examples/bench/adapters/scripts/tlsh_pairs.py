"""TLSH: locality-sensitive hashes of bytes, all compared. Its argument is the greatest distance. A text of fewer than 50
bytes or of little variety has no hash."""
import sys

import tlsh

from lines import documents, pair

ids, texts = documents()
hashes = [tlsh.hash(t.encode()) for t in texts]
most = int(sys.argv[1])
for i, h in enumerate(hashes):
    for j in range(i):
        if len(h) > 6 and len(hashes[j]) > 6 and tlsh.diff(h, hashes[j]) <= most:
            pair(ids[j], ids[i])
