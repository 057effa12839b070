import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { plainAddress } from '../../core/logins/client.ts';

/** Proxies whose X-Forwarded-For is trusted. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #hasAny: boolean;

  /** Addresses and networks such as `10.0.0.0/8`. */
  constructor(proxies: readonly string[] = []) {
    this.#hasAny = proxies.length > 0;
    for (const proxy of proxies) {
      const [address = '', length] = proxy.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (length === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(length), family);
    }
  }

  has(address: string): boolean {
    const version = isIP(address);
    return this.#hasAny && version !== 0 && this.#list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  }

  /**
   * The address of the client that makes a request: that of the connection, or, behind a trusted proxy, the last address of
   * X-Forwarded-For that is not a trusted proxy's. The client may have invented the addresses before it.
   */
  addressOf(request: IncomingMessage): string {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    if (!this.has(peer)) return peer;
    const header = request.headers['x-forwarded-for'] ?? '';
    const hops = String(header)
      .split(',')
      .map((hop) => bareAddress(hop.trim()));
    let address = peer;
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) break;
      address = hop;
      if (!this.has(hop)) break;
    }
    return address;
  }
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function bareAddress(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1];
  return plainAddress(bracketed ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop);
}
