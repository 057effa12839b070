import { createSocket } from 'node:dgram';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { driver } from '@tagway/sdk';

interface Settings {
  readonly tcp: number;
  readonly tls: number;
  readonly udp: number;
  /** Milliseconds for which the event loop stands still once, after it has sent for a while. */
  readonly stall?: number;
}

/** Sends what it is called through every kind of socket, all the time, and says how that goes and that it was read. */
export default driver<Settings>({
  create: ({ settings, log }) => {
    const streams = new Map<string, Socket>();
    const ends: Disposable[] = [];
    const send = (name: 'tcp' | 'tls'): void => {
      let socket = streams.get(name);
      if (socket === undefined) {
        const options = { port: settings[name], host: '127.0.0.1', rejectUnauthorized: false };
        socket = name === 'tcp' ? connectTcp(options) : connectTls(options);
        streams.set(name, socket);
        socket.on('error', ({ message }) => log.notice(`${name} failed: ${message}`));
        socket.on('close', () => streams.delete(name));
      }
      socket.write(`${name};`);
    };
    const sendDatagram = (): void => {
      const socket = createSocket('udp4');
      socket.send('udp;', settings.udp, '127.0.0.1', (error) => {
        if (error) log.notice(`udp failed: ${error.message}`);
        else socket.close();
      });
    };
    return {
      async start() {
        const timer = setInterval(() => {
          send('tcp');
          send('tls');
          sendDatagram();
        }, 5);
        ends.push({ [Symbol.dispose]: () => clearInterval(timer) });
        if (settings.stall !== undefined) {
          const { stall } = settings;
          setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stall), 300);
        }
      },
      async read() {
        log.notice('read');
      },
      async stop() {
        for (const end of ends) end[Symbol.dispose]();
        for (const socket of streams.values()) socket.destroy();
      },
    };
  },
  checkTag: () => undefined,
});
