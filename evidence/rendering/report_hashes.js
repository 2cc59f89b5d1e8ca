"use strict";
// BLAKE3 (its specification, section 2) and SHA-256 (FIPS 180-4) over whole byte arrays: a page opened from a
// file has no crypto.subtle everywhere, and that has no BLAKE3.
const INITIAL = new Uint32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]);
const CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8, CHUNK = 1024, BLOCK = 64;
const PERMUTED = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const SCHEDULES = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]];
while (SCHEDULES.length < 7) {
  const before = SCHEDULES[SCHEDULES.length - 1];
  SCHEDULES.push(PERMUTED.map((place) => before[place]));
}
const STATE = new Uint32Array(16);

function quarter(a, b, c, d, x, y) {
  const s = STATE;
  let t;
  s[a] += s[b] + x; t = s[d] ^ s[a]; s[d] = (t >>> 16) | (t << 16);
  s[c] += s[d]; t = s[b] ^ s[c]; s[b] = (t >>> 12) | (t << 20);
  s[a] += s[b] + y; t = s[d] ^ s[a]; s[d] = (t >>> 8) | (t << 24);
  s[c] += s[d]; t = s[b] ^ s[c]; s[b] = (t >>> 7) | (t << 25);
}

function compress(chaining, words, counter, length, flags) {
  STATE.set(chaining);
  STATE.set(INITIAL.subarray(0, 4), 8);
  STATE[12] = counter; STATE[13] = 0; STATE[14] = length; STATE[15] = flags;
  for (const at of SCHEDULES) {
    quarter(0, 4, 8, 12, words[at[0]], words[at[1]]);
    quarter(1, 5, 9, 13, words[at[2]], words[at[3]]);
    quarter(2, 6, 10, 14, words[at[4]], words[at[5]]);
    quarter(3, 7, 11, 15, words[at[6]], words[at[7]]);
    quarter(0, 5, 10, 15, words[at[8]], words[at[9]]);
    quarter(1, 6, 11, 12, words[at[10]], words[at[11]]);
    quarter(2, 7, 8, 13, words[at[12]], words[at[13]]);
    quarter(3, 4, 9, 14, words[at[14]], words[at[15]]);
  }
  const out = new Uint32Array(8);
  for (let i = 0; i < 8; i++) out[i] = STATE[i] ^ STATE[i + 8];
  return out;
}

function wordsOf(bytes, start, end) {
  const words = new Uint32Array(16);
  for (let i = start; i < end; i++) words[(i - start) >> 2] |= bytes[i] << (8 * ((i - start) & 3));
  return words;
}

function chunkOf(bytes, counter, root) {
  const begin = counter * CHUNK, end = Math.min(bytes.length, begin + CHUNK);
  let chaining = INITIAL, at = begin;
  do {
    const stop = Math.min(at + BLOCK, end), last = stop === end;
    const flags = (at === begin ? CHUNK_START : 0) | (last ? CHUNK_END | root : 0);
    chaining = compress(chaining, wordsOf(bytes, at, stop), counter, stop - at, flags);
    at = stop;
  } while (at < end);
  return chaining;
}

function parentOf(left, right, root) {
  const words = new Uint32Array(16);
  words.set(left);
  words.set(right, 8);
  return compress(INITIAL, words, 0, BLOCK, PARENT | root);
}

function blake3(bytes) {
  const chunks = Math.max(1, Math.ceil(bytes.length / CHUNK));
  if (chunks === 1) return hexOf(chunkOf(bytes, 0, ROOT), true);
  const stack = [];
  for (let done = 1; done < chunks; done++) {
    let node = chunkOf(bytes, done - 1, 0);
    for (let count = done; (count & 1) === 0; count >>= 1) node = parentOf(stack.pop(), node, 0);
    stack.push(node);
  }
  let node = chunkOf(bytes, chunks - 1, 0);
  while (stack.length > 1) node = parentOf(stack.pop(), node, 0);
  return hexOf(parentOf(stack.pop(), node, ROOT), true);
}

function hexOf(words, littleEndian) {
  const view = new DataView(new ArrayBuffer(32));
  words.forEach((word, i) => view.setUint32(4 * i, word, littleEndian));
  let text = "";
  for (let i = 0; i < 32; i++) text += view.getUint8(i).toString(16).padStart(2, "0");
  return text;
}

const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);
// The first 32 bits of the fractional part of a cube root, which 53 bits of a double hold exactly enough.
const CUBES = Uint32Array.from(PRIMES, (prime) => (Math.cbrt(prime) % 1) * 4294967296);

function sha256(bytes) {
  const size = (bytes.length + 9 + 63) & ~63, padded = new Uint8Array(size), view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  view.setUint32(size - 8, Math.floor(bytes.length / 536870912));
  view.setUint32(size - 4, bytes.length << 3);
  const hash = Uint32Array.from(INITIAL), w = new Uint32Array(64);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < size; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15], y = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + CUBES[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { hash[i] += word; });
  }
  return hexOf(hash, false);
}
