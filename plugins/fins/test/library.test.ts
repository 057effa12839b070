import { expect } from 'chai';
import { Library } from '@tagway/testkit';
import { addressRests } from '@tagway/plc-words/test';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
  });

  it('needs host and port, fills in the rest and refuses what is out of range', () => {
    const short = { host: '127.0.0.1', port: 9600 };
    expect(library.settings(short)).to.include({
      ...short,
      timeout: 3000,
      max_words: 400,
      local_node: 0,
      network: 0,
      node: 0,
      unit: 0,
    });
    library.expectRefused(short, [
      { host: 'the plc' },
      { port: 0 },
      { port: '9600' },
      { timeout: 999 },
      { max_words: 1000 },
      { local_node: 255 },
    ]);
    library.expectAllRequired(short);
  });

  it('has patterns that agree with the check', () => {
    const names = ['CIO', 'A', 'W', 'H', 'D', 'P', 'F', 'EM0W', 'EMFW', 'EM10W', 'Q', 'EM', ''];
    const rests = ['0', '100', '4000', '1x', ...addressRests];
    const addresses = names.flatMap((name) => rests.map((rest) => name + rest));
    const { differences, accepted } = library.compare(addresses);
    expect(differences).to.deep.equal([]);
    expect(accepted).to.be.above(200);
  });
});
