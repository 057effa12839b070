// One process that reads every register and publishes the reading, at every multiple of the interval, over two bare sockets. It shares no code with
// the gateway: it has no settings, no types, no reconnection and no errors, so it is about the least that the job costs in Node. As many requests
// are in flight as the gateway's driver has. Argument: JSON of `FloorOptions`.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FloorOptions } from './floor.ts';

const { devicePort, brokerPort, tags, interval, inFlight } = JSON.parse(
  process.argv[2] ?? '{}',
) as FloorOptions;

/** Most registers that one Modbus request reads. */
const mostRegisters = 125;
const requests = Array.from({ length: Math.ceil(tags / mostRegisters) }, (_, index) => {
  const first = index * mostRegisters;
  const request = Buffer.from([0, 0, 0, 0, 0, 6, 1, 3, 0, 0, 0, 0]);
  request.writeUInt16BE(index, 0);
  request.writeUInt16BE(first, 8);
  request.writeUInt16BE(Math.min(mostRegisters, tags - first), 10);
  return request;
});
const names = Array.from({ length: tags }, (_, index) => (index === 0 ? '"clock":' : `,"tag${index}":`));
const values = new Int16Array(tags);

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

const device = await open(devicePort);
const broker = await open(brokerPort);
// MQTT 3.1.1: CONNECT with a clean session, no keep-alive and the client id "floor".
broker.write(Buffer.from([16, 17, 0, 4, 77, 81, 84, 84, 4, 2, 0, 0, 0, 5, 102, 108, 111, 111, 114]));
await once(broker, 'data');
broker.resume();

let rest = Buffer.alloc(0);
let sent = 0;
let answered = 0;
let done = (): void => undefined;

function send(): void {
  while (sent < requests.length && sent - answered < inFlight) device.write(requests[sent++]!);
}

device.on('data', (chunk: Buffer) => {
  const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
  let at = 0;
  while (data.length - at >= 9 && data.length - at >= 9 + data[at + 8]!) {
    const first = data.readUInt16BE(at) * mostRegisters;
    const count = data[at + 8]! / 2;
    for (let index = 0; index < count; index += 1)
      values[first + index] = data.readInt16BE(at + 9 + 2 * index);
    at += 9 + 2 * count;
    answered += 1;
  }
  rest = Buffer.from(data.subarray(at));
  if (answered === requests.length) done();
  else send();
});

/** The bytes of an MQTT PUBLISH at QoS 0. */
function publish(payload: string): void {
  const topic = 'bench';
  const size = 2 + topic.length + payload.length;
  const head = [0x30];
  for (let left = size; ; left >>= 7) {
    head.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  broker.write(Buffer.from([...head, 0, topic.length]));
  broker.write(topic + payload, 'latin1');
}

/** Reads every register once and publishes what was read. */
async function cycle(): Promise<void> {
  sent = 0;
  answered = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  done = resolve;
  send();
  await promise;
  let text = `{"node":"plant","group":"group","timestamp":${Date.now()},"values":{`;
  for (let index = 0; index < tags; index += 1) text += `${names[index]!}${values[index]!}`;
  publish(`${text}}}`);
}

process.stdin.on('end', () => process.exit()).resume();
process.stdout.write('The floor reads.\n');
for (let due = performance.now(); ;) {
  await cycle();
  const now = performance.now();
  // A tick that the cycle overran is not made up for.
  due += Math.max(1, Math.ceil((now - due) / interval)) * interval;
  await sleep(Math.ceil(due - now));
}
