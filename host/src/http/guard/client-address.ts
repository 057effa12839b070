import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** `::ffff:192.0.2.1` is how a socket that listens for both kinds of addresses sees 192.0.2.1. */
function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/**
 * The client of an address: the address itself, or the /64 network of an IPv6 address, because one machine can use all addresses of its
 * network.
 */
export function clientOf(address: string): string {
  const known = plain(address);
  if (!known.includes(':')) return known;
  const [bare = ''] = known.split('%');
  const [head = '', tail] = bare.toLowerCase().split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

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
    const peer = plain(request.socket.remoteAddress ?? '');
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
  return plain(bracketed ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop);
}
