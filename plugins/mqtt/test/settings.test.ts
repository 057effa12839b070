import { rootCertificates } from 'node:tls';
import { cacheOn, diskLimit, memoryLimit } from '@tagway/mqtt-client';
import { problemsBy } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { ErrorCode, schemaRecord } from '@tagway/schemas';
import { validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import plugin from '../src/index.ts';
import manifest from '../plugin.json' with { type: 'json' };
import { checkSettings } from '../src/settings.ts';
import { topicOf } from '../src/topics.ts';
import { checkSubscription, requestTopics } from '../src/topics.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { settingsOf } from './nodes.ts';

const base = { host: '127.0.0.1', port: 1883 };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** A file with a certificate that is none of ours. */
const file = base64(rootCertificates[0] ?? '');

const problem = problemsBy(settingsOf, checkSettings, base);

describe('settings', () => {
  it('are described by a valid manifest and a schema that fits the meta-schema', () => {
    expect(validateManifest(manifest)).to.equal(undefined);
    expect(validateSettingsSchema(schema)).to.equal(undefined);
    expect(plugin.checkSettings).to.be.a('function');
  });

  it('have a host without a port', () => {
    expect(problem({ host: '127.0.0.1:1883' })).to.match(/^The setting host is "127\.0\.0\.1:1883"/);
    expect(problem({ host: 'mqtt://broker' })).to.match(/^The setting host is "mqtt:/);
    for (const host of ['broker', '::1']) expect(problem({ host })).to.equal(undefined);
  });

  it('need no more than host and port', () => {
    expect(problem({})).to.equal(undefined);
    expect(() => settingsOf({ port: 1883 })).to.throw(/host/);
    expect(settingsOf(base)).to.include({ qos: 1, version: 4, format: 0, upload_err: true, ssl: false });
  });

  it('take all keys of the specification and of its family', () => {
    const all = {
      'upload-topic': '/up',
      format: 1,
      'cache-mem-size': 1,
      'cache-disk-size': 10,
      username: 'user',
      password: 'secret',
      ssl: true,
      ca: file,
      cert: file,
      key: file,
      keypass: 'secret',
      'client-id': 'id',
      version: 5,
      qos: 2,
      upload_err: false,
      'write-req-topic': 'w/req',
      'write-resp-topic': 'w/resp',
      upload_drv_state: true,
      upload_drv_state_topic: 'states',
      upload_drv_state_interval: 10,
      'offline-cache': true,
      'cache-sync-interval': 200,
      'will-topic': 'state',
      'will-payload': 'gone',
      enable_topic: false,
    };
    expect(problem(all)).to.equal(undefined);
  });

  const refused: [string, Record<string, unknown>][] = [
    ['an empty host', { host: '' }],
    ['a port of 0', { port: 0 }],
    ['a port as text', { port: '1883' }],
    ['an unknown format', { format: 2 }],
    ['an unknown version', { version: 3 }],
    ['an unknown QoS', { qos: 3 }],
    ['an empty client id', { 'client-id': '' }],
    ['a client id of 256 characters', { 'client-id': 'x'.repeat(256) }],
    ['more memory than disk', { 'cache-mem-size': 2, 'cache-disk-size': 1 }],
    ['disk without memory', { 'cache-mem-size': 0, 'cache-disk-size': 1 }],
    ['a cache without memory', { 'offline-cache': true }],
    ['too much memory', { 'cache-mem-size': 1025, 'cache-disk-size': 2000 }],
    ['too much disk', { 'cache-mem-size': 1, 'cache-disk-size': 10_241 }],
    ['a sync interval of 5 ms', { 'cache-sync-interval': 5 }],
    ['TLS without a CA', { ssl: true }],
    ['an empty CA', { ssl: true, ca: '' }],
    ['a CA that is not base64', { ssl: true, ca: '-----BEGIN CERTIFICATE-----' }],
    ['a certificate without a key', { ssl: true, ca: file, cert: file }],
    ['an empty key', { ssl: true, ca: file, cert: file, key: '' }],
    ['an empty key password', { ssl: true, ca: file, cert: file, key: file, keypass: '' }],
    ['a word for whether requests are taken', { enable_topic: 'no' }],
    ['a wildcard in a topic', { 'write-req-topic': 'a/#' }],
    ['the same topic for requests and responses', { 'write-req-topic': 'a', 'write-resp-topic': 'a' }],
    ['a wildcard in the topic of the will', { 'will-topic': 'a/+' }],
    ['a will without a topic', { 'will-payload': 'gone' }],
    ['a state interval of 0', { upload_drv_state: true, upload_drv_state_interval: 0 }],
  ];
  for (const [name, params] of refused) {
    it(`refuse ${name}`, () => {
      expect(problem(params)).to.be.a('string');
    });
  }

  it('name what is wrong with a file that is to hold certificates', () => {
    const truncated = (rootCertificates[0] ?? '').replace(/\n.{60}/, '\n');
    const wrong: readonly (readonly [file: string, problem: RegExp])[] = [
      [base64('no certificate at all'), /^"ca" is no certificate: it must be a PEM file/],
      [base64('-----BEGIN CERTIFICATE-----'), /^"ca" is no certificate: it must be a PEM file/],
      [base64('-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----'), /^"ca" is no certificate/],
      [base64(`${rootCertificates[1]}\n${truncated}`), /^"ca" is no certificate: number 2 of the 2 in/],
    ];
    for (const [ca, expected] of wrong) expect(problem({ ssl: true, ca })).to.match(expected);
    expect(problem({ ssl: true, ca: base64(rootCertificates.slice(0, 3).join('\n')) })).to.equal(undefined);
    const cert = base64('nonsense');
    expect(problem({ ssl: true, ca: file, cert, key: cert })).to.match(/^"cert" is no certificate/);
  });

  it('do without a CA only where that is set', () => {
    expect(problem({ ssl: true })).to.match(/"ssl" needs "ca"/);
    expect(problem({ ssl: true, ssl_without_ca: true })).to.equal(undefined);
  });

  it('name the settings of a cache that is on and has no room', () => {
    const cache = { 'offline-cache': true, 'cache-mem-size': 0, 'cache-disk-size': 0 };
    expect(problem(cache)).to.match(/"offline-cache" is on, but "cache-mem-size" is 0: set it to/);
  });

  it('use certificates only when TLS is on', () => {
    expect(problem({ ssl: false, ca: '', cert: 'x' })).to.equal(undefined);
  });

  it('turn the cache on by its switch, or by a memory size', () => {
    const cache = { 'cache-mem-size': 3, 'cache-disk-size': 3 };
    expect(cacheOn(settingsOf({ ...base, ...cache }))).to.equal(true);
    expect(memoryLimit(settingsOf({ ...base, ...cache }))).to.equal(3_000_000);
    expect(diskLimit(settingsOf({ ...base, ...cache }))).to.equal(3_000_000);
    expect(diskLimit(settingsOf({ ...base, ...cache, 'offline-cache': false }))).to.equal(0);
    expect(cacheOn(settingsOf({ ...base, ...cache, 'offline-cache': false }))).to.equal(false);
    expect(cacheOn(settingsOf(base))).to.equal(false);
  });

  it('are shown with their types, conditions and whether they are required', () => {
    const record = schemaRecord({ settingsSchema: schema, groupInterval: 1000, addresses: [] });
    expect(record['host']).to.include({ attribute: 'required', type: 'string' });
    expect(record['ca']).to.deep.include({ type: 'file', condition: { field: 'ssl', value: true } });
    expect(record['format']).to.deep.include({ type: 'map', default: 0 });
    expect(record['cache-mem-size']).to.deep.include({ condition: { field: 'offline-cache', value: true } });
  });
});

describe('parameters of a subscription', () => {
  it('have places for names in the topic, and no other braces', () => {
    expect(checkSubscription({ params: { topic: 'a/{app}/{driver}/{group}' } })).to.equal(undefined);
    expect(topicOf('a/{app}/{driver}/{group}', 'north+', 'plant', 'fa#st')).to.equal('a/north_/plant/fa_st');
    for (const topic of ['a/{unit}', 'a/{app', 'a}', '{}'])
      expect(checkSubscription({ params: { topic } }), topic).to.include({
        code: ErrorCode.GROUP_PARAM_INVALID,
      });
  });

  it('may be absent, else name a topic', () => {
    expect(checkSubscription({})).to.equal(undefined);
    expect(checkSubscription({ params: { topic: 'a/b' } })).to.equal(undefined);
    const code = ErrorCode.GROUP_PARAM_INVALID;
    for (const params of [
      {},
      { topic: '' },
      { topic: 'a/+' },
      { topic: '#' },
      { topic: 'a\u0000' },
      { topic: 5 },
    ]) {
      expect(checkSubscription({ params: params as never }), JSON.stringify(params)).to.include({ code });
    }
    expect(checkSubscription({ params: { topic: 'ü'.repeat(32_768) } })).to.include({ code });
  });
});

describe('topics of requests', () => {
  it('come in both forms unless the settings name them', () => {
    expect([...requestTopics('app')].map(([topic, { kind, reply }]) => [topic, kind, reply])).to.deep.equal([
      ['/neuron/app/read/req', 'read', '/neuron/app/read/resp'],
      ['/neuron/app/write/req', 'write', '/neuron/app/write/resp'],
      ['neuron/app/read/req', 'read', 'neuron/app/read/resp'],
      ['neuron/app/write/req', 'write', 'neuron/app/write/resp'],
    ]);
    const named = requestTopics('app', 'in', 'out');
    expect(named.get('in')).to.deep.equal({ kind: 'write', reply: 'out' });
    expect([...named.keys()]).to.deep.equal(['/neuron/app/read/req', 'neuron/app/read/req', 'in']);
  });
});
