import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../kit/until.ts';
import type { Outcome } from './judge.ts';
import type { Pair } from './pair.ts';
import { now } from './referee.ts';
import { longestPause } from './tenures.ts';

/** Milliseconds without a request that show that polling was disturbed. */
const pause = 1000;

/** The active gateway is started a second time, and a gateway is started with the name of another pair, or with what others can read: mistakes of people. */
export async function tryMistakes(pair: Pair, hasGate: boolean): Promise<Outcome> {
  const broken = [
    ...(await secondStart(pair, hasGate)),
    ...(await wrongName(pair)),
    ...(await openWays(pair)),
  ];
  return {
    lines: [
      'Mistakes: a second start on one folder and a wrong --pair-id change nothing; open ways are named',
    ],
    broken,
  };
}

async function secondStart(pair: Pair, hasGate: boolean): Promise<string[]> {
  const { active } = await pair.settled();
  const begin = now();
  const { code, output } = await active.attempt();
  const end = now();
  const broken: string[] = [];
  if (code !== 1 || !output.includes('Another gateway runs on the data folder'))
    broken.push(`a second start on one folder ended with ${code}: ${output}`);
  if (hasGate && !pair.network.isGated(active.side))
    broken.push('a second start on the folder of the active gateway removed its gate in the kernel');
  const gap = longestPause(await pair.referee.since(begin), begin, end);
  if (gap > pause * pair.patience) broken.push(`a second start on one folder cost ${gap.toFixed(0)} ms`);
  return broken;
}

async function wrongName(pair: Pair): Promise<string[]> {
  const { standby } = await pair.settled();
  await standby.stop();
  const begin = now();
  const { code, output } = await standby.attempt('--pair-id', 'plantt');
  const broken: string[] = [];
  if (code !== 1 || !output.includes('belongs to the pair "plant" and not to "plantt"'))
    broken.push(`a start with the name of another pair ended with ${code}: ${output}`);
  if (await pair.referee.hears(standby.side, begin))
    broken.push('a gateway with the name of another pair polled');
  // Who means it says so; the folder joins the pair that it is started with next.
  const left = await standby.attempt('--leave-pair');
  if (left.code !== 0 || !left.output.includes('has left the pair "plant"'))
    broken.push(`--leave-pair ended with ${left.code}: ${left.output}`);
  await standby.start();
  await pair.settled();
  return broken;
}

/** A key of secrets as `openssl rand > FILE` makes it, and a way to etcd on other machines without TLS. */
async function openWays(pair: Pair): Promise<string[]> {
  const { standby } = await pair.settled();
  await standby.stop();
  const { secretsKey } = standby;
  await chmod(secretsKey, 0o644);
  const file = join(standby.data, 'logs', 'tagway.log');
  const { length } = await readFile(file);
  await standby.start();
  const broken: string[] = [];
  const mode = (await stat(secretsKey)).mode & 0o777;
  if ((mode & 0o007) !== 0) broken.push(`the key of secrets was left with mode ${mode.toString(8)}`);
  for (const said of ['could be used by every user of this machine (mode 644)', 'The way to etcd at http://'])
    await until(`the log of a start says: ${said}`, async () =>
      (await readFile(file)).subarray(length).includes(said),
    ).catch((error: unknown) => broken.push(String(error)));
  await chmod(secretsKey, 0o600);
  await pair.settled();
  return broken;
}
