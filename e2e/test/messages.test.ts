import { Attribute, type AuditReply, ErrorCode, LinkState, type TraceReply } from '@tagway/schemas';
import { hasPostgres, PostgresServer } from '@tagway/testkit/postgres-server';
import { expect } from 'chai';
import { addMqtt, addModbus, addSparkplug, connected, registerTags, stateOf } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { sleep, until } from '../kit/until.ts';
import { Collector } from '../world/collector.ts';
import { useNorthPlant } from '../world/plant.ts';

type Message = TraceReply['frames'][number];

describe('The messages of an app', function () {
  this.timeout(60_000);
  const plant = useNorthPlant();
  const { client, gateway, device, broker, subscriber } = plant;
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());

  const trace = (node: string): Promise<TraceReply> => client.ok('GET', '/node/trace', { node });
  const begin = (node: string, more: object = {}): Promise<unknown> =>
    client.ok('POST', '/node/trace', { node, ...more });
  const end = (node: string): Promise<unknown> => client.ok('DELETE', '/node/trace', { node });
  const subscribe = (app: string, group: string): Promise<unknown> =>
    client.ok('POST', '/subscribe', { app, driver: 'boiler', group });

  /** Waits until there is such a message. */
  const shown = (node: string, what: string, is: (message: Message) => boolean): Promise<TraceReply> =>
    until(`${node} shows ${what}`, async () => {
      const found = await trace(node);
      return found.frames.some(is) ? found : undefined;
    });
  const contentOf = ({ hex }: Message): string => Buffer.from(hex, 'hex').toString();
  const countOf = ({ subscriptions = [] }: TraceReply, group: string) =>
    subscriptions.find((one) => one.group === group);

  before(async () => {
    await addModbus(client, 'boiler', {
      port: device.port,
      group: 'fast',
      tags: registerTags(2, Attribute.READ | Attribute.WRITE),
    });
    await client.ok('POST', '/group', { node: 'boiler', name: 'slow', interval: 250 });
    await client.ok('POST', '/tags', { node: 'boiler', group: 'slow', tags: registerTags(1) });
    await connected(client, 'boiler');
    await addMqtt(client, 'uplink', broker.port, {
      'upload-topic': 'plant/{driver}/{group}',
      expand_topics: true,
    });
    for (const group of ['fast', 'slow']) await subscribe('uplink', group);
    await connected(client, 'uplink');
  });

  it('are shown with topic and content, counted by subscription, over restarts of the node and of its process', async () => {
    await begin('uplink');
    const first = await shown('uplink', 'both groups', ({ group }) => group === 'slow');
    const message = first.frames.find(({ topic }) => topic === 'plant/boiler/fast')!;
    expect(message).to.include({
      direction: 'sent',
      driver: 'boiler',
      group: 'fast',
      peer: `127.0.0.1:${broker.port}`,
    });
    expect(message).not.to.have.property('failure');
    expect(subscriber.messages.map(({ text }) => text)).to.include(contentOf(message));
    expect(message.text).to.equal(contentOf(message));
    await client.ok('POST', '/node/ctl', { node: 'uplink', cmd: 1 });
    await client.ok('POST', '/node/ctl', { node: 'uplink', cmd: 0 });
    const second = await shown('uplink', 'the next run', ({ connection }) => connection > 1);
    process.kill((await gateway.runner('mqtt')).pid, 'SIGKILL');
    await shown(
      'uplink',
      'the next process',
      ({ connection }) => connection > Math.max(...second.frames.map((one) => one.connection)),
    );
    await end('uplink');
    const { frames, subscriptions, total } = await trace('uplink');
    for (const group of ['fast', 'slow']) {
      const own = frames.filter((one) => one.group === group);
      const count = subscriptions?.find((one) => one.group === group);
      expect(count?.messages).to.equal(own.filter(({ failure }) => failure === undefined).length);
      expect(count?.bytes).to.equal(
        own.reduce((sum, { size, failure }) => sum + (failure === undefined ? size : 0), 0),
      );
    }
    const later = await trace('uplink');
    expect(later.total, 'none comes after the end').to.equal(total);
  });

  it('are those of one group if that is asked for', async () => {
    await begin('uplink', { driver: 'boiler', group: 'slow' });
    const { frames } = await until('there are three', async () => {
      const found = await trace('uplink');
      return found.total >= 3 ? found : undefined;
    });
    expect(new Set(frames.map(({ topic }) => topic))).to.deep.equal(new Set(['plant/boiler/slow']));
    await end('uplink');
    for (const [wish, code] of [
      [{ driver: 'boiler', group: 'gone' }, ErrorCode.GROUP_NOT_FOUND],
      [{ driver: 'gone', group: 'slow' }, ErrorCode.NODE_NOT_FOUND],
      [{ group: 'slow' }, ErrorCode.PARAM_INVALID],
      [{ unit: '1' }, ErrorCode.PARAM_INVALID],
    ] as const)
      expect(await client.errorOf('POST', '/node/trace', { node: 'uplink', ...wish })).to.equal(code);
    expect(
      await client.errorOf('POST', '/node/trace', { node: 'boiler', driver: 'boiler', group: 'slow' }),
    ).to.equal(ErrorCode.PARAM_INVALID);
  });

  it('have what a broker sends to the app, and its answer', async () => {
    await begin('uplink');
    const request = { uuid: 'u1', node: 'boiler', group: 'fast', tag: 'tag0', value: 77 };
    await subscriber.publish('/neuron/uplink/write/req', JSON.stringify(request));
    const { frames } = await shown(
      'uplink',
      'the answer',
      ({ topic }) => topic === '/neuron/uplink/write/resp',
    );
    const received = frames.find(({ direction }) => direction === 'received');
    expect(received?.topic).to.equal('/neuron/uplink/write/req');
    expect(JSON.parse(contentOf(received!))).to.deep.equal(request);
    await end('uplink');
  });

  it('of Sparkplug B are explained: births, and data by names though they have aliases', async () => {
    await addSparkplug(client, 'edge', broker.port, { alias: true });
    await subscribe('edge', 'fast');
    await connected(client, 'edge');
    await begin('edge');
    await client.ok('POST', '/node/ctl', { node: 'edge', cmd: 1 });
    await client.ok('POST', '/node/ctl', { node: 'edge', cmd: 0 });
    const { frames } = await shown(
      'edge',
      'data',
      ({ topic }) => topic === 'spBv1.0/plant/DDATA/edge/boiler',
    );
    const textOf = (part: string) => frames.find(({ topic }) => topic?.includes(part) === true)?.text;
    expect(textOf('NBIRTH')).to.match(/^bdSeq = \d+, Node Control\/Rebirth = false$/);
    expect(textOf('DBIRTH')).to.match(/^fast\/tag0 = -?\d+, fast\/tag1 = -?\d+$/);
    expect(textOf('DDATA')).to.match(/^fast\/tag[01] = -?\d+(, fast\/tag[01] = -?\d+)*$/);
    const data = frames.find(({ topic }) => topic?.includes('DDATA') === true);
    expect(data).to.include({ driver: 'boiler', group: 'fast' });
    await end('edge');
  });

  it('of a store say why it does not take them, and that it has taken them when it has', async () => {
    const collector = stack.adopt(await Collector.start(), (it) => it.stop());
    const url = `http://127.0.0.1:${collector.port}/samples`;
    await client.ok('POST', '/node', { name: 'hook', plugin: 'HTTP', params: { url, 'batch-age': 0 } });
    await subscribe('hook', 'slow');
    await connected(client, 'hook');
    collector.status = 503;
    await begin('hook');
    const failing = await shown('hook', 'a failure', ({ failure }) => failure !== undefined);
    const failed = failing.frames.find(({ failure }) => failure !== undefined)!;
    expect(failed).to.include({ topic: `POST ${url}`, driver: 'boiler', group: 'slow' });
    expect(failed.failure).to.match(/503/);
    expect(countOf(failing, 'slow')?.failure?.text).to.equal(failed.failure);
    collector.status = 204;
    const sent = contentOf(failed);
    await shown(
      'hook',
      'the same message taken',
      (one) => one.failure === undefined && contentOf(one) === sent,
    );
    expect(collector.posted.some(({ body }) => body.includes(sent))).to.equal(true);
    await end('hook');
    const url2 = `${gateway.url}/api/v2/node/trace/text?node=hook`;
    const reply = await fetch(url2, { headers: { Authorization: `Bearer ${client.token ?? ''}` } });
    expect(reply.headers.get('content-disposition')).to.match(/messages\.txt/);
    const text = await reply.text();
    expect(text).to.match(/POST http.*boiler\/slow.*FAILED: .*503/);
    expect(text).to.include(`    ${sent}`);
    expect(await client.errorOf('GET', '/node/trace/pcapng', { node: 'hook' })).to.equal(
      ErrorCode.TRACE_UNSUPPORTED,
    );
  });

  (hasPostgres ? it : it.skip)(
    `of a database are its rows${hasPostgres ? '' : ' (skipped: PostgreSQL is not installed)'}`,
    async () => {
      const server = stack.use(await PostgresServer.start());
      const params = {
        host: '127.0.0.1',
        port: server.port,
        database: 'plant',
        user: 'postgres',
        'batch-age': 0,
      };
      await client.ok('POST', '/node', { name: 'history', plugin: 'PostgreSQL', params });
      await subscribe('history', 'slow');
      await connected(client, 'history');
      await begin('history');
      const { frames } = await shown('history', 'rows', ({ group }) => group === 'slow');
      const message = frames.find(({ group }) => group === 'slow')!;
      expect(message.topic).to.equal('"public"."tag_values"');
      const row = JSON.parse(contentOf(message)) as { time: string; tag: string; value: number };
      expect(row).to.include({ tag: 'tag0' });
      expect(
        await server.count(
          `SELECT count(*) FROM tag_values WHERE time = '${row.time}' AND int_value = ${row.value}`,
        ),
      ).to.be.greaterThan(0);
      await end('history');
    },
  );

  it('fail with a reason when the connection ends before the broker has them', async () => {
    await addMqtt(client, 'sure', broker.port, { qos: 1 });
    await subscribe('sure', 'fast');
    await connected(client, 'sure');
    await begin('sure');
    await shown('sure', 'data', ({ group }) => group === 'fast');
    process.kill(broker.pid, 'SIGSTOP');
    try {
      // Some readings of the group are sent and not confirmed.
      await sleep(500);
      await client.ok('POST', '/node/ctl', { node: 'sure', cmd: 1 });
      const reply = await trace('sure');
      expect(countOf(reply, 'fast')?.failure?.text).to.equal(
        'The connection ended before the broker confirmed it: it is sent again.',
      );
    } finally {
      process.kill(broker.pid, 'SIGCONT');
    }
  });

  it('are gone with the gateway, and can be shown again after it has started', async () => {
    await begin('uplink');
    await shown('uplink', 'one', () => true);
    await gateway.restart();
    expect(await client.errorOf('GET', '/node/trace', { node: 'uplink' })).to.equal(ErrorCode.FILE_NOT_FOUND);
    await until(
      'it is connected',
      async () => (await stateOf(client, 'uplink')).link === LinkState.CONNECTED,
    );
    await begin('uplink', { seconds: 1 });
    await until('its time is over', async () => (await trace('uplink')).end === 'time');
    expect(countOf(await trace('uplink'), 'fast')?.messages).to.be.greaterThan(0);
  });

  it('are not there of an app that serves clients by a library, nor for operators, and the audit says who looked', async () => {
    const params = { port: await freePort() };
    await client.ok('POST', '/node', { name: 'server', plugin: 'OPC UA Server', params });
    await connected(client, 'server');
    const { status, body } = await client.call('POST', '/node/trace', { node: 'server' });
    expect({ status, ...body }).to.include({
      status: 400,
      error: ErrorCode.TRACE_UNSUPPORTED,
      message: 'This app has no messages to show: it speaks to the other side through a library of its own.',
    });
    await client.ok('POST', '/users', { name: 'otto', password: 'operates', role: 'operator' });
    const otto = await (await gateway.client()).login('otto', 'operates');
    expect(await otto.errorOf('POST', '/node/trace', { node: 'uplink' })).to.equal(
      ErrorCode.USER_NOT_PERMITTED,
    );
    otto.close();
    const { entries } = await client.ok<AuditReply>('GET', '/audit', { node: 'uplink' });
    expect(entries.map(({ text }) => text)).to.include(
      'began to trace the messages of the node "uplink" with values of "boiler/slow"',
    );
  });
});
