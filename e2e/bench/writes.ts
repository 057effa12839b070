import { Attribute } from '@tagway/schemas';
import { readValues } from '../configure.ts';
import { sleep } from '../until.ts';
import { Connection, requestBytes } from './connection.ts';
import { int16Tags } from './plant.ts';
import { percentile } from './report.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, addUplink, openStand, startDriver } from './stand.ts';
import { warmUp } from './warm-up.ts';

/** Register of the tag that is written, far from those that are read. */
const register = 60_000;

/** From the call of the API until the device has the request in its hands, while ten thousand tags are polled. */
export async function measureWrites(run: Run): Promise<void> {
  const { report, quick } = run;
  await using stand = await openStand(run);
  const { client, device, gateway } = stand;
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', 100, int16Tags(10_000));
  const setpoint = { name: 'setpoint', address: `1!4${register + 1}`, attribute: Attribute.WRITE, type: 4 };
  await client.ok('POST', '/tags', { node: 'plant', group: 'group', tags: [setpoint] });
  await addUplink(stand, 'plant', 'group', 'bench');
  await startDriver(stand, 'plant');
  await readValues(client, 'plant', 'group');
  await warmUp(run, 10);

  const { host, port } = new URL(gateway.url);
  const connection = await Connection.open(Number(port));
  const seen: number[] = [];
  const answered: number[] = [];
  for (let value = 1; value <= (quick ? 150 : 500); value += 1) {
    const arrival = new Promise<number>((resolve) => {
      device.onWrite = (write) => {
        if (write.address === register && write.value === value) resolve(write.at);
      };
    });
    const body = { node: 'plant', group: 'group', tag: 'setpoint', value };
    const request = requestBytes(host, client.token ?? '', { method: 'POST', path: '/write', body });
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
  report.add(name, 'until the device sees it p50', percentile(seen, 0.5), 'ms', { most: 1 });
  report.add(name, 'until the device sees it p99', percentile(seen, 0.99), 'ms', { most: 10 });
  report.add(name, 'until it is answered p50', percentile(answered, 0.5), 'ms');
  report.add(name, 'until it is answered p99', percentile(answered, 0.99), 'ms');
}
