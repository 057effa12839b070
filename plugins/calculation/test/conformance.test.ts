import { Attribute, DataType } from '@tagway/sdk';
import { inputsConformance } from '@tagway/pluginkit';

const { BIT, DOUBLE, INT64, STRING } = DataType;
const attribute = Attribute.READ;
const flow = 'tag("plant 1/1%2Fs/flow")';
const state = 'tag("plant 1/1%2Fs/state")';

inputsConformance(new URL('../', import.meta.url), {
  points: [
    { address: `${flow} * 3.6`, type: DOUBLE, attribute },
    { address: `${flow} > 2.0 && ${state}`, type: BIT, attribute },
    { address: `${state} ? "running at " + fixed(${flow}, 1) : "stopped"`, type: STRING, attribute },
    { address: `int(${flow}) * 9007199254740993`, type: INT64, attribute },
  ],
  malformed: { address: `${flow} *`, type: DOUBLE, attribute },
  steps: [
    {
      inputs: { 'plant 1/1%2Fs/flow': 2.5, 'plant 1/1%2Fs/state': true },
      outcomes: [9, 1, 'running at 2.5', 18_014_398_509_481_986n],
    },
    {
      inputs: { 'plant 1/1%2Fs/flow': 1.5, 'plant 1/1%2Fs/state': false },
      outcomes: [1.5 * 3.6, 0, 'stopped', 9_007_199_254_740_993n],
    },
  ],
});
