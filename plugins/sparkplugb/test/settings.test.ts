import { rootCertificates } from 'node:tls';
import { problemsBy } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { ErrorCode } from '@tagway/schemas';
import { validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };
import plugin from '../src/index.ts';
import { idProblem } from '../src/names.ts';
import { checkSettings, checkSubscription } from '../src/settings.ts';
import { shows } from './assertions.ts';
import { settingsOf } from './nodes.ts';

const base = { host: '127.0.0.1', port: 1883, 'group-id': 'plant', 'node-id': 'edge' };

const problem = problemsBy(settingsOf, checkSettings, base);

describe('settings', () => {
  it('are described by a valid manifest and a schema that fits the meta-schema', () => {
    expect(validateManifest(manifest)).to.equal(undefined);
    expect(validateSettingsSchema(schema)).to.equal(undefined);
    expect([manifest.name, manifest.id]).to.deep.equal(['SparkPlugB', 'sparkplugb']);
    expect(plugin.checkSettings).to.be.a('function');
  });

  it('need broker, group and node, and have defaults for the rest', () => {
    expect(problem({})).to.equal(undefined);
    for (const name of Object.keys(base)) {
      const params = Object.fromEntries(Object.entries(base).filter(([key]) => key !== name));
      expect(() => settingsOf(params), name).to.throw(new RegExp(name));
    }
    expect(settingsOf(base)).to.include({
      version: 4,
      alias: false,
      'group-path': true,
      'report-all': false,
      'rebirth-debounce': 1000,
      ssl: false,
    });
  });

  it('take the keys of the specification and of its family', () => {
    const file = Buffer.from(rootCertificates[0] ?? '').toString('base64');
    const tls = { ssl: true, ca: file, cert: file, key: file, keypass: 'secret' };
    const login = { 'client-id': 'id', username: 'user', password: 'secret' };
    const cache = {
      'offline-cache': true,
      'cache-mem-size': 1,
      'cache-disk-size': 10,
      'cache-sync-interval': 200,
    };
    expect(problem({ ...tls, ...login, ...cache })).to.equal(undefined);
    expect(problem({ ssl: true })).to.match(/"ssl" needs "ca"/);
    expect(problem({ ssl: true, ssl_without_ca: true })).to.equal(undefined);
    expect(problem({ 'cache-mem-size': 5, 'cache-disk-size': 1 })).to.contain('cache-mem-size');
  });

  it('have ids that Sparkplug allows', () => {
    for (const name of ['group-id', 'node-id', 'primary-host-id']) {
      for (const id of ['a/b', 'a+', '#', 'a\u0000b', '\ud800'])
        expect(problem({ [name]: id }), id).to.contain(`"${name}"`);
      expect(problem({ [name]: 'Größe 压力 1-2_3' })).to.equal(undefined);
    }
    expect(problem({ 'group-id': '' })).to.match(/group-id/);
    expect(problem({ 'primary-host-id': '' })).to.equal(undefined);
    expect(problem({ 'group-id': 'STATE' })).to.contain('STATE');
    shows('valid ids of groups and edge nodes');
  });
});

describe('subscriptions', () => {
  it('are refused when the name of the driver is no id of a device', () => {
    expect(checkSubscription({ driver: 'modbus 1' })).to.equal(undefined);
    for (const driver of ['a/b', 'a+b', '#']) {
      const fault = checkSubscription({ driver });
      expect(fault?.code).to.equal(ErrorCode.GROUP_PARAM_INVALID);
      expect(fault?.message).to.contain(idProblem(driver));
    }
    shows('valid device ids');
  });
});
