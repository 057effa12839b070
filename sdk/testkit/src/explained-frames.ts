import type { FrameDirection, FrameMeaning, Point } from '@tagway/sdk';
import type { ContextRecord } from './context.ts';

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
