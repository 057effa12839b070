import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** `::ffff:192.0.2.1` is how a socket that listens for both kinds of addresses sees 192.0.2.1. */
export function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/**
 * The client of an address: the address itself, or the /64 network of an IPv6 address, because one machine can use all addresses of its
 * network.
 */
export function clientOf(address: string): string {
  const known = plainAddress(address);
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

/** Whether an address is one of this machine's own, which no other machine has. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  // The list takes IPv4 addresses that are written as IPv6 for what they are.
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
