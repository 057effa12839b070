import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);

const codeOf = (address: string, type: DataType): number | undefined => library.check(type, address)?.code;

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
  });

  it('fills in the defaults of the standard', () => {
    expect(library.settings({ host: '10.0.0.1', port: 2404, ca: 1, interval: 10 })).to.deep.include({
      t0: 30,
      t1: 15,
      t2: 10,
      t3: 20,
      k: 12,
      w: 8,
      counter_interval: 0,
      clock_interval: 0,
      select_before_operate: false,
      tls: false,
    });
  });

  it('refuses settings out of range, and those that do not go together', () => {
    const wrong = [
      { port: 0 },
      { ca: 0 },
      { ca: 65_535 },
      { interval: -1 },
      { t1: 0 },
      { k: 32_768 },
      { tls: true },
      { host: '' },
    ];
    library.expectRefused({ host: 'rtu' }, wrong);
    const check = (change: object): number | undefined =>
      library.definition.checkSettings?.(library.settings({ host: 'rtu', ...change }) as Settings)?.code;
    const message = (change: object): string | undefined =>
      library.definition.checkSettings?.(library.settings({ host: 'rtu', ...change }) as Settings)?.message;
    expect(check({})).to.equal(undefined);
    expect(check({ t1: 10, t2: 10 })).to.equal(ErrorCode.NODE_SETTING_INVALID);
    expect(check({ k: 7, w: 8 })).to.equal(ErrorCode.NODE_SETTING_INVALID);
    expect(check({ k: 8, w: 8 })).to.equal(undefined);
    for (const name of ['host', 'backup_host'])
      expect(message({ [name]: '127.0.0.1:2404' })).to.match(
        new RegExp(`^The setting ${name} is "127.0.0.1:2404": .* port`),
      );
    for (const host of ['rtu.plant', '10.0.0.1', 'fe80::1', '::1'])
      expect(message({ host })).to.equal(undefined);
    expect(message({ backup_port: 2405 })).to.match(/^backup_port .* backup_host/);
    expect(message({ backup_port: 2405, backup_host: 'spare' })).to.equal(undefined);
    const noCertificate = Buffer.from('no certificate').toString('base64');
    expect(message({ tls: true, tls_ca: noCertificate })).to.include('tls_ca is no certificate');
    expect(message({ tls: false, tls_ca: noCertificate })).to.equal(undefined);
    const file = Buffer.from('no certificate').toString('base64');
    expect(check({ tls: true, tls_ca: file, tls_cert: file })).to.equal(ErrorCode.NODE_SETTING_INVALID);
    expect(check({ tls: true, tls_ca: file, tls_cert: file, tls_key: file })).to.equal(
      ErrorCode.NODE_SETTING_INVALID,
    );
  });

  it('refuses a file that is no certificate, and names its setting', () => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const messageOf = (change: object): string | undefined =>
      library.definition.checkSettings?.(library.settings({ host: 'rtu', tls: true, ...change }) as Settings)
        ?.message;
    const good = rootCertificates[0] ?? '';
    const cut = `${good}\n${good.slice(0, 200)}`;
    for (const file of ['no certificate', '-----BEGIN CERTIFICATE-----', cut])
      expect(messageOf({ tls_ca: base64(file) }), file).to.match(/tls_ca is no certificate.*PEM/);
    expect(messageOf({ tls_ca: base64(`${good}\n${good}`) })).to.equal(undefined);
    const mixed = { tls_ca: base64(good), tls_cert: base64('none'), tls_key: base64('none') };
    expect(messageOf(mixed)).to.match(/tls_cert is no certificate/);
  });

  it('takes the numbers of information objects as addresses', () => {
    for (const type of [1, 2, 3, 4, 5, 6, 9, 11, 12] as const) {
      for (const address of ['1', '4001', '16777215', '00000001']) {
        expect(library.matches(type, address), address).to.equal(true);
        expect(codeOf(address, type), address).to.equal(undefined);
      }
      for (const address of ['', '-1', '1.5', '123456789', '1!2', ' 1', '0x10']) {
        expect(library.matches(type, address), address).to.equal(false);
        expect(codeOf(address, type), address).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      }
      for (const address of ['0', '16777216'])
        expect(codeOf(address, type), address).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    }
    for (const type of [DataType.INT64, DataType.UINT64, DataType.DOUBLE, DataType.STRING, DataType.BYTES])
      expect(codeOf('1', type)).to.equal(ErrorCode.TAG_TYPE_UNSUPPORTED);
  });
});
