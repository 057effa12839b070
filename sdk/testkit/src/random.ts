/** Random numbers below `limit`, the same ones in every run: a linear congruence with the constants of Numerical Recipes. */
export function randomOf(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
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
