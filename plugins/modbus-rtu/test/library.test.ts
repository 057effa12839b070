import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { schemaRecord } from '@tagway/schemas';
import { ErrorCode } from '@tagway/sdk';
import { bauds } from '@tagway/serial';
import { Library } from '@tagway/testkit';
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
    library.expectSound();
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
      expect(library.settings(params)).to.include({
        ...params,
        interval: 20,
        max_gap: 0,
        max_retries: 0,
        retry_interval: 0,
        device_degrade: 0,
        endianess: 1,
        endianess_64: 1,
        address_base: 1,
      });
    for (const baud of bauds.keys()) expect(library.settings({ ...serial, baud })).to.include({ baud });
  });

  it('refuses settings that are missing or out of range', () => {
    const wrong = [
      { link: 2 },
      { timeout: 999 },
      { device: '' },
      { stop: 2 },
      { parity: 5 },
      { baud: 13 },
      { data: 4 },
      { device: undefined },
      { baud: undefined },
    ];
    library.expectRefused(serial, wrong);
    library.expectRefused(tcp, [{ host: 'plant' }, { port: 0 }, { connection_mode: 2 }, { host: undefined }]);
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

  it('refuses mark and space parity where the platform has none', () => {
    for (const parity of [0, 1, 2, 3, 4]) {
      const fault = library.definition.checkSettings?.({ ...serial, parity } as unknown as Settings);
      const isMissing = parity > 2 && process.platform !== 'win32';
      expect(fault?.code, `parity ${parity}`).to.equal(
        isMissing ? ErrorCode.NODE_SETTING_INVALID : undefined,
      );
    }
    expect(library.definition.checkSettings?.({ ...tcp, parity: 3 } as unknown as Settings)).to.equal(
      undefined,
    );
  });

  it('works over TCP without the native module, and says what is wrong for a serial port', () => {
    const script = join(import.meta.dirname, 'without-native.ts');
    const run = spawnSync(process.execPath, ['--conditions=source', script], { encoding: 'utf8' });
    expect(run.stderr).to.equal('');
    const [values, fault] = run.stdout.trim().split('\n');
    expect(values).to.equal('4');
    expect(fault)
      .to.match(/^2304 false The native module for serial ports cannot be loaded \(no prebuilt binary\)\./)
      .and.contain('the TCP link');
  });
});
