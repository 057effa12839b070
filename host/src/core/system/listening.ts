import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemReason } from './system-error.ts';

/** What an operator can do when the gateway cannot listen, by the code of the system. */
export function portAdvice(error: unknown, port: number): string {
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `See which with "ss -ltnp 'sport = :${port}'", end it, or name another port with --port.`,
    EACCES:
      'Ports below 1024 are for root and for the service: name another one with --port, or let "tagway service install" make the service.',
    EADDRNOTAVAIL: 'Name an address of this machine with --host; "ip address" lists them.',
  };
  return advice[(error as NodeJS.ErrnoException).code ?? ''] ?? 'Name another address or port.';
}

/** Why the API cannot listen, and what to do. */
export function listenError(host: string, port: number, cause: unknown): Error {
  return new Error(
    `The API cannot listen on ${host} port ${port}: ${systemReason(cause)}. ${portAdvice(cause, port)}`,
    { cause },
  );
}

/** Rejects when nothing can listen there now. Port 0 always can. */
export async function checkPort(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } finally {
    server.close();
  }
}
