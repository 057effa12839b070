import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { NodeId } from 'node-opcua-client';
import { addressOf, checkTag, parseAddress } from '../src/address.ts';
import { placeOf } from '../src/link/wire.ts';
import { checkSettings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import { settingsOf } from './fixture.ts';

const problem = (params: Record<string, unknown>): string =>
  checkSettings(settingsOf({ url: 'opc.tcp://127.0.0.1', ...params }))?.message ?? '';

describe('settings of an OPC UA node', () => {
  it('need the URL alone', () => {
    expect(settingsOf({ url: 'opc.tcp://plc' })).to.deep.equal({
      url: 'opc.tcp://plc',
      security_mode: 0,
      security_policy: 0,
      trust: 0,
      update_mode: 0,
      publishing_interval: 500,
      timeout: 5000,
    });
    expect(problem({})).to.equal('');
    for (const url of ['http://plc', 'opc.tcp://', 'plc:4840', 'opc.tcp://a b'])
      expect(() => settingsOf({ url }), url).to.throw();
    expect(() => settingsOf({})).to.throw();
  });

  it('refuse a port that does not exist, and a user name in the URL, without repeating the password', () => {
    for (const port of ['0', '99999', ''])
      expect(problem({ url: `opc.tcp://plc:${port}/` }), port).to.match(/not a number from 1 to 65535/);
    const message = problem({ url: 'opc.tcp://ada:hush@plc:4840/' });
    expect(message).to.match(/give them as "username" and "password"/);
    expect(message).not.to.include('hush');
    expect(problem({ url: 'opc.tcp://::1/' })).to.match(/IPv6 address is written in brackets|port/);
    for (const url of ['opc.tcp://[::1]:4840/', 'opc.tcp://plc:80/a', 'opc.tcp://plc/a@b:99999'])
      expect(problem({ url }), url).to.equal('');
    expect(placeOf('opc.tcp://[::1]:4841/')).to.deep.equal({ host: '::1', port: 4841 });
    expect(placeOf('opc.tcp://plc:80/')).to.deep.equal({ host: 'plc', port: 80 });
    expect(placeOf('opc.tcp://plc/a:80/')).to.deep.equal({ host: 'plc', port: 4840 });
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

  it('are built from the ids of nodes and lead back to them, whatever the ids look like', () => {
    const { NUMERIC, STRING, GUID, BYTESTRING } = NodeId.NodeIdType;
    const rows: (readonly [string, NodeId])[] = [
      ['2!1001', new NodeId(NUMERIC, 1001, 2)],
      ['2!Tank.Level', new NodeId(STRING, 'Tank.Level', 2)],
      ['2!i=5', new NodeId(STRING, 'i=5', 2)],
      ['1!ns=2;s=Tank', new NodeId(STRING, 'ns=2;s=Tank', 1)],
      ['1!b=AAEC', new NodeId(STRING, 'b=AAEC', 1)],
      ['1s!1001', new NodeId(STRING, '1001', 1)],
      [
        '1s!09087e75-8e5e-499b-954f-f2a9603db28a',
        new NodeId(STRING, '09087e75-8e5e-499b-954f-f2a9603db28a', 1),
      ],
      ['1!09087E75-8E5E-499B-954F-F2A9603DB28A', new NodeId(GUID, '09087E75-8E5E-499B-954F-F2A9603DB28A', 1)],
      ['3b!AAEC/w==', new NodeId(BYTESTRING, Buffer.from([0, 1, 2, 0xff]), 3)],
    ];
    for (const [text, id] of rows) {
      expect(addressOf(id), text).to.equal(text);
      const { identifierType, namespace, value } = parseAddress(text)?.nodeId ?? {};
      const expected = { identifierType: id.identifierType, namespace: id.namespace, value: id.value };
      expect({ identifierType, namespace, value }, text).to.deep.equal(expected);
    }
    expect(addressOf(new NodeId(STRING, '1001', 1), '3')).to.equal('1s[3]!1001');
    expect(addressOf(new NodeId(BYTESTRING, Buffer.alloc(0), 1)), 'no id at all').to.equal(undefined);
  });

  it('say in a sentence what is wrong with them', () => {
    const refusal = (address: string): string =>
      checkTag({ name: 't', address, type: DataType.INT32, attribute: 1 })?.message ?? '';
    expect(refusal('65536!x')).to.match(/namespace index 65536 is above 65535/);
    expect(refusal('1!4294967296')).to.match(/numeric id .* write 1s!4294967296/);
    expect(refusal('1b!no')).to.match(/byte string as base64, which "no" is not/);
    expect(refusal('1[4294967296]!x')).to.match(/an index is at most/);
    expect(refusal('Tank')).to.match(/namespace index, "!" and the id/);
  });
});
