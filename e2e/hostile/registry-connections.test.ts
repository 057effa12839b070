import { readFile } from 'node:fs/promises';
import type { ServerOptions } from 'node:https';
import { ErrorCode, type DirectoryJob, type DirectoryJobBody } from '@tagway/schemas';
import { expect } from 'chai';
import { runJob } from '../kit/directory.ts';
import { useFolder } from '../kit/folder.ts';
import { packageOf } from '../kit/packages.ts';
import { certify, hasOpenssl } from '../world/certificates.ts';
import { ForwardProxy } from '../world/forward-proxy.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';

const meter = 'tagway-meter';
const good = packageOf(meter, 'meter');
const look: DirectoryJobBody = { action: 'look', package: meter };

describe(`connections to registries${hasOpenssl ? '' : ' (skipped: no openssl)'}`, function () {
  this.timeout(120_000);
  const folder = useFolder('registry-connections');
  const { gateway, client } = useGateway();
  let server: { readonly cert: string; readonly key: string };
  let own: { readonly cert: string; readonly key: string };

  async function pairOf(name: string): Promise<{ readonly cert: string; readonly key: string }> {
    const [cert, key] = [folder(`${name}.pem`), folder(`${name}-key.pem`)] as const;
    certify(cert, key, name);
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  }

  before(async function () {
    if (!hasOpenssl) return this.skip();
    server = await pairOf('registry');
    own = await pairOf('gateway');
  });

  async function registryWith(tls?: ServerOptions): Promise<LyingRegistry> {
    const registry = await LyingRegistry.start(tls);
    registry.add(good);
    return registry;
  }

  /** Looks at the package with these settings of the registry, and once more after a restart where that goes well. */
  async function looked(registry: LyingRegistry, set: object): Promise<DirectoryJob> {
    await client.ok('PUT', '/directory/registries', { registries: [{ url: registry.url, ...set }] });
    const job = await runJob(client, look);
    if (job.state !== 'done') return job;
    await gateway.restart();
    return runJob(client, look);
  }

  it('are made where an authority that an admin has set has signed the certificate', async () => {
    await using registry = await registryWith(server);
    const unknown = await looked(registry, {});
    expect(unknown).to.include({ state: 'failed', code: ErrorCode.REGISTRY_UNREACHABLE });
    expect(unknown.message).to.include('has a certificate of an authority that is not known here');
    expect(registry.requests).to.deep.equal([]);
    expect(await looked(registry, { ca: own.cert })).to.include({ state: 'failed' });
    expect(await looked(registry, { ca: server.cert })).to.include({ state: 'done' });
  });

  it('show the certificate of the gateway to the registry that asks for one, and to no other origin', async () => {
    const asking = { ...server, ca: own.cert, requestCert: true };
    await using registry = await registryWith(asking);
    await using files = await registryWith({ ...asking, rejectUnauthorized: false });
    registry.add(good, { dist: { tarball: `${files.url}${meter}/-/1.0.0.tgz` } });
    const set = { ca: server.cert, origins: [new URL(files.url).origin] };
    expect(await looked(registry, set)).to.include({
      state: 'failed',
      code: ErrorCode.REGISTRY_UNREACHABLE,
    });
    expect(await looked(registry, { ...set, ...own })).to.include({ state: 'done' });
    const clients = ({ requests }: LyingRegistry): unknown[] => [
      ...new Set(requests.map((one) => one.client)),
    ];
    expect(clients(registry)).to.deep.equal(['gateway']);
    expect(clients(files)).to.deep.equal([undefined]);
    const other = await pairOf('other');
    expect(await looked(registry, { ...set, ...other })).to.include({ state: 'failed' });
  });

  it('do not follow a registry from https to http', async () => {
    await using plain = await registryWith();
    await using registry = await registryWith(server);
    for (const path of [`/${meter}/-/`, `/${meter}`]) {
      registry.answers.set(path, (request, response) =>
        response.writeHead(302, { location: new URL(request.url ?? '/', plain.url).href }).end(),
      );
      const set = { ca: server.cert, origins: [new URL(plain.url).origin] };
      const job = await looked(registry, set);
      expect(job).to.include({ state: 'failed', code: ErrorCode.ADDRESS_REFUSED });
      expect(job.message).to.include(
        'leads from https to an address without encryption, which is not followed',
      );
    }
    expect(plain.requests).to.deep.equal([]);
  });

  for (const isEncrypted of [false, true])
    it(`go through a proxy with a login to a registry with ${isEncrypted ? 'https' : 'http'}`, async () => {
      await using proxy = await ForwardProxy.start('plant:through-the-wall');
      await using registry = await registryWith(isEncrypted ? server : undefined);
      const set = { token: 'the-token', ...(isEncrypted && { ca: server.cert }) };
      const refused = await looked(registry, { ...set, proxy: proxy.url('plant:wrong') });
      expect(refused).to.include({ state: 'failed', code: ErrorCode.REGISTRY_LOGIN_REFUSED });
      expect(refused.message).to.include('the proxy of the registry asks for credentials');
      expect(refused.message).not.to.include('wrong');
      expect(registry.requests).to.deep.equal([]);
      const job = await looked(registry, { ...set, proxy: proxy.url('plant:through-the-wall') });
      expect(job, job.message).to.include({ state: 'done' });
      expect(new Set(proxy.places)).to.deep.equal(new Set([new URL(registry.url).host]));
      expect(registry.requests.map(({ authorization }) => authorization)).to.include('Bearer the-token');
      expect(await gateway.log()).not.to.include('through-the-wall');
    });
});
