import { expect } from 'chai';
import { compileSettings, validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { Attribute, DataType, type DriverDefinition } from '@tagway/sdk';
import { isDriver } from '@tagway/sdk/internal';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const definition = plugin as unknown as DriverDefinition<Settings>;
const short = { host: '127.0.0.1', port: 502, timeout: 3000, connection_mode: 0 };

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

  it('accepts the short form of the settings and fills in the defaults', () => {
    expect(settingsOf(short)).to.include({
      ...short,
      transport_mode: 0,
      interval: 20,
      max_in_flight: 1,
      max_gap: 0,
      max_retries: 0,
      retry_interval: 0,
      device_degrade: 0,
      endianess: 1,
      endianess_64: 1,
      address_base: 1,
    });
    expect(settingsOf({ ...short, device_degrade: 1 })).to.include({ degrade_cycle: 2, degrade_time: 600 });
    expect(settingsOf({ ...short, check_header: 1 }), 'a setting that is always on here').to.not.equal(
      undefined,
    );
    expect(settingsOf({ ...short, backup_host: '' })).to.not.equal(undefined);
  });

  it('refuses settings out of range', () => {
    const wrong = [
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
    for (const change of wrong)
      expect(settingsOf({ ...short, ...change }), JSON.stringify(change)).to.equal(undefined);
    const { host: _host, ...homeless } = short;
    expect(settingsOf(homeless)).to.equal(undefined);
  });

  it('refuses a server over UDP', () => {
    const settings = settingsOf({ ...short, connection_mode: 1, transport_mode: 1 }) as unknown as Settings;
    expect(definition.checkSettings?.(settings)?.code).to.equal(2004);
    expect(definition.checkSettings?.({ ...settings, transport_mode: 0 })).to.equal(undefined);
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
      expect(matches(type, address), address).to.equal(true);
      expect(
        definition.checkTag({ name: 'tag', address, type, attribute: Attribute.READ }),
        address,
      ).to.equal(undefined);
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
      expect(matches(type, address), address).to.equal(false);
      expect(
        definition.checkTag({ name: 'tag', address, type, attribute: Attribute.READ })?.code,
        address,
      ).to.equal(2205);
    }
  });
});
