import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { compileSettings, validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { Attribute, DataType, ErrorCode } from '@tagway/sdk';
import { isDriver } from '@tagway/sdk/internal';
import { definitionOf } from '@tagway/testkit';
import plugin from '../src/index.ts';
import { bauds, type Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const definition = definitionOf<Settings>(plugin);
const shared = { mail_address: 161, timeout: 3000 };
const serial = { ...shared, link: 0, device: '/dev/ttyS0', stop: 0, parity: 2, baud: 6, data: 3 };
const tcp = { ...shared, link: 1, host: '127.0.0.1', port: 4001, connection_mode: 0 };

function settingsOf(params: object): Record<string, unknown> | undefined {
  const result = compileSettings(schema)(params);
  return 'settings' in result ? result.settings : undefined;
}

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    expect(isDriver(plugin)).to.equal(true);
    expect(validateManifest(manifest)).to.equal(undefined);
    expect(validateSettingsSchema(schema)).to.equal(undefined);
    expect([manifest.id, manifest.name]).to.deep.equal(['dlt645', 'DLT645-2007']);
    expect(manifest, 'writes of several tags at once are not offered').to.not.have.property('features');
  });

  it('accepts either link and fills in the defaults', () => {
    for (const params of [serial, tcp])
      expect(settingsOf(params)).to.include({ ...params, interval: 20, max_retries: 1 });
    for (const baud of bauds.keys()) expect(settingsOf({ ...serial, baud })).to.include({ baud });
  });

  it('refuses settings that are missing or out of range', () => {
    const wrong = [
      { link: 2 },
      { mail_address: -1 },
      { mail_address: 999_999_999_999 },
      { mail_address: undefined },
      { timeout: 199 },
      { timeout: undefined },
      { interval: 3001 },
      { max_retries: 4 },
    ];
    for (const params of [serial, tcp])
      for (const change of wrong)
        expect(settingsOf({ ...params, ...change }), JSON.stringify(change)).to.equal(undefined);
    for (const change of [
      { device: '' },
      { stop: 2 },
      { parity: 5 },
      { baud: 13 },
      { data: 4 },
      { device: undefined },
    ])
      expect(settingsOf({ ...serial, ...change }), JSON.stringify(change)).to.equal(undefined);
    for (const change of [{ host: 'plant' }, { port: 0 }, { connection_mode: 2 }, { host: undefined }])
      expect(settingsOf({ ...tcp, ...change }), JSON.stringify(change)).to.equal(undefined);
  });

  it('refuses mark and space parity where the platform has none', () => {
    for (const parity of [0, 1, 2, 3, 4]) {
      const fault = definition.checkSettings?.({ ...serial, parity } as unknown as Settings);
      const isMissing = parity > 2 && process.platform !== 'win32';
      expect(fault?.code, `parity ${parity}`).to.equal(
        isMissing ? ErrorCode.NODE_SETTING_INVALID : undefined,
      );
    }
    expect(definition.checkSettings?.({ ...tcp, parity: 3 } as unknown as Settings)).to.equal(undefined);
  });

  it('has patterns that agree with the check', () => {
    const meters = ['', '1#', '123456789012#', '1234567890123#', 'A#', '#'];
    const items = ['00-01-00-00', '02-01-FF-00', '05-06-09-01', '05-06-0a-01', '2-1-1-0', '02-01-01', ''];
    const suffixes = ['', '#1', '#01', '#99', '#0', '#00', '#100', '#T', '#1#T', '#T#1', '#t', 'x'];
    let good = 0;
    for (const address of meters.flatMap((meter) =>
      items.flatMap((item) => suffixes.map((suffix) => meter + item + suffix)),
    ))
      for (const type of Object.values(DataType)) {
        const fault = definition.checkTag({ name: 'tag', address, type, attribute: Attribute.READ });
        const matches = manifest.tags.addresses.some(
          (entry) => entry.type === type && new RegExp(entry.pattern, 'u').test(address),
        );
        if (fault === undefined) good++;
        expect(matches, `${address} of type ${type}`).to.equal(fault === undefined);
        const codes: number[] = [ErrorCode.TAG_ADDRESS_INVALID, ErrorCode.TAG_TYPE_UNSUPPORTED];
        if (fault !== undefined) expect(codes).to.include(fault.code);
      }
    expect(good).to.be.above(200);
  });

  it('works over TCP without the native module, and says what is wrong for a serial port', () => {
    const script = join(import.meta.dirname, 'without-native.ts');
    const run = spawnSync(process.execPath, ['--conditions=source', script], { encoding: 'utf8' });
    expect(run.stderr).to.equal('');
    const [client, server, fault] = run.stdout.trim().split('\n');
    expect([client, server]).to.deep.equal(['[26]', '[26]']);
    expect(fault)
      .to.match(/^2304 false The native module for serial ports cannot be loaded \(no prebuilt binary\)\./)
      .and.contain('the TCP link');
  });
});
