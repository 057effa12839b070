// Masters of Modbus TCP in a process of their own: each polls all registers again and again, and waits for one answer before it asks for the
// next. Started by registers.ts, to whose messages it answers with what came so far.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Masters } from './registers.ts';

const { port, masters, registers, interval } = JSON.parse(process.argv[2] ?? '') as Masters;

/** Registers of one request. */
const most = 125;
const answerSize = 9 + 2 * most;

let answers = 0;
/** Polls that took longer than the interval. */
let late = 0;

function requests(): Buffer[] {
  return Array.from({ length: Math.ceil(registers / most) }, (_, index) => {
    const request = Buffer.from('000000000006010300000000', 'hex');
    request.writeUInt16BE(index, 0);
    request.writeUInt16BE(index * most, 8);
    request.writeUInt16BE(most, 10);
    return request;
  });
}

/** Resolves with the next answer, however its bytes come. */
async function answerOf(socket: Socket): Promise<Buffer> {
  let [data] = (await once(socket, 'data')) as [Buffer];
  while (data.length < answerSize) {
    const [more] = (await once(socket, 'data')) as [Buffer];
    data = Buffer.concat([data, more]);
  }
  return data;
}

async function poll(index: number): Promise<never> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  await sleep((index * interval) / masters);
  for (let next = performance.now(); ;) {
    for (const request of requests()) {
      socket.write(request);
      const answer = await answerOf(socket);
      if (
        answer.length !== answerSize ||
        answer[7] !== 3 ||
        answer.readUInt16BE(0) !== request.readUInt16BE(0)
      )
        throw new Error(`A master was answered with ${answer.toString('hex', 0, 12)}.`);
      answers++;
    }
    next += interval;
    const rest = next - performance.now();
    if (rest > 0) await sleep(rest);
    else {
      late++;
      next = performance.now();
    }
  }
}

process.on('message', () => process.send?.({ answers, late }));
process.on('disconnect', () => process.exit());
await Promise.all(Array.from({ length: masters }, (_, index) => poll(index)));
