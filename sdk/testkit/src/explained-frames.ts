import type { FrameDirection, FrameFormat, FrameMeaning, Point } from '@tagway/sdk';
import type { ContextRecord } from './context.ts';
import { mutate, randomOf } from './random.ts';

/** A frame as it is explained to people who trace it. */
export interface ExplainedFrame extends Partial<FrameMeaning> {
  readonly direction: FrameDirection;
  readonly frame: Buffer;
}

/** The frames of a driver from here on, as they come. `tag`: the tag that is looked for in them. */
export function explainedFrames({ sources }: Pick<ContextRecord, 'sources'>, tag?: Point): ExplainedFrame[] {
  const frames: ExplainedFrame[] = [];
  for (const source of sources) {
    const explain = source.format.explain?.(tag);
    source.trace((direction, data, at, end) => {
      const frame = Buffer.from(data.subarray(at, end));
      frames.push({ direction, frame, ...explain?.(direction, frame) });
    });
  }
  return frames;
}

/**
 * The characters of the longest meaning among 10 000 damaged copies of frames. An explanation that throws is taken for
 * none, as it is by the gateway.
 */
export function longestMeaning(format: FrameFormat, frames: readonly ExplainedFrame[]): number {
  const random = randomOf(20_261_125);
  const explain = format.explain?.(undefined);
  let longest = 0;
  for (let round = 0; round < 10_000; round++) {
    const { direction, frame } = frames[random(frames.length)]!;
    try {
      longest = Math.max(longest, explain?.(direction, mutate(frame, random))?.text.length ?? 0);
    } catch {
      continue;
    }
  }
  return longest;
}
