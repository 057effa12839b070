import { LinkState } from '@tagway/schemas';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';
import { expect } from 'chai';
import { FastDevice } from '../bench/fast-device.ts';
import { connected, modbusSettings, stateOf } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { sleep, until } from '../kit/until.ts';
import { addGroups } from '../world/outage-plant.ts';
import { usePlantOf } from '../world/plant.ts';

const groups = 2;
const tagsPerGroup = 1000;
const interval = 100;

/** Milliseconds of the outage; with `OUTAGE=600` seconds it is ten minutes. */
const outage = Number(process.env['OUTAGE'] ?? 4) * 1000;

/** What the README promises to a gateway that is killed, and what a busy machine may add. */
const mayLose = 1500;

async function start(stack: AsyncDisposableStack) {
  const device = stack.adopt(await FastDevice.start({ changing: groups * tagsPerGroup }), (it) => it.stop());
  const server = stack.use(await PostgresServer.start());
  const gateway = stack.adopt(await Gateway.start(), (it) => it.dispose());
  return { device, server, gateway, client: await gateway.client() };
}

(hasPostgres ? describe : describe.skip)(`a database that is away: ${postgres}`, function () {
  this.timeout(240_000 + 3 * outage);
  const plant = usePlantOf(start, ['device', 'server', 'gateway', 'client']);
  const { device, server, gateway } = plant;
  const params = (): object => ({
    host: '127.0.0.1',
    port: server.port,
    database: 'plant',
    user: 'postgres',
    timeout: 5000,
  });
  const newest = (): Promise<number> =>
    server.count('SELECT extract(epoch FROM max(time)) * 1000 FROM tag_values').catch(() => 0);

  before(async () => {
    const { client } = plant;
    await addGroups(client, 'plant', { groups, tagsPerGroup, interval });
    await client.ok('POST', '/node', { name: 'history', plugin: 'PostgreSQL', params: params() });
    for (let group = 0; group < groups; group++)
      await client.ok('POST', '/subscribe', { app: 'history', driver: 'plant', group: `group ${group}` });
    await client.ok('POST', '/node/setting', { node: 'plant', params: modbusSettings(device.port) });
    await connected(client, 'plant');
    await until('it is written to', async () => (await newest()) > 0);
  });

  it('gets everything that was sampled meanwhile, once, over a kill of the gateway', async () => {
    await server.kill('SIGKILL');
    await until(
      'it is seen to be away',
      async () => (await stateOf(plant.client, 'history')).link === LinkState.DISCONNECTED,
    );
    await sleep(outage / 2);
    await gateway.kill();
    const killed = Date.now();
    await gateway.start();
    await plant.renew();
    await connected(plant.client, 'plant');
    await sleep(outage / 2);
    const end = Date.now();
    await server.resume();
    await until('it has the present', async () => (await newest()) > end, { within: 60_000 + outage });
    for (let group = 0; group < groups; group++) {
      const rows = await server.sql(
        `SELECT extract(epoch FROM time) * 1000, count(*), count(DISTINCT tag) FROM tag_values
         WHERE "group" = 'group ${group}' AND time < to_timestamp(${end / 1000}) GROUP BY time ORDER BY time`,
      );
      const times = rows.map(([time]) => Number(time));
      expect(new Set(rows.map(([, all, tags]) => `${all} of ${tags} tags`))).to.deep.equal(
        new Set([`${tagsPerGroup} of ${tagsPerGroup} tags`]),
      );
      const gaps = times
        .slice(1)
        .map((time, index) => ({ from: times[index]!, to: time }))
        .filter(({ from, to }) => to - from > 5 * interval);
      // Only the kill leaves a gap: what was read in the last second before it, and nothing was read until the gateway was back.
      const before = gaps.filter(({ to }) => to < killed - mayLose);
      expect(before, JSON.stringify(gaps)).to.deep.equal([]);
      expect(gaps.length, JSON.stringify(gaps)).to.be.at.most(2);
    }
  });

  it('is tried before a node is saved, step by step, and shows what it would be sent', async () => {
    const { client } = plant;
    const steps = async (more: object): Promise<string[]> => {
      const reply = await client.ok('POST', '/node/test', {
        plugin: 'PostgreSQL',
        params: { ...params(), ...more },
      });
      return (reply as { steps: { step: string; ok: boolean }[] }).steps.map(
        ({ step, ok }) => `${step} ${ok}`,
      );
    };
    expect(await steps({})).to.deep.equal(['connect true', 'login true', 'rights true', 'write true']);
    expect(await steps({ database: 'nowhere' })).to.deep.equal(['connect true', 'login false']);
    const reply = await client.ok('POST', '/subscribe/preview', {
      app: 'history',
      driver: 'plant',
      group: 'group 0',
    });
    const [{ topic, payload }] = (reply as { messages: [{ topic: string; payload: string }] }).messages;
    expect(topic).to.equal('"public"."tag_values"');
    expect(JSON.parse(payload.split('\n')[0]!)).to.include({ node: 'plant', group: 'group 0', quality: 0 });
  });
});
