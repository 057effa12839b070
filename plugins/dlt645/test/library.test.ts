import { join } from 'node:path';
import { expect } from 'chai';
import { bauds } from '@tagway/serial';
import { expectWithoutNative, Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);
const shared = { mail_address: 161, timeout: 3000 };
const serial = { ...shared, link: 0, device: '/dev/ttyS0', stop: 0, parity: 2, baud: 6, data: 3 };
const tcp = { ...shared, link: 1, host: '127.0.0.1', port: 4001, connection_mode: 0 };

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
    expect([manifest.id, manifest.name]).to.deep.equal(['dlt645', 'DLT645-2007']);
    expect(manifest.features, 'writes of several tags at once are not offered').to.deep.equal(['listens']);
  });

  it('accepts either link and fills in the defaults', () => {
    for (const params of [serial, tcp])
      expect(library.settings(params)).to.include({ ...params, interval: 20, max_retries: 1 });
    for (const baud of bauds.keys()) expect(library.settings({ ...serial, baud })).to.include({ baud });
  });

  it('refuses settings that are missing or out of range', () => {
    const wrong = [
      { link: 2 },
      { mail_address: -1 },
      { mail_address: 999_999_999_999 },
      { mail_address: '999999999999' },
      { mail_address: '1234567890123' },
      { mail_address: '12A' },
      { mail_address: '' },
      { mail_address: undefined },
      { timeout: 199 },
      { timeout: undefined },
      { interval: 3001 },
      { max_retries: 4 },
    ];
    for (const params of [serial, tcp]) library.expectRefused(params, wrong);
  });

  it('refuses wrong settings of either link', () => {
    library.expectLinkSettings(serial, tcp);
  });

  it('has patterns that agree with the check', () => {
    const meters = ['', '1#', '123456789012#', '1234567890123#', 'A#', '#'];
    const items = ['00-01-00-00', '02-01-FF-00', '05-06-09-01', '05-06-0a-01', '2-1-1-0', '02-01-01', ''];
    const suffixes = ['', '#1', '#01', '#99', '#0', '#00', '#100', '#T', '#1#T', '#T#1', '#t', 'x'];
    const addresses = meters.flatMap((meter) =>
      items.flatMap((item) => suffixes.map((suffix) => meter + item + suffix)),
    );
    const { differences, accepted } = library.compare(addresses);
    expect(differences).to.deep.equal([]);
    expect(accepted).to.be.above(200);
  });

  it('works over TCP without the native module, and says what is wrong for a serial port', () => {
    expectWithoutNative(join(import.meta.dirname, 'without-native.ts'), ['[26]', '[26]']);
  });
});
