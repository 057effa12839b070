import { readFileSync } from 'node:fs';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { useFolder } from '../kit/folder.ts';
import { certify, hasOpenssl } from '../world/certificates.ts';
import { OidcPeer } from '../world/oidc-provider.ts';
import { useGateway } from '../world/plant.ts';

const page = 'https://gateway.example:7000/';
const title = `a provider of OpenID Connect behind TLS${hasOpenssl ? '' : ' (skipped: openssl is not installed)'}`;

(hasOpenssl ? describe : describe.skip)(title, function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  const folder = useFolder('sign-in-oidc-tls');
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  let provider: OidcPeer;

  /** A provider with a certificate of its own, for a host. */
  const providerFor = async (name: string, holder?: string): Promise<OidcPeer> => {
    const files = { cert: folder(`${name}.pem`), key: folder(`${name}.key`) };
    certify(files.cert, files.key, name, holder);
    const started = await OidcPeer.start(files);
    stack.defer(() => started.stop());
    await started.set({ pages: [page] });
    return started;
  };
  const settingsOf = ({ issuer }: OidcPeer, ca: string | undefined): Readonly<Record<string, unknown>> => ({
    oidc: {
      issuer,
      ...(ca !== undefined && { ca }),
      client_id: 'tagway',
      audience: 'tagway-api',
      role_claim: 'groups',
      roles: [
        { value: 'plant-engineers', role: 'engineer' },
        { value: 'plant-operators', role: 'operator' },
      ],
      pages: [page],
    },
  });
  const set = (peer: OidcPeer, ca: string | undefined): Promise<unknown> =>
    client.ok('PUT', '/sign-in/settings', settingsOf(peer, ca));
  const begin = () =>
    gateway
      .anonymous()
      .call<{ error?: number; message?: string; url: string; ticket: string }>('POST', '/sign-in/begin', {
        page,
      });

  before(async () => {
    provider = await providerFor('provider');
  });

  it('signs users in, and gives tokens to machines, with the authority that an admin has named', async () => {
    await set(provider, provider.ca);
    const tried = await client.ok<{ keys: number }>(
      'POST',
      '/sign-in/test',
      settingsOf(provider, provider.ca),
    );
    expect(tried.keys).to.equal(1);
    for (const start of ['first', 'after a restart']) {
      const { body } = await begin();
      expect(new URL(body.url).protocol).to.equal('https:');
      const back = await provider.signIn(body.url, 'olga');
      const { token, logout } = await gateway
        .anonymous()
        .ok<{ token: string; logout: string }>('POST', '/sign-in/finish', {
          ticket: body.ticket,
          answer: back.search,
        });
      expect(logout.startsWith(`${provider.issuer}/session/end?`), start).to.equal(true);
      const olga = gateway.anonymous();
      olga.token = token;
      expect((await olga.ok<{ self: object }>('GET', '/users')).self).to.include({ role: 'engineer' });
      await gateway.restart();
      await client.login();
    }
  });

  it('is not asked without that authority, with another one, and as another host', async () => {
    const token = await provider.machineToken('tagway-api');
    const machine = gateway.anonymous();
    machine.token = token;
    const elsewhere = await providerFor('elsewhere', 'DNS:elsewhere.example');
    const cases = [
      ['an unknown authority', provider, undefined],
      ['the authority of somebody else', provider, elsewhere.ca],
      ['another host', elsewhere, elsewhere.ca],
    ] as const;
    for (const [what, peer, ca] of cases) {
      await set(peer, ca);
      const { status, body } = await begin();
      expect([status, body.error], what).to.deep.equal([502, ErrorCode.PROVIDER_UNREACHABLE]);
      expect(body.message, what).to.match(/certificate/);
      if (peer === provider) expect(await machine.errorOf('GET', '/node', { type: 1 }), what).not.to.equal(0);
      await gateway.anonymous().login();
    }
    // What was stored is not asked with something else: TLS cannot be left out.
    const { oidc } = settingsOf(provider, provider.ca);
    const clear = { oidc: { ...(oidc as object), issuer: 'http://provider.example' } };
    expect(await client.errorOf('PUT', '/sign-in/settings', clear)).to.equal(ErrorCode.PARAM_INVALID);
    const broken = settingsOf(provider, readFileSync(folder('provider.key'), 'utf8'));
    expect(await client.errorOf('PUT', '/sign-in/settings', broken)).to.equal(ErrorCode.PARAM_INVALID);
    await set(provider, provider.ca);
    expect((await begin()).status).to.equal(200);
  });
});
