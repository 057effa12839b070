import { Attribute } from '@tagway/schemas';
import { readValues } from '../kit/configure.ts';
import { sleep } from '../kit/until.ts';
import { Connection, requestBytes } from './connection.ts';
import { warmUp } from './observation.ts';
import { int16Tags } from './plant.ts';
import { addGroup, addNode, addUplink, openSetup, startNode } from './setup.ts';
import type { MeasureContext } from './setup.ts';

/** Register of the tag that is written, far from those that are read. */
const register = 60_000;

/** From the call of the API until the device has the request in its hands, while ten thousand tags are polled. */
export async function measureWrites(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const setup = await openSetup(run);
  const { client, device, gateway } = setup;
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'group', 100, int16Tags(10_000));
  const setpoint = { name: 'setpoint', address: `1!4${register + 1}`, attribute: Attribute.WRITE, type: 4 };
  await client.ok('POST', '/tags', { node: 'plant', group: 'group', tags: [setpoint] });
  await addUplink(setup, 'plant', 'group');
  await startNode(setup, 'plant');
  await readValues(client, 'plant', 'group');
  await warmUp(run, 10);

  const connection = await Connection.open(gateway.url);
  const seen: number[] = [];
  const answered: number[] = [];
  for (let value = 1; value <= (quick ? 150 : 500); value += 1) {
    const arrival = new Promise<number>((resolve) => {
      device.onWrite = (write) => {
        if (write.address === register && write.value === value) resolve(write.at);
      };
    });
    const body = { node: 'plant', group: 'group', tag: 'setpoint', value };
    const question = { method: 'POST', path: '/write', body } as const;
    const request = requestBytes(gateway.url, client.token ?? '', question);
    const from = Number(process.hrtime.bigint()) / 1e6;
    const reply = await connection.exchange(request);
    if (!reply.includes('"error":0')) throw new Error(`A write failed: ${reply}`);
    answered.push(Number(process.hrtime.bigint()) / 1e6 - from);
    seen.push((await arrival) - from);
    // Every phase of the polling cycle gets its share of the writes.
    await sleep(13 + (value % 17));
  }
  connection.close();
  const name = 'POST /write, 10k tags @ 100 ms polled';
  report.addPercentiles(name, 'until the device sees it', seen, { p50: { most: 1 }, p99: { most: 10 } });
  report.addPercentiles(name, 'until it is answered', answered);
}
