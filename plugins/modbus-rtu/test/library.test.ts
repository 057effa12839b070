import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { schemaRecord } from '@tagway/schemas';
import { defaults } from '@tagway/modbus/test';
import { bauds } from '@tagway/serial';
import { expectWithoutNative, Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);
const serial = { link: 0, timeout: 3000, device: '/dev/ttyS0', stop: 0, parity: 0, baud: 4, data: 3 };
const tcp = { link: 1, timeout: 3000, host: '127.0.0.1', port: 502, connection_mode: 0 };

/** A file of the Modbus TCP library, which has the same addresses and the same settings above the link. */
function ofModbusTcp(file: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../modbus-tcp', file), 'utf8'));
}

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
  });

  it('has the addresses of Modbus TCP', () => {
    expect(manifest.tags).to.deep.equal((ofModbusTcp('plugin.json') as typeof manifest).tags);
  });

  it('has the settings of Modbus TCP for everything above the link', () => {
    const { properties } = ofModbusTcp('settings.schema.json') as { properties: Record<string, unknown> };
    const { link: _link, timeout: _timeout, ...shared } = schema.properties;
    for (const [name, setting] of Object.entries(shared))
      expect(setting, name).to.deep.equal(properties[name]);
  });

  it('accepts either link and fills in the defaults', () => {
    for (const params of [serial, tcp])
      expect(library.settings(params)).to.include({ ...params, ...defaults });
    for (const baud of bauds.keys()) expect(library.settings({ ...serial, baud })).to.include({ baud });
  });

  it('refuses settings that are missing or out of range', () => {
    for (const params of [serial, tcp]) library.expectRefused(params, [{ link: 2 }, { timeout: 999 }]);
  });

  it('shows which settings belong to which link', () => {
    const record = schemaRecord({
      settingsSchema: schema,
      groupInterval: manifest.tags.groupInterval,
      addresses: manifest.tags.addresses,
    }) as unknown as Record<string, { attribute: string; condition?: object } | undefined>;
    for (const name of ['device', 'stop', 'parity', 'baud', 'data'])
      expect(record[name], name).to.include({ attribute: 'required' }).and.nested.include({
        'condition.field': 'link',
        'condition.value': 0,
      });
    for (const name of ['host', 'port', 'connection_mode'])
      expect(record[name], name).to.include({ attribute: 'required' }).and.nested.include({
        'condition.field': 'link',
        'condition.value': 1,
      });
  });

  it('refuses wrong settings of either link', () => {
    library.expectLinkSettings(serial, tcp);
  });

  it('works over TCP without the native module, and says what is wrong for a serial port', () => {
    expectWithoutNative(join(import.meta.dirname, 'without-native.ts'), ['4']);
  });
});
