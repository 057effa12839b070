import { expect } from 'chai';
import { Library } from '@tagway/testkit';
import { addressRests } from '@tagway/plc-words/test';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };
import { bitDevices } from './simulator.ts';

const library = new Library<Settings>(plugin, manifest, schema);

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
  });

  it('needs host and port, fills in the rest and refuses what is out of range', () => {
    const short = { host: '127.0.0.1', port: 2000 };
    expect(library.settings(short)).to.include({
      ...short,
      timeout: 3000,
      transport_mode: 0,
      local_port: 0,
      network: 0,
      pc: 255,
      module_io: 1023,
      station: 0,
      xy_base: 0,
      zr_base: 0,
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
    library.expectRefused(short, wrong);
    library.expectAllRequired(short);
  });

  it('has patterns that agree with the check', () => {
    const words = ['TN', 'SN', 'STN', 'CN', 'D', 'SD', 'W', 'SW', 'R', 'ZR', 'Z'];
    const names = [...bitDevices, 'SS', 'SC', ...words, 'Q', 'LCN', ''];
    const rests = ['0', '100', '1F', 'G', ...addressRests];
    const addresses = names.flatMap((name) => rests.map((rest) => name + rest));
    const { differences, accepted } = library.compare(addresses);
    expect(differences).to.deep.equal([]);
    expect(accepted).to.be.above(200);
  });
});
