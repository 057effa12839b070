import { expect } from 'chai';
import { compileSettings, validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { Attribute, DataType, ErrorCode } from '@tagway/sdk';
import { isDriver } from '@tagway/sdk/internal';
import { definitionOf } from '@tagway/words/test';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const definition = definitionOf<Settings>(plugin);

function settingsOf(params: object): Record<string, unknown> | undefined {
  const result = compileSettings(schema)(params);
  return 'settings' in result ? result.settings : undefined;
}

function matches(type: DataType, address: string): boolean {
  return manifest.tags.addresses.some(
    (entry) => entry.type === type && new RegExp(entry.pattern, 'u').test(address),
  );
}

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
    const types = Object.values(DataType);
    let good = 0;
    for (const address of names.flatMap((name) => rests.map((rest) => name + rest)))
      for (const type of types) {
        const fault = definition.checkTag({ name: 'tag', address, type, attribute: Attribute.READ });
        if (fault === undefined) good++;
        expect(matches(type, address), `${address} of type ${type}`).to.equal(fault === undefined);
        const codes: number[] = [ErrorCode.TAG_ADDRESS_INVALID, ErrorCode.TAG_TYPE_UNSUPPORTED];
        if (fault !== undefined) expect(codes).to.include(fault.code);
      }
    expect(good).to.be.above(200);
  });
});
