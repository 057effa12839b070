// Meter 161 in a process of its own, for benchmarks: blocks 00-00-FF-00 to 00-FF-FF-00 with fifty parts each, which change ten times a
// second. The first part of the first block is a clock, the low 16 bits of the milliseconds since the epoch. Sends its port.
import { requestOf, Simulator } from './simulator.ts';

const parts = 50;
const simulator = new Simulator();

/** Eight decimal digits, the lowest two first. */
function writeDigits(into: Buffer, at: number, value: number): void {
  for (let rest = value, i = 0; i < 4; i++, rest = Math.floor(rest / 100))
    into[at + i] = (Math.floor((rest % 100) / 10) << 4) | (rest % 10);
}

simulator.script = (frame) => {
  const { address, control, identifier } = requestOf(frame);
  const now = Date.now();
  const data = Buffer.alloc(4 + 4 * parts);
  data.set(identifier);
  const block = identifier[2] ?? 0;
  for (let part = 0; part < parts; part++)
    writeDigits(data, 4 + 4 * part, block * parts + part + (Math.floor(now / 100) % 1000));
  if (block === 0) writeDigits(data, 4, now & 0xffff);
  return [simulator.frame(address, control | 0x80, data)];
};

process.on('disconnect', () => process.exit());
process.send?.({ port: await simulator.listen() });
