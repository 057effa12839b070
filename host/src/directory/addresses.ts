import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { ErrorCode } from '@tagway/schemas';
import { Refusal, sentence } from '../core/system/sentence.ts';

/** Addresses that are of this machine, of its networks or of no single machine. */
const inner = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inner.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 127],
  // An IPv4 address in another form, which leads to the same machine.
  ['64:ff9b::', 96],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  inner.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address is a loopback, link-local, private or multicast one. */
export function isInner(address: string): boolean {
  return inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

export function refusedAddress(host: string): Refusal {
  return new Refusal(
    ErrorCode.ADDRESS_REFUSED,
    sentence`The registry leads to ${host}, which is a machine of a private network or this one. It is asked only where an admin has named its origin at the registry.`,
  );
}

/** A name, or an address without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Throws ADDRESS_REFUSED for a host that is written as an inner address, which is not looked up. */
export function checkHost(url: URL): void {
  const host = hostOf(url);
  if (isIP(host) !== 0 && isInner(host)) throw refusedAddress(host);
}

/** Looks up a name as Node does, and refuses it when one of its addresses is an inner one: the connection goes to what was checked. */
export const outerLookup: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    if (addresses.some(({ address }) => isInner(address)))
      return callback(new Error('The address is an inner one.', { cause: refusedAddress(hostname) }), '', 0);
    if (options.all === true) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first?.address ?? '', first?.family ?? 0);
  });
};
