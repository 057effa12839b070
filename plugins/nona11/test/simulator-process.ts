// Site 1 in a process of its own, for benchmarks: commands 1 to 127 with two thousand words each, which change ten times a second. The
// first word of command 1 is a clock, the low 16 bits of the milliseconds since the epoch. Sends its port.
import { frameOf, Simulator } from './simulator.ts';

const words = 2000;
const simulator = new Simulator();

simulator.script = (frame) => {
  const [site = 0, command = 0] = frame.subarray(6);
  const now = Date.now();
  const bytes = Buffer.alloc(2 * words);
  const tick = Math.floor(now / 100);
  for (let word = 0; word < words; word++) bytes.writeUInt16BE((word + tick) & 0xffff, 2 * word);
  if (command === 1) bytes.writeUInt16BE(now & 0xffff, 0);
  return [frameOf(site, command, bytes)];
};

process.on('disconnect', () => process.exit());
process.send?.({ port: await simulator.listen() });
