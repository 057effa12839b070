import type { Outcome } from './judge.ts';
import type { Pair } from './pair.ts';
import { now } from './referee.ts';
import { longestPause } from './tenures.ts';

/** Milliseconds without a request that show that polling was disturbed. */
const pause = 1000;

/** The active gateway is started a second time, and a gateway is started with the name of another pair: mistakes of people. */
export async function tryMistakes(pair: Pair, hasGate: boolean): Promise<Outcome> {
  const broken = [...(await secondStart(pair, hasGate)), ...(await wrongName(pair))];
  return { lines: ['Mistakes: a second start on one folder and a wrong --pair-id change nothing'], broken };
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
