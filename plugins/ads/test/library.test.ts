import { validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { Attribute, DataType } from '@tagway/sdk';
import { isDriver } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { settingsOf as schemaSettings } from '@tagway/testkit';
import { checkTag } from '../src/address.ts';
import plugin from '../src/index.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const short = { host: '192.168.1.20', src_ams_net_id: '192.168.1.10.1.1', dst_ams_net_id: '5.23.91.10.1.1' };

const settingsOf = (params: object) => schemaSettings(schema, params);

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    expect(isDriver(plugin)).to.equal(true);
    expect(validateManifest(manifest)).to.equal(undefined);
    expect(validateSettingsSchema(schema)).to.equal(undefined);
  });

  it('accepts the short form of the settings and fills in the defaults', () => {
    expect(settingsOf(short)).to.deep.equal({
      ...short,
      ...{ port: 48_898, src_ams_port: 851, dst_ams_port: 851 },
      ...{ timeout: 3000, max_in_flight: 4, max_items: 500 },
    });
  });

  it('refuses settings out of range', () => {
    const wrong = [
      ...[{ host: '' }, { port: 0 }, { timeout: 10 }, { max_items: 501 }, { max_in_flight: 0 }],
      ...[{ dst_ams_port: 65_536 }, { src_ams_net_id: '1.2.3.4' }, { dst_ams_net_id: '1.2.3.4.5.256' }],
    ];
    for (const change of wrong)
      expect(settingsOf({ ...short, ...change }), JSON.stringify(change)).to.equal(undefined);
  });

  it('has patterns that agree with the check', () => {
    const addresses = [
      ...[
        '0x4020,0',
        '16416,0x1F4',
        '0x4020,0.80',
        '0x4020',
        '0x4020,0.0',
        ',',
        '0x,1',
        '0x4020,0.080',
        '1,2 ',
      ],
      ...[
        'MAIN.speed',
        '.old',
        'GVL.a[3].b',
        'A.m[1,-2,3]',
        'MAIN.p^.x',
        '_x',
        'MAIN.',
        'a b',
        'a[',
        'ä',
        '1a',
      ],
    ];
    for (const type of Object.values(DataType))
      for (const address of addresses) {
        const matches = manifest.tags.addresses.some(
          (entry) => entry.type === type && new RegExp(entry.pattern, 'u').test(address),
        );
        const fault = checkTag({ name: 'tag', address, type, attribute: Attribute.READ });
        expect(matches, `${address} as ${type}`).to.equal(fault === undefined);
      }
  });
});
