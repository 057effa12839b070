import { readFileSync } from 'node:fs';
import { DataType } from '@tagway/sdk';
import { expect } from 'chai';
import { inputsConformance } from '../../src/index.ts';

const type = DataType.DOUBLE;

inputsConformance(new URL('./', import.meta.url), {
  points: [
    { address: 'tag("boiler/fast/a"), tag("boiler/fast/b")', type },
    { address: 'tag("boiler/fast/b"), tag("kiln/1%2Fs/c")', type },
  ],
  malformed: { address: 'boiler/fast/a', type },
  steps: [
    { inputs: { 'boiler/fast/a': 1, 'boiler/fast/b': 2, 'kiln/1%2Fs/c': 3 }, outcomes: [1.5, 2.5] },
    { inputs: { 'boiler/fast/a': 5, 'boiler/fast/b': 2, 'kiln/1%2Fs/c': 4 }, outcomes: [3.5, 3] },
  ],
});

describe('the chapter on drivers with inputs', () => {
  it('shows the whole of this driver', () => {
    const text = (url: string): string => readFileSync(new URL(url, import.meta.url), 'utf8');
    expect(text('../../../../docs/plugins/inputs.md')).to.include(text('src/index.ts').trim());
  });
});
