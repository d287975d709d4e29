#!/usr/bin/env python3
"""check.py VECTORS compares neardup.py with analysis/signature/testdata/vectors.json: FORMAT.md, section 16."""
import json, sys

from neardup import FORMAT, UNICODE, Signer, Unreadable, compare, listed, octets, read, shown, tokenize

def check(path):
    with open(path, encoding="utf-8") as file:
        v = json.load(file)
    if (v["format"], v["unicode"]) != (FORMAT, UNICODE["unicode"]):
        sys.exit("wanted format %d and Unicode %s, got %s and %s" % (FORMAT, UNICODE["unicode"], v["format"], v["unicode"]))
    weights = {"vectors_bytes": lambda text, n: len(text), "vectors_times": lambda text, n: n * len(text)}
    signers = [Signer({**p, "seed": int(p.get("seed", "0"), 16)}, weights.get(p.get("simhash_weight"))) for p in v["params"]]
    wrong, signed, done = [], [], 0
    def same(what, got, want):
        nonlocal done
        done += 1
        if got != want:
            wrong.append("%s: got %r, want %r" % (what, got, want))
    for p, signer in zip(v["params"], signers):
        same("id of %s" % p, "%08x" % signer.id, p["id"])
    tokens = [[tokenize(octets(value)) for value in t["values"]] for t in v["texts"]]
    for t, own in zip(v["texts"], tokens):
        same("tokens of " + t["name"], [listed(one, lambda all: b" ".join(all).decode(), b" ".join) for one in own], t["tokens"])
    for n, want in enumerate(v["signatures"] + v["terms"]):
        own = tokens[want["text"]] if "text" in want else [[octets(t) for t in value] for value in want["values"]]
        s = signers[want["params"]].sign(own)
        signed.append(s)
        for name, got in shown(s).items():
            if name in want:
                same("signature %d, %s" % (n, name), got, want[name])
        same("signature %d, read" % n, {**read(want["stored"]), "prints": s["prints"], "passages": s["passages"]}, s)
    for pair in v["pairs"]:
        same("pair %s" % pair, compare(signed[pair["a"]], signed[pair["b"]]), (pair["agree"], pair["hamming"], pair["by"]))
    for bad in v["unreadable"]:
        try:
            read(bad["stored"])
            got = ""
        except Unreadable as e:
            got = e.args[0]
        same("unreadable: " + bad["name"], got, bad["error"])
    print("\n".join(wrong[:20] + ["%d of %d differ" % (len(wrong), done)]))
    return bool(wrong)

if __name__ == "__main__":
    sys.exit(check(*sys.argv[1:]) if len(sys.argv) == 2 else __doc__)
