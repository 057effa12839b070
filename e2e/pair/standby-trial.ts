import { spawnSync } from 'node:child_process';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { libraryArchive } from '../kit/archives.ts';
import type { Client } from '../kit/client.ts';
import { registerTags } from '../kit/configure.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { sleep, until } from '../kit/until.ts';
import type { Outcome } from './judge.ts';
import type { Pair, Roles } from './pair.ts';
import type { PairGateway } from './pair-gateway.ts';
import { now } from './referee.ts';
import { longestPause } from './tenures.ts';

/** Why no disk can be filled here; undefined: one can. */
export const noDisk = SmallDisk.isPossible ? undefined : 'no small disk can be mounted';

/** Milliseconds without a request that show that polling was disturbed. */
const pause = 1000;

const plugins = async (client: Client): Promise<readonly string[]> => {
  const reply = await client.ok<{ plugins: readonly { name: string }[] }>('GET', '/plugin');
  return reply.plugins.map(({ name }) => name);
};

const tagsOf = async (gateway: PairGateway, node: string, group: string): Promise<readonly string[]> => {
  const client = await gateway.client();
  const { tags } = await client.ok<{ tags: readonly { name: string }[] }>('GET', '/tags', { node, group });
  return tags.map(({ name }) => name);
};

/** Resolves with the gateways that the active one counts as ready. */
const readyAt = async ({ active }: Roles): Promise<number> =>
  (await active.status()).members.filter(({ ready }) => ready).length;

/**
 * The disk of the standby is full: it is behind and not ready, a switch is refused, and polling goes on. A plugin that could not be
 * installed there meanwhile is, once there is space.
 */
export async function tryFullDisk(pair: Pair): Promise<Outcome> {
  const roles = await pair.settled();
  const { active, standby } = roles;
  await standby.stop();
  const disk = await SmallDisk.make(64);
  const broken: string[] = [];
  try {
    // What was there is there again when the small disk is away: an old copy, which catches up.
    const { status, stderr } = spawnSync('cp', ['-a', `${standby.data}/.`, disk.folder]);
    if (status !== 0) throw new Error(`The small disk took no copy: ${stderr.toString()}`);
    disk.cover(standby.data);
    await standby.start();
    broken.push(...(await withFullDisk(pair, roles, disk)));
  } finally {
    await standby.stop();
    await disk.dispose();
    await standby.start();
  }
  await pair.settled();
  const client = await active.client();
  await client.ok('DELETE', '/node', { name: 'wide' });
  await client.ok('DELETE', '/plugin', { plugin: 'disk-plugin' });
  return {
    lines: ['Full disk: the standby was behind and not ready, and whole once there was space'],
    broken,
  };
}

async function withFullDisk(pair: Pair, roles: Roles, disk: SmallDisk): Promise<string[]> {
  const { active, standby } = roles;
  await pair.settled();
  const broken: string[] = [];
  const client = await active.client();
  const reader = await standby.client();
  await client.ok('POST', '/node', { name: 'wide', plugin: 'Modbus TCP' });
  await client.ok('POST', '/group', { node: 'wide', name: 'group', interval: 1000 });
  await until('the standby has the node', async () => (await tagsOf(standby, 'wide', 'group')).length === 0);
  const begin = now();
  await disk.fill();
  // More than what the log of the database has room for as it is.
  const tags = registerTags(3000).map((tag) => ({ ...tag, description: 'd'.repeat(100) }));
  await client.ok('POST', '/tags', { node: 'wide', group: 'group', tags });
  const archive = libraryArchive('disk-plugin').toString('base64');
  await client.ok('POST', '/plugin', { library: 'disk-plugin.tgz', file: archive });
  await until(
    'the active gateway sees that the standby is not ready',
    async () => (await readyAt(roles)) === 1,
  );
  await until('the standby says that it is behind', async () => {
    const { replication_lag: lag } = await standby.status();
    return lag !== null && lag.entries > 0 && lag.ms > 0;
  });
  const reply = await client.call('POST', '/pair/switch', { reason: 'the trial' });
  if (reply.body.error !== ErrorCode.COMMAND_FAILED || !reply.text.includes('not ready'))
    broken.push(`a switch to a standby with a full disk was answered with ${reply.status} ${reply.text}`);
  if ((await plugins(reader)).includes('disk-plugin')) broken.push('the plugin fitted on the full disk');
  await disk.free();
  await until('the standby is ready again', async () => (await readyAt(roles)) === 2, { within: 30_000 });
  await until('the standby has the plugin', async () => (await plugins(reader)).includes('disk-plugin'), {
    within: 30_000,
  });
  const gap = longestPause(await pair.referee.since(begin), begin, now());
  if (gap > pause * pair.patience) broken.push(`a full disk of the standby cost ${gap.toFixed(0)} ms`);
  return broken;
}

/** How many changes a second there have to be. */
const leastRate = 40;

/** A planned switch is not refused while the configuration is changed all the time; what was acknowledged is at both. */
export async function tryBusySwitches(pair: Pair, rounds: number): Promise<Outcome> {
  const broken: string[] = [];
  const added: string[] = [];
  const rates: number[] = [];
  const node = 'busy';
  const group = 'group';
  const client = await pair.client();
  await client.ok('POST', '/node', { name: node, plugin: 'Modbus TCP' });
  await client.ok('POST', '/group', { node, name: group, interval: 1000 });
  for (let round = 0; round < rounds; round += 1) {
    const { active, standby } = await pair.settled();
    const writer = await active.client();
    let isOver = false;
    const write = async (name: string): Promise<void> => {
      for (let number = 0; !isOver; number += 1) {
        const tag = { address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 };
        const tags = [{ ...tag, name: `${name} ${number}` }];
        const reply = await writer.call('POST', '/tags', { node, group, tags }).catch(() => undefined);
        if (reply?.status !== 200) return;
        added.push(`${name} ${number}`);
        await sleep(20);
      }
    };
    const begin = now();
    const before = added.length;
    const work = [1, 2, 3].map((number) => write(`round ${round}, writer ${number},`));
    await sleep(2000);
    rates.push(((added.length - before) * 1000) / (now() - begin));
    const reply = await writer.call('POST', '/pair/switch', { reason: 'the trial' });
    if (reply.status !== 200)
      broken.push(`a switch among changes was answered with ${reply.status} ${reply.text}`);
    isOver = reply.status !== 200;
    // What the gateway refuses after the switch ends the others.
    await Promise.all(work);
    const next = await pair.settled();
    if (reply.status === 200 && next.active !== standby) broken.push('a switch among changes led nowhere');
  }
  const least = Math.min(...rates);
  if (least * pair.patience < leastRate) broken.push(`there were only ${least.toFixed(0)} changes a second`);
  for (const gateway of [pair.west, pair.east]) {
    const isWhole = async (): Promise<boolean> => {
      const there = new Set(await tagsOf(gateway, node, group));
      return added.every((name) => there.has(name));
    };
    await until(`${gateway.side} has all changes`, isWhole, { within: 5000, every: 500 }).catch(
      (error: unknown) => broken.push(String(error)),
    );
  }
  await (await pair.client()).ok('DELETE', '/node', { name: node });
  return {
    lines: [
      `Switches among changes: ${rounds} under ${least.toFixed(0)} to ${Math.max(...rates).toFixed(0)} changes a second, ${added.length} acknowledged`,
    ],
    broken,
  };
}

/** etcd has lost what it had of the pair, once while both gateways are away and the one with an old copy comes first, once beneath them. */
export async function tryWipedEtcd(pair: Pair): Promise<Outcome> {
  const broken: string[] = [];
  const { active, standby } = await pair.settled();
  const client = await active.client();
  const place = { node: 'plant', group: 'watched' };
  const tag = { address: '1!400004', attribute: Attribute.READ, type: DataType.INT16 };
  await standby.stop();
  await client.ok('POST', '/tags', { ...place, tags: [{ ...tag, name: 'kept' }] });
  await active.stop();
  await pair.members.wipe('/tagway/');
  const begin = now();
  await standby.start();
  if ((await tagsOf(standby, place.node, place.group)).includes('kept'))
    broken.push('the copy of the gateway that was away is not old');
  await active.start();
  await pair.settled();
  const after = async (what: string): Promise<void> => {
    for (const gateway of [pair.west, pair.east])
      await until(`${gateway.side} has what was newest`, async () =>
        (await tagsOf(gateway, place.node, place.group)).includes('kept'),
      ).catch((error: unknown) => broken.push(`${what}: ${String(error)}`));
  };
  await after('wiped while both were away');
  const whole = now() - begin;
  await pair.members.wipe('/tagway/');
  const wiped = now();
  // Until then a gateway still says what was so before.
  await until('etcd has a configuration of the pair again', () => pair.members.has('/tagway/plant/head'), {
    within: 60_000,
  });
  await pair.settled();
  await after('wiped while both ran');
  const gap = longestPause(await pair.referee.since(wiped), wiped, now());
  return {
    lines: [
      `Wiped etcd: the newest configuration came back ${(whole / 1000).toFixed(1)} s after the first start; ` +
        `wiped beneath both gateways it cost ${gap.toFixed(0)} ms`,
    ],
    broken,
  };
}
