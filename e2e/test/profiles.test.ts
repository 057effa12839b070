import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { type Broker, startBroker } from '../brokers.ts';
import type { Client } from '../client.ts';
import { addModbus, addMqtt, modbusSettings, readValues, registerTags } from '../configure.ts';
import type { Device } from '../devices.ts';
import { Gateway } from '../gateway.ts';
import { usePlant } from '../plant.ts';
import { Subscriber } from '../subscriber.ts';
import { until } from '../until.ts';

// What the rows of the conformance table, which hold statuses and codes, do not show.
describe('--compat family', function () {
  this.timeout(60_000);
  let device: Device;
  let gateway: Gateway;
  let client: Client;
  let broker: Broker;
  let subscriber: Subscriber;

  usePlant((plant) => void ({ device, gateway, client } = plant), {
    gateway: { args: ['--compat', 'family'] },
  });

  before(async () => {
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(2) });
    await addModbus(client, 'dark', { port: 9, tags: registerTags(1) });
    await addMqtt(client, 'north', 9);
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'plant', group: 'group' });
    await readValues(client, 'plant', 'group');
  });

  before(async () => {
    broker = await startBroker();
    subscriber = await Subscriber.connect(broker.port, 'plant/#');
  });

  after(async () => {
    await subscriber?.close();
    await broker?.stop();
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
    const state = await until('plant is connected', async () => {
      const body = await client.ok<{ link: number }>('GET', '/node/state', { node: 'plant' });
      return body.link === 1 && body;
    });
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

  it('deletes a subscribed group and its subscriptions, for good', async () => {
    await client.ok('DELETE', '/group', { node: 'plant', group: 'group' });
    for (const start of ['first', 'second']) {
      const { groups } = await client.ok<{ groups: object[] }>('GET', '/subscribe', { app: 'north' });
      expect(groups, start).to.deep.equal([]);
      const { body } = await client.call('GET', '/tags', { node: 'plant', group: 'group' });
      expect(body.error, start).to.equal(ErrorCode.GROUP_NOT_FOUND);
      await gateway.restart();
      client = await gateway.client();
    }
  });

  it('deletes tags up to the first that is not there', async () => {
    await client.ok('POST', '/tags', { node: 'plant', group: 'some', tags: registerTags(3) });
    const { status, body } = await client.call('DELETE', '/tags', {
      node: 'plant',
      group: 'some',
      tags: ['tag0', 'absent', 'tag2'],
    });
    expect([status, body.error]).to.deep.equal([404, ErrorCode.TAG_NOT_FOUND]);
    const { tags } = await client.ok<{ tags: { name: string }[] }>('GET', '/tags', {
      node: 'plant',
      group: 'some',
    });
    expect(tags.map(({ name }) => name)).to.deep.equal(['tag1', 'tag2']);
  });

  it('takes the first seven characters of the header for the scheme', async () => {
    const authorization = `Token: ${client.token}`;
    expect((await client.call('GET', '/version', undefined, { authorization })).status).to.equal(200);
    const { status, body } = await client.call('GET', '/version', undefined, {
      authorization: client.token ?? '',
    });
    expect([status, body.error]).to.deep.equal([401, ErrorCode.TOKEN_UNDECODABLE]);
  });

  it('is left by a start without it: links have three values again, and topics names', async () => {
    await gateway.restart([]);
    const specified = await gateway.client();
    await until('plant is connected', async () => {
      const state = await specified.ok<{ link: number }>('GET', '/node/state', { node: 'plant' });
      expect(state).to.include.keys('node', 'states', 'service_core');
      return state.link === 2;
    });
    await subscriber.next('plant/literal/own');
  });
});

describe('--disable-auth', function () {
  this.timeout(30_000);
  let gateway: Gateway;
  before(async () => {
    gateway = await Gateway.start({ args: ['--disable-auth'] });
  });
  after(() => gateway?.dispose());

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
