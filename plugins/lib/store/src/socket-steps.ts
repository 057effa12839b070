import { isIP, type Socket } from 'node:net';
import type { LinkStep } from '@tagway/sdk';

/** Calls back as each step of opening a connection begins. The socket is one that is about to connect, over TLS or before it. */
export function followSteps(
  socket: Socket,
  { host, isSecure }: { readonly host: string; readonly isSecure: boolean },
  begin: (step: LinkStep) => void,
): void {
  const isName = isIP(host) === 0;
  begin(isName ? 'resolve' : 'connect');
  socket.once('lookup', (error: Error | null) => {
    if (isName && error === null) begin('connect');
  });
  socket.once('connect', () => begin(isSecure ? 'handshake' : 'first answer'));
  socket.once('secureConnect', () => begin('first answer'));
}
