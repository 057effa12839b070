import { Framing, type Settings } from './settings.ts';

const [open, comma, close, end] = ['[', ',\n', ']', '\n'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/** The body of a request with these samples, in parts. */
export function framed(samples: readonly Uint8Array[], framing: Settings['framing']): readonly Uint8Array[] {
  if (framing === Framing.ONE_BY_ONE) return samples;
  if (framing === Framing.LINES) return samples.flatMap((sample) => [sample, end]);
  const parts = samples.flatMap((sample, index) => (index === 0 ? [sample] : [comma, sample]));
  return [open, ...parts, close];
}

/** What the body is called. */
export function contentType({ framing, 'content-type': given }: Settings): string {
  return given ?? (framing === Framing.LINES ? 'application/x-ndjson' : 'application/json');
}
