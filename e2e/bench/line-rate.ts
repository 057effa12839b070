// Requests per second of Modbus RTU beside what the line can carry: node e2e/bench/line-rate.ts, after a build. A pty of socat has no
// speed, so the units play the time that request and answer take on the wire, and the silences between them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import { addDriver, connected, holding } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { sleep } from '../kit/until.ts';
import { layCable } from '../world/cable.ts';
import { frameGap, startRtuLine, wireTime } from '../world/rtu-line.ts';

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
  const line = stack.adopt(await startRtuLine({ baud, gaps: isSerial ? 1 : 2 }), (it) => it.stop());
  const device = join(folder, 'port');
  if (isSerial) stack.adopt(await layCable(device, line.port), (it) => it.stop());
  const gateway = stack.adopt(await Gateway.start(), (it) => it.dispose());
  const client = await gateway.client();
  const way = isSerial
    ? { link: 0, device, baud: baud === 115_200 ? 0 : 4, data: 3, parity: 0, stop: 0 }
    : { link: 1, connection_mode: 0, host: '127.0.0.1', port: line.port };
  const settings = { ...way, timeout: 3000, interval };
  await addDriver(client, 'line', { plugin: 'Modbus RTU', interval: 100, tags, settings });
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
