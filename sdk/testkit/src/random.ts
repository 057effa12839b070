/** Whole numbers below `limit`, the same ones in every run: Mulberry32. */
export function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** A copy of a frame with some bytes changed, left out, doubled or added. */
export function mutate(frame: Buffer, random: (limit: number) => number): Buffer {
  let bytes = Buffer.from(frame);
  for (let left = 1 + random(3); left > 0; left--) {
    const at = random(bytes.length + 1);
    const kinds = [
      () => void (bytes[at % Math.max(1, bytes.length)] = random(256)),
      () => void (bytes = bytes.subarray(0, at)),
      () => void (bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(4))])),
      () =>
        void (bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256)]), bytes.subarray(at)])),
      () => void (bytes = Buffer.concat([bytes, bytes.subarray(at)])),
    ];
    kinds[random(kinds.length)]?.();
  }
  return Buffer.from(bytes);
}
