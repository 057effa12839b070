import type { ClientRequest } from 'node:http';
import type { Agent, AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { Unavailable } from '../store.ts';
import { hostOf, portOf, proxyAuthorization } from './addresses.ts';

type Options = AgentOptions & {
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
};

/** Milliseconds that a proxy may take to open the way. */
const openTimeout = 10_000;

/** The agent of connections over TLS through a proxy, which opens the way with CONNECT. */
export function tunnelsThrough(proxy: URL, agentOptions: AgentOptions): Agent {
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  const tls = process.getBuiltinModule('node:tls');

  class Tunnels extends https.Agent {
    readonly #opening = new Set<ClientRequest>();

    override createConnection(
      options: Options,
      callback?: (error: Error | null, stream: Duplex) => void,
    ): Duplex | null | undefined {
      const { host = '', port = 443 } = options;
      const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      const done = callback as ((error: Error | null, stream?: Duplex) => void) | undefined;
      const opening = http.request({
        method: 'CONNECT',
        host: hostOf(proxy),
        port: portOf(proxy),
        path,
        headers: { host: path, ...proxyAuthorization(proxy) },
        agent: false,
        timeout: openTimeout,
      });
      this.#opening.add(opening);
      const failed = (reason: string): void =>
        done?.(new Unavailable(`The proxy ${proxy.host} ${reason}`, { step: 'connect' }));
      opening.once('close', () => this.#opening.delete(opening));
      opening.once('timeout', () => opening.destroy(new Error('it does not answer')));
      opening.once('error', ({ message }) => failed(`cannot be used: ${message}.`));
      opening.once('connect', ({ statusCode }, socket) => {
        if (statusCode === 200)
          return done?.(null, tls.connect({ ...(options as ConnectionOptions), socket }));
        socket.destroy();
        failed(refusal(statusCode, path));
      });
      opening.end();
      return undefined;
    }

    override destroy(): void {
      for (const opening of this.#opening) opening.destroy();
      super.destroy();
    }
  }

  return new Tunnels(agentOptions);
}

function refusal(status: number | undefined, path: string): string {
  return status === 407
    ? 'wants a user name and a password, or other ones: write them into "proxy".'
    : `does not open the way to ${path}: it answers ${status ?? 'nothing'}.`;
}
