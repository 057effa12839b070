import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeCommand } from '@tagway/schemas';
import { expect } from 'chai';
import { readValues } from '../kit/configure.ts';
import { runs } from '../kit/libraries.ts';
import { until } from '../kit/until.ts';
import { UnrulyGateway } from './unruly.ts';

/** Whether a process lives. */
async function lives(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Ids of the copies. The first three do not notice that the gateway is gone. */
const ids = ['spin', 'block', 'stopped', 'children', 'single'];

describe('processes of plugins', function () {
  this.timeout(120_000);
  let unruly: UnrulyGateway;

  beforeEach(async () => void (unruly = await UnrulyGateway.start(ids)));
  afterEach(() => unruly?.dispose());

  /** Has the copy start children that are ended in no simple way, and returns their processes. */
  async function startChildren(id: string): Promise<number[]> {
    const folder = join(unruly.gateway.data, 'nodes');
    const lists = (await readdir(folder)).flatMap((node) =>
      ['children', 'grandchild', 'orphan'].map((name) => join(folder, node, name)),
    );
    // Those that the copy started before stand there still.
    for (const list of lists) await rm(list, { force: true });
    await unruly.command(id, 'children');
    const pids = await until('the children have started', async () => {
      const texts = lists.map((list) => readFile(list, 'utf8').catch(() => ''));
      const found = (await Promise.all(texts)).flatMap((text) =>
        text.split(/\s+/).filter(Boolean).map(Number),
      );
      return found.length === 6 ? found : undefined;
    });
    // The one that started the orphan has ended.
    return Promise.all(pids.map(async (pid) => ((await lives(pid)) ? pid : 0))).then((all) =>
      all.filter((pid) => pid !== 0),
    );
  }

  /** Nothing promises how soon: the reaper looks at all processes of the machine, several times. */
  async function allEnd(pids: readonly number[]): Promise<void> {
    await until(
      `the processes ${pids.join(', ')} have ended`,
      async () => !(await Promise.all(pids.map(lives))).includes(true),
      { within: 20_000 },
    );
  }

  it('end with a gateway that is killed, also when they spin, block or were stopped, with all that they started', async () => {
    for (const id of ids) await unruly.add(id);
    const runners = await Promise.all(ids.map(async (id) => (await unruly.gateway.runner(id)).pid));
    const children = await startChildren('children');
    expect(children).to.have.length.greaterThan(4);
    await unruly.command('spin', 'spin');
    await unruly.command('block', 'block');
    process.kill(runners[ids.indexOf('stopped')]!, 'SIGSTOP');
    await unruly.gateway.kill();
    await allEnd([...runners, ...children]);
    await unruly.gateway.start();
    for (const id of ids) await runs(unruly.client, id, 'group');
  });

  it('end with a gateway whose reaper was killed with it, at the next start', async () => {
    await unruly.add('stopped');
    await unruly.add('spin');
    const runners = await Promise.all(
      ['stopped', 'spin'].map(async (id) => (await unruly.gateway.runner(id)).pid),
    );
    await unruly.command('spin', 'spin');
    process.kill(runners[0]!, 'SIGSTOP');
    const reaper = await until('there is a reaper', () => reaperOf(unruly.gateway.pid));
    process.kill(unruly.gateway.pid, 'SIGSTOP');
    process.kill(reaper, 'SIGKILL');
    await unruly.gateway.crash();
    expect(await Promise.all(runners.map(lives)), 'nothing ends them').to.deep.equal([true, true]);
    await unruly.gateway.start();
    await allEnd(runners);
    await until('the log tells of them', async () => {
      const log = await unruly.log();
      return runners.every((pid) =>
        log.includes(`The process ${pid}, which a gateway before this one had left behind, was ended.`),
      );
    });
    await readValues(unruly.client, 'spin', 'group', 20_000);
  });

  it('end with the runner, with the last node and with the plugin', async () => {
    await unruly.add('children');
    const [child, detached, ...strangers] = await startChildren('children');
    process.kill((await unruly.gateway.runner('children')).pid, 'SIGKILL');
    // Of a runner that was ended by somebody else, what has left its group and its environment cannot be told from a stranger.
    await allEnd([child!, detached!]);
    for (const pid of strangers) if (await lives(pid)) process.kill(pid, 'SIGKILL');
    await readValues(unruly.client, 'children', 'group', 20_000);
    const second = await startChildren('children');
    await unruly.client.ok('DELETE', '/node', { name: 'children' });
    await allEnd(second);

    await unruly.add('single');
    const third = await startChildren('single');
    await unruly.client.ok('POST', '/node/ctl', { node: 'single', cmd: NodeCommand.STOP });
    await unruly.client.ok('DELETE', '/node', { name: 'single' });
    await unruly.client.ok('DELETE', '/plugin', { plugin: 'single' });
    await allEnd(third);
    await unruly.goesOn();
  });

  it('are not ended because the gateway itself was stopped for longer than they may be silent', async () => {
    const { pid } = await unruly.gateway.runner('bystander');
    process.kill(unruly.gateway.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 11_500));
    process.kill(unruly.gateway.pid, 'SIGCONT');
    await unruly.goesOn();
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect((await unruly.gateway.runner('bystander')).pid).to.equal(pid);
    expect(await unruly.log()).to.not.include('has not answered');
  });
});

/** The process that a gateway has started to end its runners when it is killed. */
async function reaperOf(gateway: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${gateway}/task/${gateway}/children`, 'utf8');
  for (const pid of children.trim().split(' ')) {
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (title.includes('reaper.sh')) return Number(pid);
  }
  return undefined;
}
