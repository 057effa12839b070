import type { FrameServer } from '@tagway/testkit';

/**
 * Serves a simulated PLC from a process of its own, until the parent goes. The parent is told the port. Word 0 is a clock, the low 16 bits
 * of the milliseconds since the epoch; word n is n plus a count of tenths of seconds, so that every value changes ten times a second.
 */
export async function serve(simulator: FrameServer, words: Uint16Array): Promise<void> {
  process.on('disconnect', () => process.exit());
  words.forEach((_, index) => (words[index] = index));
  setInterval(() => words.forEach((word, index) => (words[index] = word + 1)), 100);
  simulator.script = (_frame, usual) => {
    words[0] = Date.now();
    return [usual()];
  };
  const port = await simulator.listen();
  process.send?.({ port });
}
