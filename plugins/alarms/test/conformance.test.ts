import { Attribute, DataType } from '@tagway/sdk';
import { inputsConformance } from '@tagway/pluginkit';

const { BIT, STRING, UINT8 } = DataType;
const attribute = Attribute.READ;
const level = 'tag("plant 1/1%2Fs/level")';

inputsConformance(new URL('../', import.meta.url), {
  keepsValues: true,
  points: [
    { address: `high(${level}, 90, deadband: 2)`, type: STRING, attribute },
    { address: `high(${level}, 90, deadband: 2)`, type: UINT8, attribute },
    { address: `low(${level}, 10)`, type: BIT, attribute },
    { address: `condition(${level} > 50.0, acknowledge: false, text: "half full")`, type: STRING, attribute },
  ],
  malformed: { address: `high(${level}, 90`, type: STRING, attribute },
  steps: [
    { inputs: { 'plant 1/1%2Fs/level': 95 }, outcomes: ['unacknowledged', 1, 0, 'acknowledged'] },
    { inputs: { 'plant 1/1%2Fs/level': 5 }, outcomes: ['returned', 3, 1, 'normal'] },
  ],
});
