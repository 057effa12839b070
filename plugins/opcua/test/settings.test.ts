import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { addressOf, checkTag, parseAddress } from '../src/address.ts';
import { checkSettings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import { settingsOf } from './run.ts';

const problem = (params: Record<string, unknown>): string =>
  checkSettings(settingsOf({ url: 'opc.tcp://127.0.0.1', ...params }))?.message ?? '';

describe('settings of an OPC UA node', () => {
  it('need the URL alone', () => {
    expect(settingsOf({ url: 'opc.tcp://plc' })).to.deep.equal({
      ...{ url: 'opc.tcp://plc', security_mode: 0, security_policy: 0, trust: 0 },
      ...{ update_mode: 0, publishing_interval: 500, timeout: 5000 },
    });
    expect(problem({})).to.equal('');
    for (const url of ['http://plc', 'opc.tcp://', 'plc:4840', 'opc.tcp://a b'])
      expect(() => settingsOf({ url }), url).to.throw();
    expect(() => settingsOf({})).to.throw();
  });

  it('take a certificate with its key, and say what is wrong with them', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const key = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    expect(problem({ cert: 'AAAA' })).to.match(/belong together/);
    expect(problem({ cert: 'AAAA', key })).to.match(/"cert" is not a certificate/);
    expect(problem({ server_cert: 'AAAA' })).to.match(/"server_cert" is not/);
    expect(problem({ password: 'x' })).to.match(/needs "username"/);
  });
});

describe('addresses of OPC UA tags', () => {
  const parsed = (text: string): unknown => {
    const address = parseAddress(text);
    return address && [address.nodeId.toString(), address.indexRange];
  };

  it('name a node by number, text or GUID, and an element by its index', () => {
    expect(parsed('2!1001')).to.deep.equal(['ns=2;i=1001', '']);
    expect(parsed('2!Tank.Level')).to.deep.equal(['ns=2;s=Tank.Level', '']);
    expect(parsed('2!a!b[c] d"ü')).to.deep.equal(['ns=2;s=a!b[c] d"ü', '']);
    expect(parsed('3[0]!Levels')).to.deep.equal(['ns=3;s=Levels', '0']);
    expect(parsed('3[1,20,3]!Levels')).to.deep.equal(['ns=3;s=Levels', '1,20,3']);
    expect(parsed('0!09087e75-8e5e-499b-954f-f2a9603db28a')).to.match(/^ns=0;g=09087E75-/i);
  });

  it('are refused with 2205 when they are something else, by the manifest or by the driver', () => {
    const pattern = new RegExp(manifest.tags.addresses[0]?.pattern ?? '', 'u');
    for (const text of ['', '1!', '!x', '1', 'x!1', '123456!1', '1[]!x', '1[1,2,3,4]!x', '1[-1]!x', '1[a]!x'])
      expect(pattern.test(text), text).to.equal(false);
    for (const address of ['65536!x', '1!4294967296', '1[4294967296]!x']) {
      expect(pattern.test(address), address).to.equal(true);
      const tag = { name: 't', address, type: DataType.INT32, attribute: 1 };
      expect(checkTag(tag), address).to.include({ code: ErrorCode.TAG_ADDRESS_INVALID });
    }
  });

  it('are found for nodes, except for those that they cannot express', () => {
    for (const text of ['2!1001', '2!Tank.Level', '0!2258']) {
      const address = parseAddress(text);
      expect(address && addressOf(address.nodeId)).to.equal(text);
    }
    const bytes = { namespace: 1, identifierType: 4, value: Buffer.from([1]) };
    expect(addressOf(bytes as never)).to.equal(undefined);
    const digits = { namespace: 1, identifierType: 2, value: '1001' };
    expect(addressOf(digits as never)).to.equal(undefined);
  });
});
