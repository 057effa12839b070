import { connected, readValues } from '../kit/configure.ts';
import type { TagValue } from '../kit/configure.ts';
import { sleep, until } from '../kit/until.ts';
import { OpcUaServer } from '../world/opcua-server.ts';
import { addMemory } from './observation.ts';
import { int16Tags } from './plant.ts';
import { tagsOf } from './publisher.ts';
import { addGroup, addNode, addUplink, openSetup, processName, processTree, startNode } from './setup.ts';
import type { MeasureContext } from './setup.ts';
import { opcUa } from './sources.ts';

const groupSize = 10_000;

/** From the start of the process to the first answer and to the first values, with tags stored and a driver to start. */
export async function measureStartUp(count: number, run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const setup = await openSetup(run);
  const { gateway } = setup;
  await addNode(setup, 'plant');
  const groups = Array.from({ length: count / groupSize }, (_, index) => ({
    name: `group ${index}`,
    tags: int16Tags(groupSize, index * groupSize),
  }));
  for (const { name, tags } of groups) await addGroup(setup, 'plant', name, 1_000, tags);
  await startNode(setup, 'plant');

  const answers: number[] = [];
  const firsts: number[] = [];
  const alls: number[] = [];
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    await gateway.stop();
    const from = performance.now();
    await gateway.start();
    const client = gateway.anonymous();
    await client.ok('POST', '/ping');
    answers.push(performance.now() - from);
    await client.login();
    const hasValue = async ({ name, tags }: (typeof groups)[number]): Promise<boolean> => {
      const body = { node: 'plant', group: name, query: { name: tags.at(-1)?.name } };
      const { tags: read } = await client.ok<{ tags: TagValue[] }>('POST', '/read', body);
      return read.length > 0 && read.every(({ error }) => error === undefined);
    };
    const waiting = [...groups];
    const allHaveValues = async (): Promise<boolean> => {
      while (waiting[0] !== undefined && (await hasValue(waiting[0]))) {
        if (firsts.length === round) firsts.push(performance.now() - from);
        waiting.shift();
      }
      // Whichever comes first counts.
      if (firsts.length === round && (await Promise.all(waiting.map(hasValue))).includes(true))
        firsts.push(performance.now() - from);
      return waiting.length === 0;
    };
    await until('all groups have values', allHaveValues, { within: 60_000, every: 5 });
    alls.push(performance.now() - from);
  }
  const name = `start-up, ${count / 1000}k tags stored`;
  const isSmall = count === 10_000;
  report.add(name, 'to the first answer', Math.min(...answers), 'ms', isSmall ? { most: 400 } : undefined);
  report.add(name, 'to the first value', Math.min(...firsts), 'ms', isSmall ? { most: 1200 } : undefined);
  report.add(name, 'to values of every tag', Math.min(...alls), 'ms');
}

/** From the settings of the first node, when there is no runner yet, to its session and its first values; and what it then takes. */
export async function measureOpcUaStart(run: MeasureContext): Promise<void> {
  const { report, quick, stack } = run;
  const name = 'OPC UA, 10 tags @ 1 s';
  const server = stack.adopt(await OpcUaServer.start({ counting: 10 }), (it) => it.stop());
  const setup = await openSetup(run);
  const { client, gateway } = setup;
  await addNode(setup, 'plant', 'OPC UA');
  await addGroup(setup, 'plant', 'group', 1_000, tagsOf(10, opcUa(10)));
  // Adding tags may have asked the plugin, which is then there already.
  const hasEnded = async (): Promise<boolean> => (await gateway.runners()).length === 0;
  await until('there is no runner', hasEnded, { within: 60_000 });
  const from = performance.now();
  await startNode(setup, 'plant', { url: server.url });
  await connected(client, 'plant');
  report.add(name, 'from settings to session, first start', performance.now() - from, 'ms');
  await readValues(client, 'plant', 'group');
  report.add(name, 'from settings to values, first start', performance.now() - from, 'ms');
  await sleep(quick ? 2_000 : 10_000);
  for (const row of await processTree(setup)) {
    const process = processName(setup, row);
    if (process !== 'host') report.add(name, `RSS ${process}`, row.rss / 1e6, 'MB');
  }
}

/** Memory of a gateway that has nothing to do, and of one that has next to nothing to do. */
export async function measureIdle(run: MeasureContext): Promise<void> {
  const setup = await openSetup(run);
  const measure = async (name: string, most: number): Promise<void> => {
    // V8 tidies up eight seconds after the last work.
    await sleep(run.quick ? 2_000 : 15_000);
    const processes = await processTree(setup);
    await addMemory(run.report, name, processes, (row) => processName(setup, row), { most });
  };
  await measure('idle, no nodes', 70);
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'group', 1_000, int16Tags(10));
  await addUplink(setup, 'plant', 'group');
  await startNode(setup, 'plant');
  await connected(setup.client, 'plant');
  await measure('idle, one driver and one app, 10 tags @ 1 s', 150);
}
