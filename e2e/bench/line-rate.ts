// Requests per second of Modbus RTU beside what the line can carry: node e2e/bench/line-rate.ts, after a build. A pty of socat has no
// speed, so the units play the time that request and answer take on the wire, and the silences between them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import { Child } from '../child.ts';
import { connected, holding } from '../configure.ts';
import { Gateway } from '../gateway.ts';
import { frameGap, startRtuLine, wireTime } from '../rtu-line.ts';
import { sleep } from '../until.ts';

const registers = 10;
const requests = 200;
const measured = 8000;

const tags = Array.from({ length: registers * requests }, (_, index) => ({
  name: `tag${index}`,
  address: holding(1 + (index % registers) + Math.floor(index / registers) * 100),
  attribute: Attribute.READ,
  type: DataType.INT16,
}));

async function measure(baud: number, interval: number, isSerial: boolean): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tagway-rate-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const line = await startRtuLine({ baud, gaps: isSerial ? 1 : 2 });
  stack.defer(() => line.stop());
  const device = join(folder, 'port');
  if (isSerial) {
    const ends = [`PTY,rawer,link=${device}`, `TCP:127.0.0.1:${line.port},nodelay`];
    const cable = await Child.start('socat', ['-d', '-d', ...ends], { ready: /starting data transfer loop/ });
    stack.defer(async () => {
      await cable.stop();
    });
  }
  const gateway = await Gateway.start();
  stack.defer(() => gateway.dispose());
  const client = await gateway.client();
  await client.ok('POST', '/node', { name: 'line', plugin: 'Modbus RTU' });
  await client.ok('POST', '/group', { name: 'group', node: 'line', interval: 100 });
  await client.ok('POST', '/tags', { node: 'line', group: 'group', tags });
  const way = isSerial
    ? { link: 0, device, baud: baud === 115_200 ? 0 : 4, data: 3, parity: 0, stop: 0 }
    : { link: 1, connection_mode: 0, host: '127.0.0.1', port: line.port };
  await client.ok('POST', '/node/setting', { node: 'line', params: { ...way, timeout: 3000, interval } });
  await connected(client, 'line');
  await sleep(500);
  const before = line.asked(1);
  await sleep(measured);
  return ((line.asked(1) - before) * 1000) / measured;
}

for (const baud of [9600, 115_200]) {
  const limit = 1000 / (wireTime(baud, 8 + 5 + 2 * registers) + 2 * frameGap(baud));
  for (const interval of [0, 20])
    for (const isSerial of [true, false]) {
      const rate = await measure(baud, interval, isSerial);
      const share = Math.round((100 * rate) / limit);
      process.stdout.write(
        `${baud} baud, interval ${interval}, ${isSerial ? 'serial port' : 'over TCP'}: ${rate.toFixed(1)} requests/s, ` +
          `the line's limit is ${limit.toFixed(1)} (${share} %)\n`,
      );
    }
}
