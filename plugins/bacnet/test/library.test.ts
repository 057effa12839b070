import { expect } from 'chai';
import { compileSettings, validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { Attribute, DataType, ErrorCode, type DriverDefinition } from '@tagway/sdk';
import { isDriver } from '@tagway/sdk/internal';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const definition = plugin as unknown as DriverDefinition<Settings>;
const short = { host: '192.168.0.10', port: 47_808 };

function settingsOf(params: object): Settings | undefined {
  const result = compileSettings(schema)(params);
  return 'settings' in result ? (result.settings as unknown as Settings) : undefined;
}

function matches(type: DataType, address: string): boolean {
  return manifest.tags.addresses.some(
    (entry) => entry.type === (type as number) && new RegExp(entry.pattern, 'u').test(address),
  );
}

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    expect(isDriver(plugin)).to.equal(true);
    expect(validateManifest(manifest)).to.equal(undefined);
    expect(validateSettingsSchema(schema)).to.equal(undefined);
    expect(manifest).to.include({ id: 'bacnet', name: 'BACnet/IP' });
  });

  it('needs host and port, and fills in the rest', () => {
    expect(settingsOf(short)).to.include({ ...short, timeout: 1500, retries: 2, write_priority: 16, cov: 2 });
    for (const name of Object.keys(short))
      expect(settingsOf({ ...short, [name]: undefined }), name).to.equal(undefined);
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
    for (const change of wrong)
      expect(settingsOf({ ...short, ...change }), JSON.stringify(change)).to.equal(undefined);
  });

  it('refuses a network without an address in it, and the other way round', () => {
    const check = (change: object): number | undefined =>
      definition.checkSettings?.(settingsOf({ ...short, ...change }) as Settings)?.code;
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
        const fault = definition.checkTag({ name: 'tag', address, type, attribute: Attribute.READ });
        if (fault === undefined) expect(matches(type, address), address).to.equal(true);
      }
  });
});
