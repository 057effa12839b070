import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);
const short = { host: '192.168.0.10', port: 47_808 };

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
    expect(manifest).to.include({ id: 'bacnet', name: 'BACnet/IP' });
  });

  it('needs host and port, and fills in the rest', () => {
    expect(library.settings(short)).to.include({
      ...short,
      timeout: 1500,
      retries: 2,
      write_priority: 16,
      cov: 2,
    });
    library.expectAllRequired(short);
  });

  it('refuses settings out of range', () => {
    const wrong = [
      ...[
        { host: 'a b' },
        { port: 0 },
        { device_id: 4_194_304 },
        { timeout: 99 },
        { retries: 11 },
        { cov: 3 },
      ],
      ...[
        { write_priority: 0 },
        { write_priority: 17 },
        { network: 65_535 },
        { mac: '0' },
        { bbmd_host: '-' },
      ],
    ];
    library.expectRefused(short, wrong);
  });

  it('refuses a network without an address in it, and the other way round', () => {
    const check = (change: object): number | undefined =>
      library.definition.checkSettings?.(library.settings({ ...short, ...change }) as Settings)?.code;
    expect(check({})).to.equal(undefined);
    expect(check({ network: 5, mac: '0A' })).to.equal(undefined);
    expect(check({ network: 5 })).to.equal(ErrorCode.NODE_SETTING_INVALID);
    expect(check({ mac: '0A' })).to.equal(ErrorCode.NODE_SETTING_INVALID);
  });

  it('has patterns that let through what the check accepts', () => {
    const objects = ['AI1', 'AO1', 'AV1', 'BI1', 'MSV1', 'ACC1', 'DEV1', 'XX1', 'AI', 'ai1'];
    const rests = [
      '',
      '.Units',
      '.custom.5',
      '.custom',
      '.NULL',
      '[1]',
      '.Priority_Array[8]',
      '@8',
      '@17',
      '.',
    ];
    for (const type of Object.values(DataType))
      for (const address of objects.flatMap((object) => rests.map((rest) => object + rest))) {
        if (library.check(type, address) === undefined)
          expect(library.matches(type, address), address).to.equal(true);
      }
  });
});
