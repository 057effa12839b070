// A Node server that answers requests for registers with bytes that it has got from another server before: what answering costs at least.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import type { Masters } from './registers.ts';

const { port, registers } = JSON.parse(process.argv[2] ?? '') as Pick<Masters, 'port' | 'registers'>;

const most = 125;
const answerSize = 9 + 2 * most;

/** By the first register. */
const answers = new Map<number, Buffer>();
const source = connect(port, '127.0.0.1');
await once(source, 'connect');
for (let start = 0; start < registers; start += most) {
  const request = Buffer.from('000000000006010300000000', 'hex');
  request.writeUInt16BE(start, 8);
  request.writeUInt16BE(most, 10);
  source.write(request);
  let answer = Buffer.alloc(0);
  while (answer.length < answerSize)
    answer = Buffer.concat([answer, ((await once(source, 'data')) as [Buffer])[0]]);
  answers.set(start, answer);
}
source.destroy();

const server = createServer((socket) => {
  socket.setNoDelay();
  socket.on('error', () => undefined);
  socket.on('data', (request) => {
    const answer = Buffer.from(answers.get(request.readUInt16BE(8)) ?? '');
    request.copy(answer, 0, 0, 2);
    socket.write(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
