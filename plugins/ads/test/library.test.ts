import { expect } from 'chai';
import { Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const short = { host: '192.168.1.20', src_ams_net_id: '192.168.1.10.1.1', dst_ams_net_id: '5.23.91.10.1.1' };

const library = new Library<Settings>(plugin, manifest, schema);

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
  });

  it('accepts the short form of the settings and fills in the defaults', () => {
    expect(library.settings(short)).to.deep.equal({
      ...short,
      port: 48_898,
      src_ams_port: 851,
      dst_ams_port: 851,
      timeout: 3000,
      max_in_flight: 4,
      max_items: 500,
    });
  });

  it('refuses settings out of range', () => {
    const wrong = [
      ...[{ host: '' }, { port: 0 }, { timeout: 10 }, { max_items: 501 }, { max_in_flight: 0 }],
      ...[{ dst_ams_port: 65_536 }, { src_ams_net_id: '1.2.3.4' }, { dst_ams_net_id: '1.2.3.4.5.256' }],
    ];
    library.expectRefused(short, wrong);
  });

  it('refuses a host with a port', () => {
    const check = (host: string): string | undefined =>
      library.definition.checkSettings?.(library.settings({ ...short, host }) as Settings)?.message;
    expect(check('192.168.1.20:48898')).to.match(/^The setting host is "192.168.1.20:48898"/);
    expect(check('fe80::1')).to.equal(undefined);
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
    const { differences, accepted } = library.compare(addresses);
    expect(differences).to.deep.equal([]);
    expect(accepted).to.be.above(20);
  });
});
