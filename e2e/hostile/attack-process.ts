import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';

/** A process that does to a gateway what its argument says, without a token, for a time. Its last message is what came of it. */

const { form, port, connections, seconds, host, bytes = 0 } = JSON.parse(process.argv[2] ?? '') as Attack;
const end = performance.now() + seconds * 1000;
const isOver = (): boolean => performance.now() >= end;
let replies = 0;
let refused = 0;

function open(): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: host });
  socket.setMaxListeners(0);
  socket.on('error', () => undefined);
  return socket;
}

function count(socket: Socket): void {
  socket.on('data', (chunk) => {
    const text = chunk.toString('latin1');
    replies += text.split('HTTP/1.1 ').length - 1;
    refused += text.split('HTTP/1.1 429').length - 1;
  });
}

const get = (path: string): string => `GET /api/v2${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (path: string, text: string): string =>
  `POST /api/v2${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n${text}`;

/** Asks again as soon as there is an answer, over a connection that is made again when it is closed. */
async function ask(request: () => string): Promise<void> {
  while (!isOver()) {
    const socket = open();
    count(socket);
    const closed = once(socket, 'close').catch(() => undefined);
    socket.on('data', () => socket.write(request()));
    socket.write(request());
    const timer = setTimeout(() => socket.destroy(), Math.max(1, end - performance.now()));
    await closed;
    clearTimeout(timer);
  }
}

/** Sends the same bytes again and again, without waiting for answers, over a connection that is made again when it is closed. */
async function pour(bytes: Buffer, reads: boolean): Promise<void> {
  while (!isOver()) {
    const socket = open();
    if (reads) count(socket);
    else socket.pause();
    let isClosed = false;
    socket.once('close', () => (isClosed = true));
    while (!isClosed && !isOver()) {
      socket.write(bytes);
      await (socket.writableLength > 1 << 20 ? sleep(20) : setImmediate());
    }
    socket.destroy();
    await sleep(1);
  }
}

async function churn(request: string): Promise<void> {
  while (!isOver()) {
    const socket = open();
    count(socket);
    const closed = once(socket, 'close').catch(() => undefined);
    socket.once('connect', () => (request === '' ? socket.destroy() : socket.write(request)));
    socket.once('data', () => socket.destroy());
    const timer = setTimeout(() => socket.destroy(), 1000);
    await closed;
    clearTimeout(timer);
  }
}

let guess = process.pid * 1000;
const forms: Readonly<Record<Attack['form'], () => Promise<void>>> = {
  pipelined: () => pour(Buffer.from(get('/metrics').repeat(3500)), true),
  metrics: () => ask(() => get('/metrics')),
  refused: () => ask(() => get('/node?type=1')),
  forged: () =>
    ask(() => get('/node').replace('\r\n\r\n', `\r\nAuthorization: Bearer e30.e30.${guess++}\r\n\r\n`)),
  unread: () => pour(Buffer.from(get('/openapi.json').repeat(20)), false),
  bodies: () => pour(Buffer.from(post('/login', 'x'.repeat(bytes))), true),
  held: async () => {
    const socket = open();
    socket.write(`POST /api/v2/login HTTP/1.1\r\nHost: x\r\nContent-Length: ${16 << 20}\r\n\r\n`);
    socket.write(Buffer.alloc(15 << 20, ' '));
    await sleep(Math.max(1, end - performance.now()));
    socket.destroy();
  },
  guesses: () => ask(() => post('/login', JSON.stringify({ name: `user${guess++ % 1000}`, pass: 'guess' }))),
  idle: async () => {
    while (!isOver()) {
      const socket = open();
      await Promise.race([
        once(socket, 'close').catch(() => undefined),
        sleep(Math.max(1, end - performance.now())),
      ]);
      socket.destroy();
      await sleep(100);
    }
  },
  churn: () => churn(get('/metrics')),
  knocks: () => churn(''),
};

await Promise.all(Array.from({ length: connections }, () => forms[form]()));
process.send?.({ replies, refused });
process.disconnect();
