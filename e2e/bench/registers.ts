import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connected } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import type { ProcessRow } from '../kit/processes.ts';
import { sleep, until } from '../kit/until.ts';
import { cpuSeconds } from './observation.ts';
import { int16Tags } from './plant.ts';
import { addGroup, addNode, openSetup, processName, processTree, startNode } from './setup.ts';
import type { MeasureContext } from './setup.ts';

/** The argument of the process of masters, as JSON. */
export interface Masters {
  readonly port: number;
  readonly masters: number;
  readonly registers: number;
  /** Milliseconds. */
  readonly interval: number;
}

interface Counts {
  readonly answers: number;
  readonly late: number;
}

export const registersName = 'Modbus Server, 4 masters poll 10k registers @ 100 ms';

const registers = 10_000;

/** A process that ends with the stack. */
function start(stack: AsyncDisposableStack, script: string, options: object): ChildProcess {
  const path = join(import.meta.dirname, script);
  const child = fork(path, [JSON.stringify(options)], { execArgv: ['--conditions=source'] });
  stack.defer(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  return child;
}

async function countsOf(child: ChildProcess): Promise<Counts> {
  const counts = once(child, 'message') as Promise<[Counts]>;
  child.send('counts');
  return (await counts)[0];
}

/**
 * Masters read from the gateway, and others from a bare server with the same bytes, at the same time, so that other work of the machine slows both
 * down. The server's process also takes ten thousand values a second.
 */
export async function measureRegisters(run: MeasureContext): Promise<void> {
  const { report, quick, stack } = run;
  const setup = await openSetup(run);
  const { client } = setup;
  await addNode(setup, 'plant');
  const tags = int16Tags(registers);
  await addGroup(setup, 'plant', 'group', 1000, tags);
  await startNode(setup, 'plant');
  const port = await freePort();
  const rows = tags.map(({ name }, index) => `tag("plant/group/${name}"),holding,${index + 1},INT16`);
  const table = ['tag,table,address,type', ...rows].join('\n');
  await client.ok('POST', '/node', { name: 'registers', plugin: 'Modbus Server' });
  const params = { medium: 0, host: '127.0.0.1', port, table };
  await client.ok('POST', '/node/setting', { node: 'registers', params });
  await connected(client, 'registers');
  await connected(client, 'plant');
  await sleep(3000);
  const bare = start(stack, 'bare-registers-process.ts', { port, registers });
  const [barePort] = (await once(bare, 'message')) as [number];
  const load = { masters: 4, registers, interval: 100 };
  const sides = [
    { name: 'the gateway', masters: start(stack, 'masters-process.ts', { ...load, port }) },
    { name: 'the bare server', masters: start(stack, 'masters-process.ts', { ...load, port: barePort }) },
  ] as const;
  for (const { masters } of sides)
    await until('the masters poll', async () => (await countsOf(masters)).answers > 1000);
  await sleep(quick ? 3000 : 15_000);
  const runner = async (): Promise<ProcessRow[]> =>
    (await processTree(setup)).filter((row) => processName(setup, row).includes('modbus-server'));
  const costs = async (): Promise<number[]> =>
    Promise.all([cpuSeconds(await runner()), cpuSeconds([{ pid: bare.pid ?? 0, cpu: 0 }])]);
  const before = await Promise.all(sides.map(({ masters }) => countsOf(masters)));
  const [ownBefore = NaN, bareBefore = NaN] = await costs();
  const seconds = quick ? 8 : 30;
  await sleep(1000 * seconds);
  const [own = NaN, least = NaN] = await costs();
  const after = await Promise.all(sides.map(({ masters }) => countsOf(masters)));
  const answers = after.map((counts, side) => counts.answers - before[side]!.answers);
  for (const [side, { name }] of sides.entries()) {
    report.add(registersName, `requests per second, ${name}`, answers[side]! / seconds, '/s');
    const late = after[side]!.late - before[side]!.late;
    report.add(registersName, `polls that took longer than 100 ms, ${name}`, late, '');
  }
  const perRequest = ((own - ownBefore) * 1e6) / answers[0]!;
  const atLeast = ((least - bareBefore) * 1e6) / answers[1]!;
  report.add(registersName, 'CPU per request of the runner, with 10k values a second', perRequest, 'µs');
  report.add(registersName, 'CPU per request of the bare server', atLeast, 'µs');
  report.add(registersName, 'runner ÷ bare server', perRequest / atLeast, '×', { most: 2 });
  for (const row of await runner()) report.add(registersName, 'RSS of the runner', row.rss / 1e6, 'MB');
}
