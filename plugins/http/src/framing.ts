import { Framing, type Settings } from './settings.ts';

const [open, comma, close, end] = ['[', ',\n', ']', '\n'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/** The body of a request with these samples. */
export function framed(samples: readonly Uint8Array[], framing: Settings['framing']): Buffer {
  if (framing === Framing.ONE_BY_ONE) return Buffer.concat(samples);
  if (framing === Framing.LINES) return Buffer.concat(samples.flatMap((sample) => [sample, end]));
  const parts = samples.flatMap((sample, index) => (index === 0 ? [sample] : [comma, sample]));
  return Buffer.concat([open, ...parts, close]);
}

/** What the body is called. */
export function contentType({ framing, 'content-type': given }: Settings): string {
  return given ?? (framing === Framing.LINES ? 'application/x-ndjson' : 'application/json');
}
