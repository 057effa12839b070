import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, addMqtt, registerTags } from '../kit/configure.ts';
import { configurationOf } from '../kit/configuration.ts';
import { freePort } from '../kit/free-port.ts';
import { useGateway } from '../world/plant.ts';

describe('a restart', function () {
  this.timeout(60_000);
  const { gateway, client } = useGateway();
  let port: number;

  before(async () => {
    port = await freePort(); // Nobody listens there: the configuration does not need a device.
    await addModbus(client, 'running', {
      port,
      group: 'first',
      interval: 1000,
      tags: [
        ...registerTags(300),
        {
          name: 'full',
          address: '1!400500',
          attribute: Attribute.READ | Attribute.WRITE,
          type: DataType.FLOAT,
          precision: 3,
          decimal: 0.5,
          bias: -2.25,
          deadband: '2.5%',
          unit: '°C',
          low: -40,
          high: 125.5,
          description: 'Every member is set. 每一项。',
        },
        {
          name: 'fixed',
          address: '',
          attribute: Attribute.STATIC | Attribute.WRITE,
          type: DataType.STRING,
          value: 'old',
        },
        {
          name: 'wide',
          address: '',
          attribute: Attribute.STATIC,
          type: DataType.INT64,
          value: -9007199254740993n,
        },
      ],
    });
    const pace = { report: 'change', min_interval: 500, max_interval: 60_000 };
    await client.ok('POST', '/group', { name: 'second', node: 'running', interval: 100, ...pace });
    await addModbus(client, 'stopped', { port, group: 'only', interval: 4294967295, tags: registerTags(1) });
    await client.ok('POST', '/node/ctl', { node: 'stopped', cmd: 1 });
    await client.ok('POST', '/node', { name: 'unset', plugin: 'Modbus TCP' });
    await client.ok('POST', '/node', { name: 'old name', plugin: 'Modbus TCP' });
    await client.ok('PUT', '/node', { name: 'old name', new_name: 'new name' });
    await addMqtt(client, 'north', port, { 'client-id': 'fixed', username: 'user', password: 'secret' });
    await client.ok('POST', '/node', { name: 'bare app', plugin: 'MQTT' });
    await client.ok('POST', '/subscribe', {
      app: 'north',
      driver: 'running',
      group: 'second',
      params: { topic: 'a' },
    });
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'running', group: 'first' });
    await client.ok('POST', '/subscribe', {
      app: 'bare app',
      driver: 'stopped',
      group: 'only',
      params: { topic: 'b/c' },
    });
    await client.ok('POST', '/write', { node: 'running', group: 'first', tag: 'fixed', value: 'written' });
    await client.ok('POST', '/password', { name: 'admin', old_pass: '0000', new_pass: 'changed' });
  });

  for (const [how, restart] of [
    ['after SIGTERM', () => gateway.restart()],
    ['after SIGKILL', () => gateway.kill().then(() => gateway.start())],
  ] as const) {
    it(`keeps nodes, states, settings, groups, tags and subscriptions ${how}`, async () => {
      const anonymous = gateway.anonymous();
      const kept = await configurationOf(await anonymous.login('admin', 'changed'));
      const running = [...kept.drivers, ...kept.apps].map((node) => [node.name, node.running]);
      expect(running).to.deep.equal([
        ['running', 3],
        ['stopped', 4],
        ['unset', 1],
        ['new name', 1],
        ['north', 3],
        ['bare app', 1],
      ]);
      const [first, second] = kept.drivers[0]?.groups ?? [];
      expect(second).to.include({ report: 'change', min_interval: 500, max_interval: 60_000 });
      const tags = first?.tags ?? [];
      expect(tags.find(({ name }) => name === 'fixed')?.value).to.equal('written');
      await restart();
      expect(await configurationOf(await gateway.anonymous().login('admin', 'changed'))).to.deep.equal(kept);
    });
  }

  it('keeps the key pair, hence the tokens', async () => {
    const before = await gateway.anonymous().login('admin', 'changed');
    const { token } = before;
    await gateway.restart();
    const reply = await gateway
      .anonymous()
      .call('GET', '/version', undefined, { authorization: `Bearer ${token}` });
    expect(reply.status).to.equal(200);
  });

  it('does not keep values: tags are not ready, or without connection, until the next reading', async () => {
    const { tags } = await (
      await gateway.anonymous().login('admin', 'changed')
    ).ok<{ tags: { name: string; error?: number }[] }>('POST', '/read', {
      node: 'running',
      group: 'first',
      query: { name: 'tag' },
    });
    expect(tags).to.have.length(300);
    for (const { error } of tags) expect([ErrorCode.DISCONNECTED, ErrorCode.NOT_READY]).to.include(error);
  });
});
