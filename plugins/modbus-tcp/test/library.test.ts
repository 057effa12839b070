import { expect } from 'chai';
import { defaults } from '@tagway/modbus/test';
import { DataType, ErrorCode } from '@tagway/sdk';
import { Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);
const short = { host: '127.0.0.1', port: 502, timeout: 3000, connection_mode: 0 };

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
  });

  it('accepts the short form of the settings and fills in the defaults', () => {
    expect(library.settings(short)).to.include({
      ...short,
      ...defaults,
      transport_mode: 0,
      max_in_flight: 1,
    });
    expect(library.settings({ ...short, device_degrade: 1 })).to.include({
      degrade_cycle: 2,
      degrade_time: 600,
    });
    expect(library.settings({ ...short, check_header: 1 }), 'a setting that is always on here').to.not.equal(
      undefined,
    );
    expect(library.settings({ ...short, backup_host: '' })).to.not.equal(undefined);
  });

  it('refuses settings out of range', () => {
    const wrong = [
      { host: undefined },
      { host: 'plant' },
      { host: '1.2.3.256' },
      { port: 0 },
      { port: '502' },
      { timeout: 999 },
      { interval: 3001 },
      { max_in_flight: 17 },
      { max_retries: 4 },
      { connection_mode: 2 },
      { transport_mode: 2 },
      { endianess: 5 },
      { endianess_64: 7 },
      { address_base: 2 },
      { backup_host: 'spare' },
    ];
    library.expectRefused(short, wrong);
  });

  it('refuses a server over UDP', () => {
    const settings = library.settings({ ...short, connection_mode: 1, transport_mode: 1 }) as Settings;
    expect(library.definition.checkSettings?.(settings)?.code).to.equal(ErrorCode.NODE_SETTING_INVALID);
    expect(library.definition.checkSettings?.({ ...settings, transport_mode: 0 })).to.equal(undefined);
  });

  it('refuses the port of a backup without its host', () => {
    const check = (change: object): string | undefined =>
      library.definition.checkSettings?.(library.settings({ ...short, ...change }) as Settings)?.message;
    expect(check({ backup_port: 503 })).to.match(/^backup_port .* backup_host/);
    expect(check({ backup_port: 503, backup_host: '10.0.0.6' })).to.equal(undefined);
  });

  it('has patterns that let through what the check accepts', () => {
    const good: readonly (readonly [DataType, string])[] = [
      [DataType.INT16, '1!400001'],
      [DataType.INT16, '1!40001'],
      [DataType.UINT16, '255!365536#B'],
      [DataType.INT32, '1!400001#LB'],
      [DataType.FLOAT, '10!300005#BB'],
      [DataType.INT64, '1!400001#WS'],
      [DataType.DOUBLE, '1!400001#L'],
      [DataType.BIT, '1!000001'],
      [DataType.BIT, '1!165536'],
      [DataType.BIT, '1!400001.15'],
      [DataType.STRING, '1!400001.127'],
      [DataType.STRING, '1!400001.10D'],
      [DataType.BYTES, '1!400001.128'],
      [DataType.BIT, '1!400001'],
    ];
    for (const [type, address] of good) {
      expect(library.matches(type, address), address).to.equal(true);
      expect(library.check(type, address), address).to.equal(undefined);
    }
    const bad: readonly (readonly [DataType, string])[] = [
      [DataType.INT16, '256!400001'],
      [DataType.INT16, '1!500001'],
      [DataType.INT16, '400001'],
      [DataType.INT32, '1!400001#B'],
      [DataType.BIT, '1!400001.16'],
      [DataType.STRING, '1!400001'],
      [DataType.BYTES, '1!400001.0'],
    ];
    for (const [type, address] of bad) {
      expect(library.matches(type, address), address).to.equal(false);
      expect(library.check(type, address)?.code, address).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    }
  });
});
