"""What programs in Python have in common that bench measures: they read documents as JSON lines, and write pairs."""
import json
import sys


def documents():
    """The ids and texts of the documents."""
    docs = [json.loads(line) for line in sys.stdin.buffer]
    return [d["id"] for d in docs], [d["text"] for d in docs]


def pair(a, b):
    """Write that two documents are near-duplicates."""
    print(json.dumps({"pair": [a, b]}))
