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
    const short = { host: '127.0.0.1', port: 2000 };
    expect(settingsOf(short)).to.include({
      ...{ ...short, timeout: 3000, transport_mode: 0, local_port: 0 },
      ...{ network: 0, pc: 255, module_io: 1023, station: 0, xy_base: 0, zr_base: 0 },
    });
    const wrong = [
      ...[
        { host: 'the plc' },
        { port: 0 },
        { port: '2000' },
        { timeout: 999 },
        { transport_mode: 2 },
        { local_port: 65_536 },
      ],
      ...[{ network: 256 }, { module_io: 65_536 }, { xy_base: 2 }, { zr_base: 2 }],
    ];
    for (const change of wrong)
      expect(settingsOf({ ...short, ...change }), JSON.stringify(change)).to.equal(undefined);
    for (const key of ['host', 'port'])
      expect(
        settingsOf(Object.fromEntries(Object.entries(short).filter(([name]) => name !== key))),
        key,
      ).to.equal(undefined);
  });

  it('has patterns that agree with the check', () => {
    const names = [
      'X',
      'Y',
      'DX',
      'DY',
      'B',
      'SB',
      'M',
      'SM',
      'L',
      'F',
      'V',
      'S',
      'TS',
      'TC',
      'SS',
      'STS',
      'SC',
      'STC',
      'CS',
      'CC',
    ];
    names.push('TN', 'SN', 'STN', 'CN', 'D', 'SD', 'W', 'SW', 'R', 'ZR', 'Z', 'Q', 'LCN', '');
    const rests = [
      '0',
      '100',
      '1F',
      'G',
      '12.0',
      '12.05',
      '12.15',
      '12.16',
      '12.20H',
      '12.999L',
      '12.0H',
      '',
      '-1',
    ];
    const addresses = names.flatMap((name) => rests.map((rest) => name + rest));
    const { differences, taken } = compareWithCheck(manifest, checkTag, addresses);
    expect(differences).to.deep.equal([]);
    expect(taken).to.be.above(200);
  });
});
