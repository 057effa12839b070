/** Random numbers below `limit`, the same ones in every run (a linear congruential generator, its high bits). */
export function randomOf(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
