import {
  aedesBroker,
  hasMosquitto,
  layoutOf,
  mosquittoBroker,
  Peer,
  sampleWith,
  type Broker,
} from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { DataType, ErrorCode, LinkState } from '@tagway/sdk';
import type { DriverState, Subscription } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import type { Params } from '../src/topics.ts';
import { layout, runningDriver, type MqttTestNode, sampleOf, startNode, subscription } from './nodes.ts';

const route: Subscription<Params> = subscription;
const topic = '/neuron/mqtt/modbus/grp';
const values =
  '{"node":"modbus","group":"grp","timestamp":1650006388943,"values":{"tag0":12,"tag1":9223372036854775807},"errors":{},"metas":{}}';

async function connected(run: MqttTestNode): Promise<void> {
  await until('the node is connected', () => run.link === LinkState.CONNECTED);
}

const brokers: [string, boolean, () => Promise<Broker>][] = [
  ['aedes', true, () => aedesBroker()],
  [
    hasMosquitto ? 'mosquitto' : 'mosquitto (skipped: it is not installed)',
    hasMosquitto,
    () => mosquittoBroker(),
  ],
];

for (const [name, present, open] of brokers) {
  (present ? describe : describe.skip)(`publishing to ${name}`, () => {
    for (const version of name === 'aedes' ? [4] : [4, 5]) {
      for (const qos of [0, 1, 2]) {
        it(`delivers each sample once at QoS ${qos} over MQTT level ${version}`, async () => {
          await using broker = await open();
          await using peer = await Peer.connect(broker.port, '#');
          await using run = await startNode({ host: '127.0.0.1', port: broker.port, qos, version });
          run.app.subscriptionsChanged([route]);
          await connected(run);
          for (let index = 0; index < 200; index++) run.deliver(sampleOf(index), route);
          await until('all samples arrive', () => peer.received.length >= 200);
          const tag0 = peer
            .texts(topic)
            .map((text) => (JSON.parse(text) as { values: { tag0: number } }).values.tag0);
          expect(tag0).to.deep.equal(Array.from({ length: 200 }, (_, index) => index));
          expect(peer.received.every((each) => each.qos === qos && !each.retain)).to.equal(true);
          expect(run.count('send_msgs_total')).to.equal(200);
          expect(run.count('send_msg_errors_total')).to.equal(0);
          await until('nothing is cached', () => run.gauges.get('cached_msgs') === 0);
        });
      }
    }

    it('leaves the last sample to those who subscribe later, where "retain" is on', async () => {
      await using broker = await open();
      await using early = await Peer.connect(broker.port, '#');
      const params = { host: '127.0.0.1', port: broker.port };
      await using run = await startNode({ ...params, retain: true });
      await using plain = await startNode({ ...params, 'upload-topic': 'plain' });
      for (const { app } of [run, plain]) app.subscriptionsChanged([route]);
      await connected(run);
      await connected(plain);
      await early.client.publishAsync('/neuron/mqtt/read/req', '{"uuid":"1","node":"modbus","group":"grp"}');
      plain.deliver(sampleOf(12), route);
      run.deliver(sampleOf(11), route);
      run.deliver(sampleOf(12), route);
      await until('the samples arrive', () => early.texts(topic).length === 2);
      await early.first('plain');
      // Both apps answer the request.
      await until('the replies arrive', () => early.texts('/neuron/mqtt/read/resp').length === 2);
      await using late = await Peer.connect(broker.port, '#');
      expect(await late.first(topic)).to.equal(values);
      // What the broker keeps comes before anything that is published after the subscription.
      await early.client.publishAsync('mark', 'after');
      await late.first('mark');
      expect(late.received.map((each) => [each.topic, each.retain])).to.deep.equal([
        [topic, true],
        ['mark', false],
      ]);
    });

    it('sends large messages whole', async () => {
      await using broker = await open();
      await using peer = await Peer.connect(broker.port, '#');
      await using run = await startNode({ host: '127.0.0.1', port: broker.port });
      const tags = Array.from({ length: 20_000 }, (_, index) => ({
        name: `tag${index}`,
        type: DataType.INT16,
      }));
      const large = { ...route, layout: layoutOf(tags) };
      run.app.subscriptionsChanged([large]);
      await connected(run);
      for (let index = 0; index < 20; index++) {
        run.deliver(sampleWith(large.layout, new Array<number>(20_000).fill(index)), large);
      }
      await until('all samples arrive', () => peer.received.length === 20);
      const last = JSON.parse(peer.texts(topic)[19] as string) as { values: Record<string, number> };
      expect(Object.values(last.values)).to.deep.equal(Array(20_000).fill(19));
    });
  });
}

describe('payloads and topics', () => {
  async function first(
    params: Record<string, unknown>,
    given: Subscription<Params>,
    at: string,
    faults: number[] = [],
  ): Promise<string> {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    await using run = await startNode({ host: '127.0.0.1', port: broker.port, ...params });
    run.app.subscriptionsChanged([given]);
    run.deliver({ ...sampleOf(12, faults), layout: given.layout }, given);
    return await peer.first(at);
  }

  it('publishes format 0 to the default topic', async () => {
    expect(await first({}, route, topic)).to.equal(values);
  });

  it('publishes format 1, errors included', async () => {
    expect(await first({ format: 1 }, route, topic, [1, ErrorCode.DISCONNECTED])).to.equal(
      '{"node":"modbus","group":"grp","timestamp":1650006388943,"tags":[{"name":"tag0","value":12},{"name":"tag1","error":3002}]}',
    );
  });

  it('leaves errors out when they are not wanted', async () => {
    const text = await first({ upload_err: false }, route, topic, [1, ErrorCode.DISCONNECTED]);
    expect(text).to.contain('"values":{"tag0":12},"errors":{}');
  });

  it("publishes to the subscription's topic, else to the node's, else to the default one", async () => {
    expect(await first({ 'upload-topic': 'up' }, { ...route, params: { topic: 'mine' } }, 'mine')).to.equal(
      values,
    );
    expect(await first({ 'upload-topic': 'up' }, route, 'up')).to.equal(values);
    expect(await first({ 'upload-topic': '' }, route, topic)).to.equal(values);
  });

  it('replaces what a topic may not contain when it makes one from names', async () => {
    const named = { driver: 'a+b/c', group: '#1' };
    const odd = { ...route, ...named, layout: { ...layout, ...named } };
    expect(await first({}, odd, '/neuron/mqtt/a_b/c/_1')).to.contain('"node":"a+b/c","group":"#1"');
  });

  it('follows a change of subscriptions and publishes nothing for those of before', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    await using run = await startNode({ host: '127.0.0.1', port: broker.port });
    const other = { ...route, params: { topic: 'other' } };
    run.app.subscriptionsChanged([route]);
    run.app.subscriptionsChanged([other]);
    run.deliver(sampleOf(1), route);
    run.deliver(sampleOf(2), other);
    await peer.first('other');
    expect(peer.texts(topic)).to.deep.equal([]);
  });

  it('reports the states of the drivers', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    const params = { upload_drv_state: true, upload_drv_state_interval: 1, upload_drv_state_topic: 'states' };
    await using run = await startNode({ host: '127.0.0.1', port: broker.port, ...params });
    await connected(run);
    const report = JSON.parse(await peer.first('states')) as { timestamp: number; states: unknown };
    expect(report.states).to.deep.equal([{ node: 'modbus', running: 3, link: 2 }]);
    expect(report.timestamp).to.be.a('number');
  });

  it('reports no states while there is no driver', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    const drivers: DriverState[] = [];
    const params = { upload_drv_state: true, upload_drv_state_interval: 1, upload_drv_state_topic: 'states' };
    await using run = await startNode({ host: '127.0.0.1', port: broker.port, ...params }, 50, drivers);
    await connected(run);
    // Ten intervals of the run's clock.
    await new Promise((resolve) => setTimeout(resolve, 200));
    drivers.push(runningDriver);
    const report = JSON.parse(await peer.first('states')) as { states: unknown[] };
    expect(report.states).to.have.lengthOf(1);
  });
});

describe('the client id', () => {
  it('is the one of the settings, or one of its own that stays', async () => {
    await using broker = await aedesBroker();
    const ids: string[] = [];
    broker.aedes.on('client', (client) => ids.push(client.id));
    await using named = await startNode({ host: '127.0.0.1', port: broker.port, 'client-id': 'mine' });
    await connected(named);
    await using own = await startNode({ host: '127.0.0.1', port: broker.port });
    await connected(own);
    await own.stop();
    await own.app.start();
    await until('the node is connected again', () => ids.length === 3);
    await own.app.stop(AbortSignal.timeout(5000));
    expect(ids[0]).to.equal('mine');
    expect(ids[1]).to.match(/^tagway[0-9a-f]{12}$/);
    expect(ids[2]).to.equal(ids[1]);
  });
});
