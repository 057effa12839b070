import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { clientOf } from '../../src/core/logins/client.ts';
import { TrustedProxies } from '../../src/http/guard/client-address.ts';

describe('whom an address stands for', () => {
  const cases: readonly (readonly [address: string, client: string])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ];
  for (const [address, client] of cases)
    it(`${address} is ${client}`, () => expect(clientOf(address)).to.equal(client));
});

describe('the address of a request', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32']);
  const from = (remoteAddress: string, forwarded?: string): string =>
    proxies.addressOf({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage);

  const cases: readonly (readonly [
    name: string,
    peer: string,
    header: string | undefined,
    address: string,
  ])[] = [
    ['is the peer', '203.0.113.5', undefined, '203.0.113.5'],
    ['is the peer, whatever one that is not trusted says', '203.0.113.5', '1.2.3.4', '203.0.113.5'],
    ['is what a trusted proxy says', '192.0.2.1', '1.2.3.4', '1.2.3.4'],
    ['is what a proxy of a trusted network says', '::ffff:10.9.8.7', '1.2.3.4', '1.2.3.4'],
    ['is what a trusted proxy of IPv6 says', '2001:db8::5', '2001:dead::1', '2001:dead::1'],
    [
      'is the last that is not trusted, and not what its client made up',
      '10.0.0.1',
      '9.9.9.9, 1.2.3.4, 10.0.0.2',
      '1.2.3.4',
    ],
    ['is the farthest proxy where all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is the proxy where it says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['ends at what is no address', '10.0.0.1', '1.2.3.4, unknown', '10.0.0.1'],
    ['may have a port', '10.0.0.1', '1.2.3.4:555', '1.2.3.4'],
    ['may have a port behind brackets', '10.0.0.1', '[2001:dead::1]:555', '2001:dead::1'],
  ];
  for (const [name, peer, header, address] of cases)
    it(name, () => expect(from(peer, header)).to.equal(address));
});
