/**
 * The longest time for which something kept the event loop, in milliseconds of this thread's CPU: what other processes take of a busy
 * machine does not count.
 */
export async function longestTurn(work: () => Promise<void>): Promise<number> {
  const cpu = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  let last = cpu();
  const pulse = setInterval(() => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  try {
    await work();
  } finally {
    clearInterval(pulse);
  }
  return longest;
}
