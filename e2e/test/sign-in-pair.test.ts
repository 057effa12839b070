import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { expect } from 'chai';
import { useFolder } from '../kit/folder.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { OidcPeer } from '../world/oidc-provider.ts';
import { base, hasSlapd, Slapd } from '../world/slapd.ts';

const title = `users that are kept elsewhere, at both gateways of a pair${etcdSkipped}${hasSlapd ? '' : ' (skipped: slapd or openssl is not installed)'}`;

(hasEtcd && hasSlapd ? describe : describe.skip)(title, function () {
  this.timeout(120_000);
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  const folder = useFolder('sign-in-pair');
  let provider: OidcPeer;
  let west: Gateway;
  let east: Gateway;
  let settings: { ldap: object; oidc: object };

  before(async () => {
    const cluster = stack.use(await EtcdCluster.start(1));
    const slapd = await Slapd.start(folder('slapd'), [{ name: 'anna', password: 'pass of anna' }], {
      operators: ['anna'],
    });
    stack.defer(() => slapd.stop());
    provider = await OidcPeer.start();
    stack.defer(() => provider.stop());
    const key = folder('secrets.key');
    writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 });
    const start = async (name: string): Promise<Gateway> => {
      const own = ['--pair-id', 'plant', '--secrets-key', key, '--name', name];
      const args = ['--pair', cluster.endpoints.join(','), ...own, '--port', String(await freePort())];
      const gateway = await Gateway.start({ args });
      stack.defer(() => gateway.dispose());
      return gateway;
    };
    west = await start('west');
    const client = await until('the first one answers who logs in', () => west.client());
    east = await start('east');
    settings = {
      ldap: {
        url: slapd.url,
        ca: slapd.ca,
        base: `ou=people,${base}`,
        bind_dn: `cn=reader,${base}`,
        bind_password: "reader's",
        roles: [{ value: 'operators', role: 'operator' }],
      },
      oidc: {
        issuer: provider.issuer,
        client_id: 'tagway',
        audience: 'tagway-api',
        role_claim: 'scope',
        roles: [{ value: 'plant-operators', role: 'operator' }],
        pages: [`${west.url}/`, `${east.url}/`],
      },
    };
    await client.ok('PUT', '/sign-in/settings', settings);
  });

  it('sign in by the directory, and bring tokens of the provider, also after the standby was started again', async () => {
    const token = await provider.machineToken('tagway-api');
    const isTaken = async (gateway: Gateway): Promise<void> => {
      const anna = await until('anna signs in', () =>
        gateway
          .anonymous()
          .login('anna', 'pass of anna')
          .catch(() => undefined),
      );
      expect((await anna.ok<{ self: object }>('GET', '/users')).self).to.include({ role: 'operator' });
      const machine = gateway.anonymous();
      machine.token = token;
      expect((await machine.ok<{ self: object }>('GET', '/users')).self).to.include({ name: 'scada' });
      const begun = await gateway.anonymous().ok<{ url: string }>('POST', '/sign-in/begin', {
        page: `${gateway.url}/`,
      });
      expect(new URL(begun.url).searchParams.get('redirect_uri')).to.equal(`${gateway.url}/`);
    };
    await isTaken(west);
    await isTaken(east);
    await east.stop();
    await east.start();
    await isTaken(east);
    expect(readFileSync(join(east.data, 'tagway.sqlite')).includes("reader's")).to.equal(false);
  });

  it('are refused at both once the settings are gone', async () => {
    const client = await west.client();
    await client.ok('PUT', '/sign-in/settings', {});
    for (const gateway of [west, east])
      await until('anna is refused', async () => {
        const body = { name: 'anna', pass: 'pass of anna' };
        return (await gateway.anonymous().errorOf('POST', '/login', body)) === ErrorCode.CREDENTIALS_INVALID;
      });
    await client.ok('PUT', '/sign-in/settings', settings);
  });
});
