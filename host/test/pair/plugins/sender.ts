import { createSocket } from 'node:dgram';
import { driver } from '@tagway/sdk';
import { tcpClient, type Transport, udp } from '@tagway/sdk/link';

interface Settings {
  readonly tcp: number;
  readonly tls: number;
  readonly udp: number;
  /** Milliseconds for which the event loop stands still once, after it has sent for a while. */
  readonly stall?: number;
  /** It sends this many times and then nothing more, and keeps its connections. */
  readonly times?: number;
}

/**
 * Sends all the time through every transport of the SDK, and through a socket of its own for which it asks its context. It logs how that
 * goes, and each read.
 */
export default driver<Settings>({
  create({ settings, log, clock, maySend }) {
    const endpoint = (port: number): { host: string; port: number } => ({ host: '127.0.0.1', port });
    const transports: Readonly<Record<string, Transport>> = {
      tcp: tcpClient(endpoint(settings.tcp)),
      tls: tcpClient(endpoint(settings.tls), { tls: { rejectUnauthorized: false } }),
      udp: udp(endpoint(settings.udp)),
    };
    const open = new Set<string>();
    const own = createSocket('udp4');
    let timer: NodeJS.Timeout | undefined;
    return {
      async start() {
        for (const [name, transport] of Object.entries(transports)) {
          const opened = (): void => void open.add(name);
          const closed = ({ reason }: { readonly reason: string }): void => {
            open.delete(name);
            log.notice(`${name} failed: ${reason}`);
          };
          await transport.open({ opened, closed, received: () => undefined }, clock);
        }
        let left = settings.times ?? Infinity;
        timer = setInterval(() => {
          if (open.size < 3 || left-- <= 0) return;
          for (const name of open) transports[name]?.send(Buffer.from(`${name};`));
          if (maySend()) own.send('own;', settings.udp, '127.0.0.1');
        }, 5);
        if (settings.stall !== undefined) {
          const { stall } = settings;
          setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stall), 300);
        }
      },
      async read() {
        log.notice('read');
      },
      async stop() {
        clearInterval(timer);
        own.close();
        for (const transport of Object.values(transports)) await transport.close();
      },
    };
  },
  checkTag: () => undefined,
});
