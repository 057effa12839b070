import { expect } from 'chai';
import { validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { isDriver } from '@tagway/sdk/internal';
import { compareWithCheck, settingsOf as schemaSettings } from '@tagway/testkit';
import plugin from '../src/index.ts';
import { checkTag } from '../src/address.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const settingsOf = (params: object) => schemaSettings(schema, params);

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    expect(isDriver(plugin)).to.equal(true);
    expect(validateManifest(manifest)).to.equal(undefined);
    expect(validateSettingsSchema(schema)).to.equal(undefined);
  });

  it('needs host and port, fills in the rest and refuses what is out of range', () => {
    const short = { host: '127.0.0.1', port: 9600 };
    expect(settingsOf(short)).to.include({
      ...short,
      timeout: 3000,
      max_words: 400,
      local_node: 0,
      network: 0,
      node: 0,
      unit: 0,
    });
    for (const change of [
      { host: 'the plc' },
      { port: 0 },
      { port: '9600' },
      { timeout: 999 },
      { max_words: 1000 },
      { local_node: 255 },
    ])
      expect(settingsOf({ ...short, ...change }), JSON.stringify(change)).to.equal(undefined);
    for (const key of ['host', 'port'])
      expect(
        settingsOf(Object.fromEntries(Object.entries(short).filter(([name]) => name !== key))),
        key,
      ).to.equal(undefined);
  });

  it('has patterns that agree with the check', () => {
    const names = ['CIO', 'A', 'W', 'H', 'D', 'P', 'F', 'EM0W', 'EMFW', 'EM10W', 'Q', 'EM', ''];
    const rests = [
      '0',
      '100',
      '4000',
      '12.0',
      '12.05',
      '12.15',
      '12.16',
      '12.20H',
      '12.999L',
      '12.0H',
      '1x',
      '',
      '-1',
    ];
    const addresses = names.flatMap((name) => rests.map((rest) => name + rest));
    const { differences, taken } = compareWithCheck(manifest, checkTag, addresses);
    expect(differences).to.deep.equal([]);
    expect(taken).to.be.above(200);
  });
});
