import { isAdjacent, type Step, type WriteEntry } from '@tagway/plc-words';
import { mostWrittenWords, Service, type MemoryRequest } from './protocol.ts';

/** Whether one request can carry an entry with those before it: words that follow each other, or bits of one word. */
export function joins(step: Step, entry: WriteEntry): boolean {
  const first = (step[0] as WriteEntry).start;
  if (!isAdjacent(step.at(-1), entry)) return false;
  return entry.kind === 'bits' ? first >> 4 === entry.start >> 4 : entry.end - first <= mostWrittenWords;
}

/** The request that carries out a step. There are codes for bits of words beside those of words: they differ in the highest bit. */
export function writeRequest(step: Step): MemoryRequest {
  const { area, kind, start } = step[0] as WriteEntry;
  const count = (step.at(-1) as WriteEntry).end - start;
  const data = Buffer.concat(step.map((entry) => entry.data));
  const request = { service: Service.WRITE, count, data };
  return kind === 'bits'
    ? { ...request, area: area ^ 0x80, start: start >> 4, bit: start & 15 }
    : { ...request, area, start, bit: 0 };
}
