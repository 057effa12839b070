import { explainPdus } from '@tagway/modbus';
import { crc16, overhead } from '@tagway/modbus/rtu';
import type { FrameFormat } from '@tagway/sdk';

/** How frames are shown to people who trace them; `base` is the number of the first register. */
export function framesOf(base: number): FrameFormat {
  return {
    dissector: 'mbrtu',
    byTag: true,
    byUnit: true,
    explain: (tag) => {
      const explain = explainPdus(tag, base);
      return (direction, frame) => {
        if (frame.length <= overhead) return undefined;
        const unit = frame[0]!;
        if (crc16(frame, 0, frame.length) !== 0)
          return { unit: String(unit), text: 'Bytes whose checksum does not fit' };
        // One request is on the wire at a time, so an answer is that to the latest request of its unit.
        return explain(direction, unit, unit, frame.subarray(1, -2));
      };
    },
  };
}
