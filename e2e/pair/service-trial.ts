import { Attribute, DataType } from '@tagway/schemas';
import { libraryArchive } from '../kit/archives.ts';
import { sleep, until } from '../kit/until.ts';
import { flap, type Pick } from './faults.ts';
import { judge, limits, middleAndMost, type Outcome, stopsWithin } from './judge.ts';
import type { Pair } from './pair.ts';
import type { PairGateway } from './pair-gateway.ts';
import { now } from './referee.ts';
import { handoversOf, overlappingIn } from './tenures.ts';

/** Milliseconds of the log before something that belong to it. */
const before = 2500;

/** Each gateway is restarted, the standby first; then the active one hands over and is restarted. */
export async function tryUpgrades(pair: Pair, rounds: number): Promise<Outcome> {
  const gaps: number[] = [];
  let overlapping = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { active, standby } = await pair.settled();
    const begin = now();
    await restart(standby);
    await pair.settled();
    await pair.switch('an upgrade');
    await pair.settled();
    await restart(active);
    await pair.settled();
    const verdict = judge(await pair.referee.since(begin - before), begin, now());
    gaps.push(verdict.gap);
    overlapping += verdict.overlapping;
  }
  const longest = Math.max(...gaps);
  const broken = [
    ...(longest > limits.upgrade.most * pair.patience ? [`an upgrade cost ${longest.toFixed(0)} ms`] : []),
    ...(overlapping > 0 ? [`${overlapping} requests of two gateways at the same time in upgrades`] : []),
  ];
  return {
    lines: [`Upgrades: ${rounds} of both gateways, gap ${middleAndMost(gaps)}`],
    broken,
  };
}

async function restart(gateway: PairGateway): Promise<void> {
  await gateway.stop();
  await gateway.start();
}

/** The link of the active gateway comes and goes for a time. */
export async function tryFlapping(pair: Pair, pick: Pick, minutes: number): Promise<Outcome> {
  const roles = await pair.settled();
  const begin = now();
  await flap({ ...roles, pair, pick }, roles.active.side, minutes * 60_000);
  await pair.settled(90_000);
  const polls = await pair.referee.since(begin - before);
  const times = handoversOf(polls).map(({ at }) => at);
  const dense = times.filter((at, index) => index > 0 && at - (times[index - 1] as number) < 60_000).length;
  const overlapping = overlappingIn(polls);
  const broken = [
    ...(dense > 0 ? [`${dense} switches came within a minute of another one`] : []),
    ...(overlapping > 0
      ? [`${overlapping} requests of two gateways at the same time at a link that flaps`]
      : []),
  ];
  return {
    lines: [
      `Flapping link: ${times.length} switches in ${minutes} minutes, ${overlapping} overlapping requests`,
    ],
    broken,
  };
}

/** A gateway whose copy of the configuration is old, and that cannot ask anybody, polls nothing; then it catches up before it polls. */
export async function tryStaleCopy(pair: Pair): Promise<Outcome> {
  const broken: string[] = [];
  const { active, standby } = await pair.settled();
  await standby.stop();
  const client = await active.client();
  const tag = { name: 'later', address: '1!400003', attribute: Attribute.READ, type: DataType.INT16 };
  await client.ok('POST', '/tags', { node: 'plant', group: 'watched', tags: [tag] });
  await active.stop();
  const others = (['west', 'east', 'witness'] as const).filter((place) => place !== standby.side);
  await Promise.all(others.map((place) => pair.members.kill(place)));
  const alone = now();
  await standby.start();
  const old = await standby.client();
  const names = async (): Promise<string[]> => {
    const { tags } = await old.ok<{ tags: { name: string }[] }>('GET', '/tags', {
      node: 'plant',
      group: 'watched',
    });
    return tags.map(({ name }) => name);
  };
  if ((await names()).includes('later')) broken.push('the copy of the gateway that was away is not old');
  await sleep(2 * stopsWithin);
  if (await pair.referee.hears(undefined, alone)) broken.push('a gateway without the lease polled');
  const { role, reachable } = await standby.status();
  if (role !== 'standby' || reachable)
    broken.push(`alone it says that it is ${role}, reachable ${reachable}`);
  for (const place of others) pair.members.begin(place);
  await until(
    'the gateway that was alone is active',
    async () => (await standby.status()).role === 'active',
    {
      within: 30_000,
    },
  );
  if (!(await names()).includes('later')) broken.push('it became active with an old configuration');
  const back = now();
  await until('it polls', () => pair.referee.hears(standby.side, back));
  await active.start();
  await pair.settled();
  return {
    lines: ['Stale copy: no request until it held the lease, and then with the configuration of the log'],
    broken,
  };
}

/** Installed plugins are at the standby before a node that needs one. */
export async function tryPlugin(pair: Pair): Promise<Outcome> {
  const broken: string[] = [];
  const { active, standby } = await pair.settled();
  const id = 'pair-plugin';
  const node = 'needs-it';
  const client = await active.client();
  const reader = await standby.client();
  const shows = async (): Promise<{ hasPlugin: boolean; hasNode: boolean }> => {
    // The node is asked for first: a plugin that came after it would be seen.
    const { nodes } = await reader.ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
    const { plugins } = await reader.ok<{ plugins: { name: string }[] }>('GET', '/plugin');
    return {
      hasNode: nodes.some(({ name }) => name === node),
      hasPlugin: plugins.some(({ name }) => name === id),
    };
  };
  const archive = libraryArchive(id).toString('base64');
  await client.ok('POST', '/plugin', { library: `${id}.tgz`, file: archive });
  await client.ok('POST', '/node', { name: node, plugin: id });
  await until('the standby has the node', async () => {
    const { hasNode, hasPlugin } = await shows();
    if (hasNode && !hasPlugin) broken.push('the standby had a node without its plugin');
    return hasNode;
  });
  await pair.switch('a plugin was installed');
  const { active: next } = await pair.settled();
  const nextClient = await next.client();
  await nextClient.ok('GET', '/node/state', { node });
  await nextClient.ok('DELETE', '/node', { name: node });
  await nextClient.ok('DELETE', '/plugin', { plugin: id });
  return { lines: ['Plugins: an installed one was at the standby before the node that needs it'], broken };
}
