import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import type { Client } from '../kit/client.ts';
import { intervalOf, sourceOf, waitForProblem, waitForSource } from '../kit/config-source.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { sleep, until } from '../kit/until.ts';
import { HttpsGit, missingForGit, ServedRepository } from '../world/git-server.ts';

/** The interval of looks in these tests, in milliseconds, with room for a busy machine. */
const interval = 1000;
const soonEnough = 20 * interval;

const boiler = (milliseconds: number): string => `plugin: Modbus TCP
settings: { connection_mode: 0, transport_mode: 0, host: { var: host }, port: 1, timeout: 1000, interval: 0 }
groups:
  - name: fast
    interval: ${milliseconds}
    tags: [{ name: a, address: 1!400001, type: INT16 }]
`;
const presses = `each: presses
name: { var: name }
plugin: Modbus TCP
settings: { connection_mode: 0, transport_mode: 0, host: { var: host }, port: 1, timeout: 1000, interval: 0 }
groups:
  - { name: fast, interval: 1000, tags: [{ name: force, address: 1!400001, type: FLOAT }] }
`;

/** Three gateways at two sites. */
const files = {
  'README.md': 'The plants.\n',
  'plant/gateway.yaml': 'format: 1\n',
  'plant/vars/site-a.yaml': 'host: 127.0.0.1\n',
  'plant/vars/site-b.yaml': 'host: 127.0.0.2\n',
  'plant/vars/north.yaml': 'from: site-a\npresses: [{ name: press 1 }, { name: press 2 }]\n',
  'plant/vars/south.yaml': 'from: site-a\npresses: []\n',
  'plant/vars/east.yaml': 'from: site-b\npresses: [{ name: press 9, host: 127.0.0.9 }]\n',
  'plant/drivers/boiler.yaml': boiler(1000),
  'plant/drivers/presses.yaml': presses,
};
const modes = { north: 'keep', south: 'report', east: 'revert' } as const;

const without = missingForGit.length === 0 ? '' : ` (skipped: ${missingForGit.join(', ')} are not installed)`;

(without === '' ? describe : describe.skip)(`gateways that follow a repository${without}`, function () {
  this.timeout(300_000);
  const folder = useFolder('config-git');
  const stack = new AsyncDisposableStack();
  const gateways: {
    readonly name: keyof typeof modes;
    readonly gateway: Gateway;
    readonly client: Client;
  }[] = [];
  let repository: ServedRepository;
  let server: HttpsGit;

  const argsOf = (name: keyof typeof modes, ...more: string[]): string[] => [
    ...['--name', name, '--config-source', `${server.url.replace('//', '//tagway@')}#main:plant`],
    ...['--config-interval', String(interval / 1000), '--config-drift', modes[name]],
    ...['--config-ca', server.ca, '--config-token', folder('token'), ...more],
  ];
  const each = <T>(work: (one: (typeof gateways)[number]) => Promise<T>): Promise<T[]> =>
    Promise.all(gateways.map(work));
  const allAt = (commit: string): Promise<unknown> =>
    each(({ client, name }) =>
      waitForSource(
        client,
        `${name} has ${commit}`,
        (source) => source.commit === commit && source.problem === null,
        soonEnough,
      ),
    );
  const one = (name: keyof typeof modes): (typeof gateways)[number] =>
    gateways.find((given) => given.name === name)!;

  before(async () => {
    repository = new ServedRepository(folder());
    await writeFile(folder('token'), 'sesame-1\n', { mode: 0o600 });
    server = stack.use(await HttpsGit.start(repository.root, folder('tls'), { token: 'sesame-1' }));
    await repository.commit('as it is', files);
    for (const name of Object.keys(modes) as (keyof typeof modes)[]) {
      const gateway = await Gateway.start({ args: argsOf(name) });
      stack.defer(() => gateway.dispose());
      gateways.push({ name, gateway, client: await gateway.client() });
    }
  });
  after(() => stack.disposeAsync());

  it('have a commit within the interval, each with its variables, and after a restart', async () => {
    await allAt(repository.git('rev-parse', 'HEAD'));
    const drivers = await each(async ({ client, name }) => {
      const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
      const { params } = await client.ok<{ params: { host: string } }>('GET', '/node/setting', {
        node: 'boiler',
      });
      return [name, params.host, ...nodes.map((node) => node.name).sort()];
    });
    expect(drivers).to.deep.equal([
      ['north', '127.0.0.1', 'boiler', 'press 1', 'press 2'],
      ['south', '127.0.0.1', 'boiler'],
      ['east', '127.0.0.2', 'boiler', 'press 9'],
    ]);
    const commit = await repository.commit('faster', { 'plant/drivers/boiler.yaml': boiler(500) });
    await allAt(commit);
    expect(await each(({ client }) => intervalOf(client))).to.deep.equal([500, 500, 500]);
    expect(await sourceOf(one('north').client)).to.include({ subject: 'faster', author: 'operator' });
    await each(({ gateway }) => gateway.restart());
    await allAt(commit);
    expect(await each(({ client }) => intervalOf(client))).to.deep.equal([500, 500, 500]);
    const said = JSON.stringify(await each(({ gateway }) => gateway.log()));
    expect(said).not.to.include('sesame-1');
  });

  it('change nothing at a bad commit, all say why, and are back with a revert', async () => {
    const good = repository.git('rev-parse', 'HEAD');
    const bad = await repository.commit('a slip', {
      'plant/drivers/boiler.yaml': boiler(700).replace('INT16', 'INT17'),
      'plant/drivers/other.yaml': 'plugin: Modbus TCP\n',
    });
    const problems = await each(({ client, name }) =>
      waitForSource(client, `${name} has a problem`, ({ problem }) => problem?.commit === bad, soonEnough),
    );
    for (const { problem, commit } of problems) {
      expect(commit).to.equal(good);
      expect(problem?.message).to.include('drivers/boiler.yaml: ').and.to.include('type');
    }
    expect(await each(({ client }) => intervalOf(client))).to.deep.equal([500, 500, 500]);
    // More looks at the same commit say it no more.
    await sleep(3 * interval);
    for (const log of await each(({ gateway }) => gateway.log()))
      expect(log.split(`The configuration ${bad.slice(0, 12)}`)).to.have.length(2);
    const reverted = repository.push(() => repository.git('revert', '--no-edit', 'HEAD'));
    await allAt(reverted);
    expect(await each(({ client }) => intervalOf(client))).to.deep.equal([500, 500, 500]);
  });

  it('keep, report, or put back what somebody changes by hand', async () => {
    const change = { node: 'boiler', group: 'fast', interval: 9000 };
    expect(await each(({ client }) => client.errorOf('PUT', '/group', change))).to.deep.equal([0, 0, 9120]);
    // Changed while nothing is pulled.
    const { gateway, client } = one('east');
    await gateway.stop();
    await gateway.start(['--name', 'east']);
    await client.login();
    await client.ok('PUT', '/group', change);
    await gateway.stop();
    await gateway.start(argsOf('east'));
    await client.login();
    await until('it is put back', async () => (await intervalOf(client)) === 500);
    for (const name of ['north', 'south'] as const) {
      const { drift } = await waitForSource(
        one(name).client,
        `${name} has drifted`,
        (source) => source.drift.differences === 1,
      );
      expect(drift.mode).to.equal(modes[name]);
      expect(await intervalOf(one(name).client)).to.equal(9000);
    }
    const line = 'The group "fast" of "boiler" changes: interval.';
    await until('south has logged it', async () => (await one('south').gateway.log()).includes(line));
    expect(await one('north').gateway.log()).not.to.include(line);
    await allAt(await repository.commit('for all', { 'plant/drivers/boiler.yaml': boiler(800) }));
    expect(await each(({ client: any }) => intervalOf(any))).to.deep.equal([800, 800, 800]);
  });

  it('look at once when a webhook with the right signature asks, and for no other', async () => {
    const { gateway, client } = one('south');
    const secret = 'open-sesame-open-sesame';
    await writeFile(folder('webhook'), `${secret}\n`, { mode: 0o600 });
    const args = argsOf('south', '--config-webhook', folder('webhook'));
    // Without a call nothing would come for an hour.
    args[args.indexOf('--config-interval') + 1] = '3600';
    const call = async (
      headers: Record<string, string>,
      body = '{"ref":"refs/heads/main"}',
    ): Promise<number> => {
      const reply = await fetch(`${gateway.url}/api/v2/source/webhook`, { method: 'POST', headers, body });
      const { error } = (await reply.json()) as { error: number };
      expect(reply.status).to.equal({ 0: 200, 1017: 400, 9121: 403 }[error]);
      return error;
    };
    const signed = (body: string, key: string): string =>
      `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
    expect(await call({ 'X-Gitlab-Token': secret })).to.equal(9121);
    await gateway.stop();
    await gateway.start(args);
    await client.login();
    const before = await waitForSource(client, 'it has looked', (source) => source.looked_at !== undefined);
    const commit = await repository.commit('by a webhook', { 'plant/drivers/boiler.yaml': boiler(850) });
    const body = JSON.stringify({ commits: 'x'.repeat(100_000) });
    expect(await call({})).to.equal(9121);
    expect(await call({ 'X-Hub-Signature-256': signed(body, 'another-secret-of-22') }, body)).to.equal(9121);
    expect(await call({ 'X-Hub-Signature-256': signed('other', secret) }, body)).to.equal(9121);
    expect(await call({ 'X-Hub-Signature-256': 'sha256=' }, body)).to.equal(9121);
    expect(await call({ 'X-Gitlab-Token': `${secret}x` })).to.equal(9121);
    const large = 'x'.repeat((1 << 20) + 1);
    expect(await call({ 'X-Hub-Signature-256': signed(large, secret) }, large)).to.equal(1017);
    expect((await sourceOf(client))?.looked_at).to.equal(before.looked_at);
    expect(await call({ 'X-Hub-Signature-256': signed(body, secret) }, body)).to.equal(0);
    await waitForSource(client, 'the commit is there', (source) => source.commit === commit);
    const last = await repository.commit('by another one', { 'plant/drivers/boiler.yaml': boiler(860) });
    expect(await call({ 'X-Gitlab-Token': secret })).to.equal(0);
    await waitForSource(client, 'the commit is there', (source) => source.commit === last);
    // Many calls are few looks: one for each call would ask twice as often as there are calls. The other two gateways look, too.
    const looks = server.served;
    await Promise.all(Array.from({ length: 50 }, () => call({ 'X-Gitlab-Token': secret })));
    await sleep(3000);
    expect(server.served - looks).to.be.below(50);
    await repository.commit('back', { 'plant/drivers/boiler.yaml': boiler(800) });
    await gateway.stop();
    await gateway.start(argsOf('south'));
    await client.login();
    await allAt(repository.git('rev-parse', 'HEAD'));
  });

  it('go on while the source is away for many intervals, and have the next commit once it is back', async () => {
    const before = repository.git('rev-parse', 'HEAD');
    await server.close();
    await each(({ client }) => waitForProblem(client, 'cannot be fetched'));
    await one('north').gateway.restart();
    await repository.commit('while it is away', { 'plant/drivers/boiler.yaml': boiler(900) });
    await sleep(5 * interval);
    for (const source of await each(({ client }) => sourceOf(client)))
      expect(source?.commit).to.equal(before);
    expect(await each(({ client }) => intervalOf(client))).to.deep.equal([800, 800, 800]);
    await server.open();
    await allAt(repository.git('rev-parse', 'HEAD'));
    expect(await each(({ client }) => intervalOf(client))).to.deep.equal([900, 900, 900]);
  });

  it('have the old commit or the new one when they are killed at any moment, 20 times', async function () {
    this.timeout(600_000);
    const { gateway, client } = one('north');
    for (const name of ['south', 'east'] as const) await one(name).gateway.stop();
    const groups = (milliseconds: number): string =>
      `plugin: Modbus TCP\nsettings: { connection_mode: 0, transport_mode: 0, host: { var: host }, port: 1, timeout: 1000, interval: 0 }\ngroups:\n${Array.from({ length: 20 }, (_, at) => `  - { name: g${at}, interval: ${milliseconds} }\n`).join('')}`;
    const table = `group,name,address,type\n${Array.from({ length: 5000 }, (_, at) => `g${at % 20},t${at},1!4${String(at + 1).padStart(5, '0')},INT16\n`).join('')}`;
    const first = await repository.commit('many tags', {
      'plant/drivers/many.yaml': groups(1000),
      'plant/drivers/many.tags.csv': table,
    });
    await waitForSource(client, 'the commit is applied', (source) => source.commit === first, soonEnough);
    const seen = { old: 0, new: 0 };
    for (let round = 1; round <= 20; round++) {
      const before = 1000 + (round - 1) * 10;
      const now = 1000 + round * 10;
      const commit = await repository.commit(`round ${round}`, { 'plant/drivers/many.yaml': groups(now) });
      // From a look that begins to one that has applied.
      await sleep((round * 557) % 3000);
      await gateway.stop('SIGKILL');
      await gateway.start(argsOf('north', '--safe'));
      await client.login();
      const all = await client.ok<{ groups: { interval: number }[] }>('GET', '/group', { node: 'many' });
      const intervals = new Set(all.groups.map((group) => group.interval));
      expect(intervals.size, `round ${round}`).to.equal(1);
      const [found] = intervals;
      expect([before, now]).to.include(found);
      seen[found === now ? 'new' : 'old']++;
      await gateway.stop();
      await gateway.start(argsOf('north'));
      await client.login();
      await waitForSource(client, 'the commit is applied', (source) => source.commit === commit, soonEnough);
    }
    console.log(`      old: ${seen.old}, new: ${seen.new}`);
  });
});
