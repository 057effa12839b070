/** The longest time for which something kept the event loop, in milliseconds. */
export async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const pulse = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  try {
    await work();
  } finally {
    clearInterval(pulse);
  }
  return longest;
}
