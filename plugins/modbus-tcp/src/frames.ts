import { explainPdus } from '@tagway/modbus';
import { overhead, transactionOf } from '@tagway/modbus/mbap';
import type { FrameFormat } from '@tagway/sdk';

/** How frames are shown to people who trace them; `base` is the number of the first register. */
export function framesOf(base: number): FrameFormat {
  return {
    port: 502,
    byTag: true,
    byUnit: true,
    explain: (tag) => {
      const explain = explainPdus(tag, base);
      return (direction, frame) => {
        if (frame.length <= overhead) return undefined;
        return explain(direction, transactionOf(frame, 0), frame[6]!, frame.subarray(overhead));
      };
    },
  };
}
