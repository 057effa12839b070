import type { FleetReply } from '@tagway/schemas';
import { expect } from 'chai';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { appFile, driverFile, writeFiles } from '../kit/configuration-files.ts';
import { intervalOf, sourceOf, waitForSource as waitFor } from '../kit/config-source.ts';
import { useFolder } from '../kit/folder.ts';
import { tagway } from '../kit/installed.ts';
import { sleep, until } from '../kit/until.ts';
import { useGateway } from '../world/plant.ts';

/** Files that other programs put into a folder as a whole, by a link. */
class Filled {
  readonly link: string;
  readonly #folder: (...paths: string[]) => string;
  #count = 0;

  constructor(folder: (...paths: string[]) => string) {
    this.#folder = folder;
    this.link = folder('current');
  }

  async put(files: Readonly<Record<string, string>>): Promise<void> {
    const fresh = this.#folder(`tree-${++this.#count}`);
    await writeFiles(fresh, { 'gateway.yaml': 'format: 1\n', ...files });
    await rm(`${this.link}.new`, { force: true });
    await symlink(fresh, `${this.link}.new`);
    await rename(`${this.link}.new`, this.link);
  }
}

describe('a configuration that is pulled from a folder', function () {
  this.timeout(300_000);
  const folder = useFolder('config-source');
  const { gateway, client } = useGateway();
  let filled: Filled;

  const start = async (...more: string[]): Promise<void> => {
    await gateway.stop();
    await gateway.start([
      ...['--config-source', filled.link, '--config-interval', '1', '--config-secrets', folder('secrets')],
      ...more,
    ]);
    await client.login();
  };
  const good = (interval: number): Record<string, string> => ({
    'drivers/boiler.yaml': driverFile(interval, ['a', 'b']),
    'apps/cloud.yaml': appFile,
  });

  before(async () => {
    filled = new Filled(folder);
    await mkdir(folder('secrets'));
    await writeFile(folder('secrets/broker'), 'swordfish\n');
    await filled.put(good(1000));
    // Made by hand, before there was a source.
    await client.ok('POST', '/node', { name: 'by hand', plugin: 'Modbus TCP' });
    await start();
  });

  it('is applied at the start and within the interval after each change, and is still there after a restart', async () => {
    const first = await waitFor(client, 'the folder is applied', ({ commit }) => commit !== null);
    expect(first).to.include({ url: filled.link, locked: false, problem: null });
    expect(first.drift).to.include({ mode: 'report', differences: 0 });
    const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
    expect(nodes.map(({ name }) => name)).to.deep.equal(['boiler']);
    const settings = await client.ok<{ params: object }>('GET', '/node/setting', {
      node: 'cloud',
      secrets: true,
    });
    expect(settings.params).to.include({ password: 'swordfish' });
    await filled.put(good(2000));
    const second = await waitFor(client, 'the second is applied', ({ commit }) => commit !== first.commit);
    expect(await intervalOf(client)).to.equal(2000);
    await start();
    expect(await sourceOf(client)).to.include({ commit: second.commit, applied_at: second.applied_at });
    expect(await intervalOf(client)).to.equal(2000);
  });

  it('changes nothing where something is wrong, says why, and logs it once', async () => {
    const { commit } = await waitFor(client, 'it is good', ({ problem }) => problem === null);
    await filled.put({
      ...good(3000),
      'drivers/other.yaml': 'plugin: Nothing\n',
      'apps/x.yaml': 'plugin: [\n',
    });
    const bad = await waitFor(client, 'it is bad', ({ problem }) => problem !== null);
    expect(bad.commit).to.equal(commit);
    expect(bad.problem?.message).to.include('apps/x.yaml, line 2');
    expect(bad.problem?.commit).to.match(/^[0-9a-f]{40}$/);
    expect(await intervalOf(client)).to.equal(2000);
    await filled.put({ ...good(3000), 'drivers/other.yaml': 'plugin: Nothing\n' });
    await waitFor(
      client,
      'it is bad in another way',
      ({ problem }) => problem?.message === 'There is no plugin "Nothing".',
    );
    const metrics = await (await fetch(`${gateway.url}/api/v2/metrics`)).text();
    expect(metrics)
      .to.match(/config_problem 1$/m)
      .and.to.match(new RegExp(`config_info\\{commit="${commit}"\\} 1`));
    await filled.put(good(3000));
    await waitFor(client, 'it is good again', ({ problem }) => problem === null);
    expect(await intervalOf(client)).to.equal(3000);
    const log = await gateway.log();
    expect(log.match(/is not applied, and nothing was changed: There is no plugin/g)).to.have.length(1);
    expect(log).to.include('is good again');
  });

  it('is not read while it is written, and a folder that goes away changes nothing', async () => {
    const before = await waitFor(client, 'it is good', ({ problem }) => problem === null);
    await rename(filled.link, `${filled.link}.away`);
    const away = await waitFor(client, 'it is away', ({ problem }) => problem !== null);
    expect(away.problem?.message).to.include(`The folder ${filled.link} cannot be read`);
    expect(await intervalOf(client)).to.equal(3000);
    // Somebody writes into it for a while.
    await mkdir(filled.link);
    await writeFiles(filled.link, { 'gateway.yaml': 'format: 1\n' });
    const busy = setInterval(() => void utimes(`${filled.link}/gateway.yaml`, new Date(), new Date()), 100);
    // Three looks, at none of which it is read.
    await sleep(3000);
    clearInterval(busy);
    expect(await sourceOf(client)).to.include({ commit: before.commit });
    expect(await intervalOf(client)).to.equal(3000);
    await rm(filled.link, { recursive: true });
    await rename(`${filled.link}.away`, filled.link);
    await waitFor(client, 'it is good again', ({ problem }) => problem === null);
  });

  it('shows what somebody changes by hand, and leaves it until the next change', async () => {
    await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', interval: 5000 });
    const drifted = await waitFor(client, 'it has drifted', ({ drift }) => drift.differences === 1);
    expect(drifted.drift.since).to.be.a('number');
    await until('the log has it', async () =>
      (await gateway.log()).includes('The group "fast" of "boiler" changes: interval.'),
    );
    await start('--config-drift', 'keep');
    await waitFor(client, 'it is shown', ({ drift }) => drift.mode === 'keep' && drift.differences === 1);
    expect(await intervalOf(client)).to.equal(5000);
    await filled.put({ ...good(4000) });
    await waitFor(client, 'the next one is applied', ({ drift }) => drift.differences === 0);
    expect(await intervalOf(client)).to.equal(4000);
  });

  it('leaves nodes that somebody has stopped and values that somebody has written', async () => {
    const values = `plugin: Modbus TCP\nsettings: { connection_mode: 0, transport_mode: 0, host: 127.0.0.1, port: 1, timeout: 1000, interval: 0 }\ngroups:\n  - name: g\n    interval: 1000\n    tags:\n      - { name: limit, type: INT16, attribute: Read Write Static, value: 5 }\n`;
    await filled.put({ ...good(4000), 'drivers/limits.yaml': values });
    await until('it is there', async () => {
      const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
      return nodes.some(({ name }) => name === 'limits');
    });
    await client.ok('POST', '/node/ctl', { node: 'boiler', cmd: 1 });
    await client.ok('POST', '/write', { node: 'limits', group: 'g', tag: 'limit', value: 7 });
    await start('--config-drift', 'revert');
    await filled.put({ ...good(4500), 'drivers/limits.yaml': values });
    await until('it is applied', async () => (await intervalOf(client)) === 4500);
    const { states } = await client.ok<{ states: { node: string; running: number }[] }>('GET', '/node/state');
    expect(states.find(({ node }) => node === 'boiler')?.running).to.equal(4);
    const { tags } = await client.ok<{ tags: { value: number }[] }>('GET', '/tags', {
      node: 'limits',
      group: 'g',
    });
    expect(tags[0]?.value).to.equal(7);
  });

  it('refuses changes by hand where they are put back, and puts back what was changed while nothing was pulled', async () => {
    const refused = await client.call('PUT', '/group', { node: 'boiler', group: 'fast', interval: 6000 });
    expect(refused.status).to.equal(409);
    expect(refused.body).to.include({ error: 9120 });
    expect((refused.body as { message: string }).message)
      .to.include('is managed by')
      .and.to.include(filled.link);
    expect(await sourceOf(client)).to.include({ locked: true });
    await client.ok('POST', '/node/ctl', { node: 'boiler', cmd: 0 });
    await gateway.stop();
    await gateway.start([]);
    await client.login();
    await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', interval: 6000 });
    await client.ok('POST', '/node', { name: 'by hand', plugin: 'Modbus TCP' });
    await start('--config-drift', 'revert');
    await until('it is put back', async () => (await intervalOf(client)) === 4500);
    const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
    expect(nodes.map(({ name }) => name).sort()).to.deep.equal(['boiler', 'limits']);
    const { entries } = await client.ok<{ entries: { text: string }[] }>('GET', '/audit');
    expect(entries.some(({ text }) => text.startsWith('put back what'))).to.equal(true);
  });

  it('is seen in the view of a fleet', async () => {
    const other = await sourceOf(client);
    const { token } = await client.ok<{ token: string }>('POST', '/tokens', {
      name: 'fleet',
      role: 'viewer',
    });
    await client.ok('PUT', '/fleet/gateways', { gateways: [{ name: 'itself', url: gateway.url, token }] });
    const member = await until('it has answered', async () => {
      const { gateways } = await client.ok<FleetReply>('GET', '/fleet');
      return gateways[0]?.source !== undefined && gateways[0];
    });
    expect(member.source).to.include({ commit: other?.commit, drift: 0 });
    const { stdout } = await tagway(['fleet', '--url', gateway.url], { TAGWAY_PASSWORD: '0000' });
    expect(stdout).to.include('COMMIT').and.to.include(other?.commit?.slice(0, 12));
  });
});

describe('a folder of 20 000 tags that is pulled', function () {
  this.timeout(300_000);
  const folder = useFolder('config-pulled-large');
  const { gateway, client } = useGateway();
  const most = 20_000;
  const secret = 'open-sesame-open-sesame';

  it('is read, planned and applied, at first and where a tenth of it changes', async () => {
    const rows = (change: string): string =>
      Array.from({ length: most }, (_, n) => {
        const address = `${Math.floor(n / 5000) + 1}!4${String((n % 5000) + 1).padStart(5, '0')}`;
        return `g${n % 20},tag ${n},${address},Read,INT16,${n % 10 === 0 ? change : ''}\n`;
      }).join('');
    const groups = Array.from({ length: 20 }, (_, n) => `  - { name: g${n}, interval: 1000 }\n`).join('');
    const titles = 'group,name,address,attribute,type,description\n';
    const filled = new Filled(folder);
    const put = (change: string, more: Readonly<Record<string, string>> = {}): Promise<void> =>
      filled.put({
        'drivers/large.yaml': `plugin: Modbus TCP\ngroups:\n${groups}`,
        'drivers/large.tags.csv': titles + rows(change),
        ...more,
      });
    await put('');
    await writeFile(folder('webhook'), secret);
    // A folder that is quiet is not taken for one that is being written.
    await sleep(2500);
    await gateway.stop();
    const options = ['--config-interval', '86400', '--config-webhook', folder('webhook')];
    const lines: string[] = [];
    const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
      const from = performance.now();
      const before = (await sourceOf(client).catch(() => undefined))?.looked_at ?? 0;
      await work();
      const { problem } = await waitFor(client, what, ({ looked_at: at = 0 }) => at > before, 120_000);
      expect(problem).to.equal(null);
      lines.push(`${what}: ${Math.round(performance.now() - from)} ms`);
    };
    const ask = (): Promise<unknown> =>
      fetch(`${gateway.url}/api/v2/source/webhook`, {
        method: 'POST',
        headers: { 'X-Gitlab-Token': secret },
      });
    await timed('start of the gateway and the first commit', async () => {
      await gateway.start(['--config-source', filled.link, ...options]);
      await client.login();
    });
    await put('new');
    await sleep(2500);
    await timed('a look at a commit in which a tenth changes', ask);
    // A file that is no part of the configuration: all is planned, and nothing changes.
    await put('new', { 'README.md': 'The plant.\n' });
    await sleep(2500);
    await timed('a look at a commit in which nothing changes', ask);
    process.stdout.write(lines.map((line) => `      ${line}\n`).join(''));
    const { groups: found } = await client.ok<{ groups: { tag_count: number }[] }>('GET', '/group', {
      node: 'large',
    });
    expect(found.reduce((sum, { tag_count: count }) => sum + count, 0)).to.equal(most);
    const { tags } = await client.ok<{ tags: { description: string }[] }>('GET', '/tags', {
      node: 'large',
      group: 'g0',
    });
    expect(new Set(tags.map(({ description }) => description))).to.deep.equal(new Set(['new']));
  });
});
