// The R-MinHash of rensa (lanes are the upper 32 bits of a*h+b, of which the least counts) with bands and candidates that
// are judged by their lanes, in Rust with its standard library alone. It is not the crate: without its Python layer, threads
// and SIMD. Words and shingles are as in the Go adapters. Its arguments: the resemblance, lanes, bands.
use std::collections::HashMap;
use std::io::{self, BufRead, BufWriter, Write};

fn unescape(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    let (mut it, mut high) = (s.chars(), 0u32);
    while let Some(c) = it.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match it.next().unwrap() {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' | 'f' => out.push(' '),
            'u' => {
                let mut v = (0..4).fold(0, |v, _| v * 16 + it.next().unwrap().to_digit(16).unwrap());
                if (0xD800..0xDC00).contains(&v) {
                    high = v;
                    continue;
                }
                if (0xDC00..0xE000).contains(&v) {
                    v = 0x10000 + ((high - 0xD800) << 10) + (v - 0xDC00);
                }
                out.push(char::from_u32(v).unwrap_or(' '));
            }
            c => out.push(c),
        }
    }
    out
}

// field is a string of a line of JSON, as it stands there.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let key = format!("\"{name}\":");
    let bytes = line.as_bytes();
    let mut at = line.find(&key).unwrap() + key.len();
    while bytes[at] != b'"' { at += 1; }
    let start = at + 1;
    at = start;
    while bytes[at] != b'"' { at += if bytes[at] == b'\\' { 2 } else { 1 }; }
    &line[start..at]
}

fn mix(h: u64, x: u64) -> u64 { (h.rotate_left(5) ^ x).wrapping_mul(0x517cc1b727220a95) }

fn shingles(text: &str) -> Vec<u64> {
    let (mut words, mut h, mut open) = (vec![], 0u64, false);
    for c in text.chars().flat_map(char::to_lowercase).chain(" ".chars()) {
        if c.is_alphanumeric() || ('\u{300}'..'\u{370}').contains(&c) {
            (h, open) = (mix(h, c as u64), true);
        } else if open {
            words.push(h);
            (h, open) = (0, false);
        }
    }
    words.windows(4.min(words.len().max(1))).map(|s| {
        let mut h = s.iter().fold(0, |h, &x| mix(h, x));
        h = (h ^ h >> 32).wrapping_mul(0xd6e8feb86659fd93);
        h ^ h >> 32
    }).collect()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (least, k, bands): (f64, usize, usize) = (args[1].parse().unwrap(), args[2].parse().unwrap(), args[3].parse().unwrap());
    let need = (least * k as f64 - 1e-9).ceil() as usize;
    let mut x = 0x9e3779b97f4a7c15u64;
    let mut next = || { x ^= x << 13; x ^= x >> 7; x ^= x << 17; x.wrapping_mul(0x2545F4914F6CDD1D) };
    let hashes: Vec<(u64, u64)> = (0..k).map(|_| (next() | 1, next())).collect();
    let (mut ids, mut sketches): (Vec<String>, Vec<Vec<u32>>) = (vec![], vec![]);
    let mut index: Vec<HashMap<u64, Vec<u32>>> = (0..bands).map(|_| HashMap::new()).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut sketch = vec![u32::MAX; k];
        for h in shingles(&unescape(field(&line, "text"))) {
            for (lane, (a, b)) in sketch.iter_mut().zip(&hashes) { *lane = (*lane).min((a.wrapping_mul(h).wrapping_add(*b) >> 32) as u32); }
        }
        let id = field(&line, "id").to_string();
        let mut candidates: Vec<u32> = vec![];
        for (b, table) in index.iter_mut().enumerate() {
            let key = sketch[k * b / bands..k * (b + 1) / bands].iter().fold(0, |h, &x| mix(h, x as u64));
            let entry = table.entry(key).or_default();
            candidates.extend(entry.iter());
            entry.push(ids.len() as u32);
        }
        candidates.sort_unstable();
        candidates.dedup();
        for c in candidates {
            if sketches[c as usize].iter().zip(&sketch).filter(|(a, b)| a == b).count() >= need && sketch[0] != u32::MAX {
                writeln!(out, "{{\"pair\":[\"{}\",\"{}\"]}}", ids[c as usize], id).unwrap();
            }
        }
        ids.push(id);
        sketches.push(sketch);
    }
}
