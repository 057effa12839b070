import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupsOf, subscriptionsOf, tagsOf } from '../kit/configuration.ts';
import { addModbus, addMqtt, modbusSettings, readGroup, readValues, registerTags } from '../kit/configure.ts';
import type { Gateway } from '../kit/gateway.ts';
import { useGateway, useNorthPlant } from '../world/plant.ts';
import { until } from '../kit/until.ts';

/** Of a schema: what else holds of a setting. */
type Schema = Record<string, { valid?: { regex?: string } }>;

// What the rows of the conformance table, which hold statuses and codes, do not show.
describe('--compat family', function () {
  this.timeout(60_000);
  const { device, gateway, client, broker, subscriber } = useNorthPlant({
    gateway: { args: ['--compat', 'family'] },
  });

  before(async () => {
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(2) });
    await addModbus(client, 'dark', { port: 9, tags: registerTags(1) });
    await addMqtt(client, 'north', 9);
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'plant', group: 'group' });
    await readValues(client, 'plant', 'group');
  });

  it('publishes to topics with braces as they are written, unless the settings say otherwise', async () => {
    await client.ok('POST', '/group', { node: 'plant', name: 'own', interval: 100 });
    await client.ok('POST', '/tags', { node: 'plant', group: 'own', tags: registerTags(1) });
    await addMqtt(client, 'literal', broker.port);
    await addMqtt(client, 'named', broker.port, { expand_topics: true });
    const route = { driver: 'plant', group: 'own', params: { topic: 'plant/{app}/{group}' } };
    for (const app of ['literal', 'named']) await client.ok('POST', '/subscribe', { app, ...route });
    await subscriber.next('plant/{app}/{group}');
    await subscriber.next('plant/named/own');
    expect(subscriber.messages.map(({ topic }) => topic)).not.to.include('plant/literal/own');
    const { params } = await client.ok<{ params: object }>('GET', '/node/setting', { node: 'literal' });
    expect(params).not.to.have.property('expand_topics');
  });

  it('shows the state of one node flat, and a link that is up as 1', async () => {
    const all = await until('plant is connected', async () => {
      const body = await client.ok<{ link: number; missed_ticks?: number; slow_groups?: unknown }>(
        'GET',
        '/node/state',
        {
          node: 'plant',
        },
      );
      return body.link === 1 && body;
    });
    // A busy machine may have missed some.
    const { missed_ticks: _, slow_groups: _slow, ...state } = all;
    expect(state).to.have.all.keys('running', 'link', 'rtt', 'log_level', 'neuron_core');
    expect(state).to.include({ running: 3, log_level: 'notice', neuron_core: 'notice' });
    const north = await client.ok('GET', '/node/state', { node: 'north' });
    expect(north).to.include({ link: 0, sub_group_count: 1 });
  });

  it('shows all states as a list, with no link other than 0 and 1', async () => {
    const body = await client.ok<{ states: { node: string; link: number }[]; neuron_core: string }>(
      'GET',
      '/node/state',
    );
    expect(body).to.have.all.keys('states', 'neuron_core');
    expect(Object.fromEntries(body.states.map(({ node, link }) => [node, link]))).to.deep.equal({
      plant: 1,
      dark: 0,
      literal: 1,
      named: 1,
      north: 0,
    });
  });

  it('makes groups of 100 ms for tags that name none that is there', async () => {
    await client.ok('POST', '/tags', { node: 'dark', group: 'made', tags: registerTags(1) });
    expect(await groupsOf(client, 'dark', 'made')).to.deep.equal([
      { name: 'made', interval: 100, tag_count: 1 },
    ]);
  });

  it('shows patterns of settings between slashes, and those of addresses bare', async () => {
    const schema = await client.ok<Schema>('GET', '/schema', { schema_name: 'modbus-rtu' });
    const patterns = Object.values(schema).flatMap(({ valid }) => valid?.regex ?? []);
    expect(patterns).not.to.be.empty;
    for (const pattern of patterns) expect(pattern).to.match(/^\/\^.*\$\/$/);
    const { tag_regex: addresses } = schema as never as { tag_regex: { regex: string }[] };
    for (const { regex } of addresses) expect(regex).to.match(/^\^/);
  });

  it('connects over TLS without "ca", which the specification refuses', async () => {
    const params = { host: '127.0.0.1', port: 9, ssl: true };
    await client.ok('POST', '/node', { name: 'trusting', plugin: 'MQTT', params });
    const query = { node: 'trusting' };
    const { params: shown } = await client.ok<{ params: object }>('GET', '/node/setting', query);
    expect(shown).to.deep.equal(params);
    await until('the log warns', async () => (await logged(gateway, 'over TLS without "ca"')).length > 0);
    expect(await logged(gateway, 'over TLS without "ca"')).to.have.lengthOf(1);
    await client.ok('DELETE', '/node', { name: 'trusting' });
  });

  it('says for which machine a license is made out', async () => {
    const { token } = await client.ok<{ token: string }>('GET', '/hwtoken');
    const { body } = await client.call<{ hardware_token: string }>('GET', '/license');
    expect(token).to.be.a('string').and.equal(body.hardware_token);
    expect(token).not.to.equal('');
  });

  it('rounds a value to the step of its tag, and lets a tag with a bias be written', async () => {
    const tag = { name: 'stepped', address: '1!400050', type: 3, attribute: 3, decimal: 0.5, bias: 10 };
    await client.ok('POST', '/tags', { node: 'plant', group: 'stepped', tags: [tag] });
    await readValues(client, 'plant', 'stepped');
    await client.ok('POST', '/write', { node: 'plant', group: 'stepped', tag: 'stepped', value: 12.2 });
    expect((await readGroup(client, 'plant', 'stepped', true)).get('stepped')?.value).to.equal(12);
  });

  it('deletes a subscribed group and its subscriptions, for good', async () => {
    await client.ok('DELETE', '/group', { node: 'plant', group: 'group' });
    for (const start of ['first', 'second']) {
      expect(await subscriptionsOf(client, 'north'), start).to.deep.equal([]);
      const error = await client.errorOf('GET', '/tags', { node: 'plant', group: 'group' });
      expect(error, start).to.equal(ErrorCode.GROUP_NOT_FOUND);
      await gateway.restart();
    }
  });

  it('deletes tags up to the first that is not there', async () => {
    await client.ok('POST', '/tags', { node: 'plant', group: 'some', tags: registerTags(3) });
    const data = { node: 'plant', group: 'some', tags: ['tag0', 'absent', 'tag2'] };
    const { status, body } = await client.call('DELETE', '/tags', data);
    expect([status, body.error]).to.deep.equal([404, ErrorCode.TAG_NOT_FOUND]);
    const tags = await tagsOf(client, 'plant', 'some');
    expect(tags.map(({ name }) => name)).to.deep.equal(['tag1', 'tag2']);
  });

  it('takes the first seven characters of the header for the scheme', async () => {
    const answerTo = (authorization: string) => client.call('GET', '/version', undefined, { authorization });
    expect((await answerTo(`Token: ${client.token}`)).status).to.equal(200);
    const { status, body } = await answerTo(client.token ?? '');
    expect([status, body.error]).to.deep.equal([401, ErrorCode.TOKEN_UNDECODABLE]);
  });

  it('is left by a start without it: links have three values again, and topics names', async () => {
    await gateway.restart([]);
    await until('plant is connected', async () => {
      const state = await client.ok<{ link: number }>('GET', '/node/state', { node: 'plant' });
      expect(state).to.include.keys('node', 'states', 'service_core');
      return state.link === 2;
    });
    await subscriber.next('plant/literal/own');
    const params = { host: '127.0.0.1', port: 9, ssl: true };
    const refused = await client.call('POST', '/node', { name: 'strict', plugin: 'MQTT', params });
    expect([refused.status, refused.body.error]).to.deep.equal([400, ErrorCode.NODE_SETTING_INVALID]);
    expect(refused.text).to.include('\\"ssl\\" needs \\"ca\\"');
    await client.ok('POST', '/tags', { node: 'dark', group: 'slow', tags: registerTags(1) });
    expect(await groupsOf(client, 'dark', 'slow')).to.deep.equal([
      { name: 'slow', interval: 1000, tag_count: 1 },
    ]);
    const schema = await client.ok<Schema>('GET', '/schema', { schema_name: 'modbus-rtu' });
    for (const { valid } of Object.values(schema)) expect(valid?.regex ?? '^').to.match(/^\^/);
  });
});

/** The lines of the log that contain a text. */
async function logged(gateway: Gateway, text: string): Promise<string[]> {
  const folder = join(gateway.data, 'logs');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return contents.flatMap((content) => content.split('\n')).filter((line) => line.includes(text));
}

describe('--disable-auth', function () {
  this.timeout(30_000);
  const { gateway } = useGateway({ args: ['--disable-auth'] });

  it('asks for no token, and answers a login with an empty one whatever its body is', async () => {
    const client = gateway.anonymous();
    for (const data of [{ name: 'nobody', pass: 'x' }, '{', undefined]) {
      const { status, body } = await client.call('POST', '/login', data);
      expect({ status, body }).to.deep.equal({ status: 200, body: { token: '' } });
    }
    await client.ok('POST', '/node', { name: 'plant', plugin: 'Modbus TCP', params: modbusSettings(9) });
    for (const authorization of [null, 'Bearer nonsense', 'Bearer ']) {
      expect((await client.call('GET', '/version', undefined, { authorization })).status).to.equal(200);
    }
  });
});
