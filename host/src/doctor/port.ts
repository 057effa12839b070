import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemReason } from '../core/system-error.ts';
import { findAddress } from '../gateway-address.ts';
import { type Finding, ok, wrong } from './finding.ts';

/** Whether the gateway can listen where it is to, or does so already. */
export async function portFinding(host: string, port: number, data: string): Promise<Finding> {
  const about = 'Port';
  const place = `port ${port} of ${host}`;
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return ok(
      about,
      port === 0 ? `The system chooses a free port of ${host}.` : `Nobody listens at ${place}.`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const address = await findAddress(data);
    if (code === 'EADDRINUSE' && address !== undefined && (await answers(address.url)))
      return ok(about, `The gateway of this data folder listens at ${address.url}.`);
    const what = {
      EADDRINUSE: `See which with "ss -ltnp 'sport = :${port}'", end it, or name another port with --port.`,
      EACCES:
        'Ports below 1024 are for root: name another one with --port, or let "tagway service install" arrange it.',
      EADDRNOTAVAIL: 'Name an address of this machine with --host; "ip address" lists them.',
    }[code ?? ''];
    return wrong(
      about,
      `The gateway cannot listen at ${place}: ${systemReason(error)}. ${what ?? 'Name another address or port.'}`,
    );
  } finally {
    server.close();
  }
}

/** Whether something takes connections there; a certificate of its own is no matter here. */
async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(3000) });
    return reply.status < 600;
  } catch (error) {
    return String((error as Error).cause).includes('certificate');
  }
}
