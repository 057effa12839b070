import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { sourceOf, waitForSource } from '../kit/config-source.ts';
import { useFolder } from '../kit/folder.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { sleep, until } from '../kit/until.ts';
import { missingForGit, ServedRepository } from '../world/git-server.ts';

const without = missingForGit.length === 0 ? '' : ` (skipped: ${missingForGit.join(', ')} are not installed)`;

const driver = (interval: number): string =>
  `plugin: Modbus TCP\nsettings: { connection_mode: 0, transport_mode: 0, host: { var: host }, port: 1, timeout: 1000, interval: 0 }\ngroups:\n${Array.from({ length: 20 }, (_, at) => `  - { name: g${at}, interval: ${interval} }\n`).join('')}`;
const table = `group,name,address,type\n${Array.from({ length: 4000 }, (_, at) => `g${at % 20},t${at},1!4${String(at + 1).padStart(5, '0')},INT16\n`).join('')}`;

interface Side {
  readonly gateway: Gateway;
  client: Client;
}

(hasEtcd && without === '' ? describe : describe.skip)(
  `a pair that follows a repository${etcdSkipped}${without}`,
  function () {
    this.timeout(300_000);
    const stack = new AsyncDisposableStack();
    after(() => stack.disposeAsync());
    const folder = useFolder('config-pair');
    const secret = 'open-sesame-open-sesame';
    let repository: ServedRepository;
    let active: Side;
    let standby: Side;

    /** The interval of all groups, which is one at each moment. */
    const intervalAt = async ({ client }: Side): Promise<number | undefined> => {
      const { groups } = await client.ok<{ groups: { interval: number }[] }>('GET', '/group', {
        node: 'many',
      });
      const intervals = new Set(groups.map(({ interval }) => interval));
      expect([...intervals]).to.have.length(1);
      return [...intervals][0];
    };
    const roleOf = async ({ client }: Side): Promise<string | undefined> =>
      (await client.ok<{ pair?: { role: string } }>('GET', '/status')).pair?.role;
    const has = (side: Side, commit: string): Promise<object> =>
      waitForSource(
        side.client,
        `it has ${commit}`,
        (source) => source.commit === commit && source.problem === null,
      );
    const commit = (interval: number): Promise<string> =>
      repository.commit(`every ${interval} ms`, { 'drivers/many.yaml': driver(interval) });
    const ask = (side: Side): Promise<unknown> =>
      fetch(`${side.gateway.url}/api/v2/source/webhook`, {
        method: 'POST',
        headers: { 'X-Gitlab-Token': secret },
      });

    before(async () => {
      repository = new ServedRepository(folder());
      await writeFile(folder('webhook'), secret, { mode: 0o600 });
      const key = folder('secrets.key');
      await writeFile(key, randomBytes(32).toString('base64'), { mode: 0o600 });
      await repository.commit('first', {
        'gateway.yaml': 'format: 1\n',
        'vars/plant.yaml': 'host: 127.0.0.1\n',
        'drivers/many.yaml': driver(1000),
        'drivers/many.tags.csv': table,
      });
      const cluster = stack.use(await EtcdCluster.start(1));
      const start = async (name: string): Promise<Side> => {
        const gateway = await Gateway.start({
          args: [
            ...[
              '--pair',
              cluster.endpoints.join(','),
              '--pair-id',
              'plant',
              '--secrets-key',
              key,
              '--name',
              name,
            ],
            ...['--port', String(await freePort()), '--config-webhook', folder('webhook')],
            // Nothing comes by itself while the tests run.
            ...[
              '--config-source',
              `git+file://${repository.root}/plant.git#main`,
              '--config-interval',
              '86400',
            ],
          ],
        });
        stack.defer(() => gateway.dispose());
        return {
          gateway,
          client: await until(`${name} answers`, () => gateway.client().catch(() => undefined)),
        };
      };
      active = await start('west');
      await until('west is active', async () => (await roleOf(active)) === 'active');
      standby = await start('east');
    });

    it('has the commit at both gateways, with the variables of the pair, and the active one alone looks', async () => {
      const first = repository.git('rev-parse', 'HEAD');
      await has(active, first);
      const {
        applied_at: at,
        subject,
        looked_at: looked,
      } = await waitForSource(standby.client, 'the standby knows it', (source) => source.commit === first);
      expect(subject).to.equal('first');
      expect(looked).to.equal(undefined);
      expect((await sourceOf(active.client))?.applied_at).to.equal(at);
      await until(
        'the standby has the groups',
        async () => (await intervalAt(standby).catch(() => 0)) === 1000,
      );
      const next = await commit(900);
      await ask(standby);
      await sleep(4000);
      expect((await sourceOf(standby.client))?.looked_at).to.equal(undefined);
      expect((await sourceOf(active.client))?.commit).to.equal(first);
      await ask(active);
      await has(active, next);
      await has(standby, next);
    });

    it('looks at once at the gateway that becomes the active one', async () => {
      const next = await commit(800);
      await active.client.ok('POST', '/pair/switch', {});
      [active, standby] = [standby, active];
      await has(active, next);
      expect(await intervalAt(active)).to.equal(800);
      await until('the former one is back', async () => {
        standby.client = await standby.gateway.client();
        return (await roleOf(standby)) === 'standby';
      });
      await has(standby, next);
    });

    it('has the old configuration or the new one when the active gateway is killed while it applies', async () => {
      const seen: (number | undefined)[] = [];
      for (let round = 1; round <= 5; round++) {
        const interval = 800 - round * 10;
        const next = await commit(interval);
        await ask(active);
        await sleep(round * 450);
        await active.gateway.stop('SIGKILL');
        seen.push(await intervalAt(standby));
        [active, standby] = [standby, active];
        await until('the other one takes over and has it', async () => {
          expect([interval, interval + 10]).to.include(await intervalAt(active));
          return (await sourceOf(active.client))?.commit === next;
        });
        expect(await intervalAt(active)).to.equal(interval);
        await standby.gateway.start();
        standby.client = await until('it is back', () => standby.gateway.client().catch(() => undefined));
        await has(standby, next);
      }
      console.log(`      killed at: ${seen.join(', ')} ms`);
    });
  },
);
