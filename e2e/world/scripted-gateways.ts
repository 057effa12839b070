import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LinkState, RunningState } from '@tagway/schemas';

/** Nodes of each. */
const nodes = 20;

/** The list of a fleet. */
export type GatewayList = readonly { readonly name: string; readonly url: string; readonly token: string }[];

/**
 * Gateways that answer what a gateway is asked by one that shows a fleet, each at a port of its own. Of every ten, one has a node that is
 * down, and one has tags in error.
 */
export class ScriptedGateways implements AsyncDisposable {
  readonly list: GatewayList;
  readonly #servers: readonly Server[];

  private constructor(servers: readonly Server[]) {
    this.#servers = servers;
    this.list = servers.map((server, index) => ({
      name: nameOf(index),
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: `token-${index}`,
    }));
  }

  static async start(count: number): Promise<ScriptedGateways> {
    const servers = Array.from({ length: count }, (_, index) => {
      const replies = repliesOf(index);
      return createServer(({ url = '', headers }, response) => {
        const body = headers.authorization === `Bearer token-${index}` ? replies[url] : undefined;
        response.writeHead(body === undefined ? 403 : 200, { 'content-type': 'application/json' });
        response.end(body ?? '{"error":1006}');
      });
    });
    await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
    return new ScriptedGateways(servers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#servers.map(async (server) => {
        const closed = once(server.close(), 'close');
        server.closeAllConnections();
        await closed;
      }),
    );
  }
}

const nameOf = (index: number): string => `hall ${String(index).padStart(3, '0')}`;

function repliesOf(index: number): Readonly<Record<string, string>> {
  const states = Array.from({ length: nodes }, (_, node) => ({
    node: `press ${node}`,
    running: RunningState.RUNNING,
    link: index % 10 === 0 && node === 0 ? LinkState.DISCONNECTED : LinkState.CONNECTED,
    rtt: 3,
    log_level: 'notice',
    ...(index % 10 === 1 && node === 1 && { tags_in_error: { 3002: 4 } }),
    ...(index % 10 < 2 && {
      last_error: { code: 3002, text: 'The device does not answer.', since: 1_795_000_000_000 },
    }),
  }));
  const version = { version: '1.0.0', revision: 'abc1234', build_date: '2026-11-01' };
  const alarms = { alarms: [], counts: { unacknowledged: index % 10 === 0 ? 2 : 0 } };
  return {
    '/api/v2/version': JSON.stringify(version),
    '/api/v2/status': JSON.stringify({ status: 'ready' }),
    '/api/v2/node/state': JSON.stringify({ states }),
    '/api/v2/alarms?page_size=1': JSON.stringify(alarms),
  };
}
