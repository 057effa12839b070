import { ErrorCode, type DirectoryJobBody, type PackageReply, type PluginOrigin } from '@tagway/schemas';
import { expect } from 'chai';
import { doneJob, runJob } from '../kit/directory.ts';
import { type Package, packageOf } from '../kit/packages.ts';
import { Attester, type Said } from '../world/attestations.ts';
import { LyingRegistry, sendJson } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';

const meter = '@acme/tagway-meter';
const good = packageOf(meter, 'meter');
const look: DirectoryJobBody = { action: 'look', package: meter };
const repository = 'https://code.example/acme/meter';

interface Attempt {
  /** Absent: the registry has none. */
  readonly reply?: object;
  /** What the registry is set to, beside the right root. */
  readonly set?: object;
  readonly code?: number;
  readonly message?: RegExp;
  readonly attested?: string | undefined;
}

describe('attestations of where plugins were built', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  let attester: Attester;
  let other: Attester;

  before(async () => {
    [attester, other] = await Promise.all([Attester.start(), Attester.start()]);
  });

  async function withRegistry<T>(work: (registry: LyingRegistry) => Promise<T>, more = {}): Promise<T> {
    await using registry = await LyingRegistry.start();
    await client.ok('PUT', '/directory/registries', {
      registries: [{ url: registry.url, trust_root: attester.root, ...more }],
    });
    return await work(registry);
  }

  /** Puts a package into a registry that names an attestation of it, and has that one. */
  function add(registry: LyingRegistry, one: Package, reply: object | undefined, version = {}): void {
    registry.add(one, {
      dist: { attestations: { url: 'https://elsewhere.example/', provenance: {} } },
      version,
    });
    if (reply !== undefined)
      registry.answers.set(`/-/npm/v1/attestations/${one.name}@${one.version}`, (_request, response) =>
        sendJson(response, reply),
      );
  }

  const bySaying = (said: Said): Promise<object> => attester.of(good, said);

  it('are verified with the root that is set, and refused when they are not good', async () => {
    const right = await attester.of(good);
    const bundle = JSON.stringify(right);
    const altered = (pattern: RegExp, by: string): object =>
      JSON.parse(bundle.replace(pattern, by)) as object;
    const otherPayload = Buffer.from('{"subject":[]}').toString('base64');
    const attempts: Readonly<Record<string, Attempt>> = {
      right: { reply: right, set: { require_attestation: true }, attested: repository },
      absent: { attested: undefined },
      'absent, and required': {
        set: { require_attestation: true },
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /has no attestation of its sources, and the registry .* is set so that one is required/,
      },
      'an empty list, and required': {
        reply: { attestations: [] },
        set: { require_attestation: true },
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /is set so that one is required/,
      },
      'of another package': {
        reply: await bySaying({ subject: 'pkg:npm/%40acme/tagway-scale@1.0.0' }),
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /it is for something else/,
      },
      'of another version': {
        reply: await bySaying({ subject: 'pkg:npm/%40acme/tagway-meter@1.0.1' }),
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /it is for something else/,
      },
      'of another archive': {
        reply: await bySaying({ digest: '00'.repeat(64) }),
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /it is for another archive/,
      },
      'without a repository': {
        reply: await bySaying({ repository: null }),
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /its certificate names no repository/,
      },
      'with a repository that is a script': {
        reply: await bySaying({ repository: 'javascript:alert(1)' }),
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /its certificate names no repository/,
      },
      'of another root': {
        reply: await other.of(good),
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /it is by nobody whom an authority of the trust root has certified/,
      },
      "checked with the gateway's own root": {
        reply: right,
        set: { trust_root: undefined },
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /it is by nobody whom an authority/,
      },
      'with another statement under the signature': {
        reply: altered(/"payload":"[^"]*"/, `"payload":"${otherPayload}"`),
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /has an attestation that is not good/,
      },
      'that is in no log': {
        reply: altered(/"signedEntryTimestamp":"[^"]*"/, '"signedEntryTimestamp":"AAAA"'),
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /it is in no log of the trust root/,
      },
      'that is none': {
        reply: {
          attestations: [{ predicateType: 'https://slsa.dev/provenance/v1', bundle: 'super-secret' }],
        },
        code: ErrorCode.PACKAGE_UNTRUSTED,
        message: /it does not have the form of an attestation/,
      },
    };
    for (const [what, { reply, set = {}, code, message, attested }] of Object.entries(attempts))
      await withRegistry(async (registry) => {
        add(registry, good, reply);
        const job = await runJob(client, look);
        expect([job.code, job.content?.attested_repository], `${what}: ${job.message}`).to.deep.equal([
          code,
          attested,
        ]);
        if (message !== undefined) expect(job.message, what).to.match(message);
        expect(JSON.stringify(job)).not.to.include('super-secret');
        const shown = await client.ok<PackageReply>('GET', '/directory/package', { package: meter });
        expect(shown.package, what).to.include({
          attested: attested !== undefined,
          fits: code === undefined,
        });
        if (message !== undefined) expect(shown.package.reason, what).to.match(message);
      }, set);
  });

  it('are asked of the registry itself, wherever it says that they are, and no root that is none is taken', () =>
    withRegistry(async (registry) => {
      add(registry, good, await attester.of(good));
      await doneJob(client, look);
      expect(registry.wasAsked(`/-/npm/v1/attestations/${meter}@1.0.0`)).to.equal(true);
      for (const root of ['', '{}', '{"mediaType":"text/plain"}'])
        expect(
          await client.errorOf('PUT', '/directory/registries', {
            registries: [{ url: registry.url, trust_root: root }],
          }),
        ).to.equal(ErrorCode.PARAM_INVALID);
    }));

  it('give the repository of the sources, whose change and absence is said before an update', () =>
    withRegistry(async (registry) => {
      const says = { repository: 'https://code.example/as-the-author-says' };
      add(registry, good, await attester.of(good), says);
      await doneJob(client, { action: 'install', package: meter });
      const originOf = async (): Promise<PluginOrigin | undefined> => {
        const query = { plugin: 'meter' };
        const { plugins } = await client.ok<{ plugins: { origin?: PluginOrigin }[] }>(
          'GET',
          '/plugin',
          query,
        );
        return plugins[0]?.origin;
      };
      await gateway.restart();
      expect(await originOf()).to.include({ version: '1.0.0', attested: true, repository });

      // The author's word is the same, and the attestation another one.
      const moved = packageOf(meter, 'meter', { version: '1.1.0' });
      add(
        registry,
        moved,
        await attester.of(moved, { repository: 'https://code.example/mallory/meter' }),
        says,
      );
      const seen = await client.ok<PackageReply>('GET', '/directory/package', { package: meter });
      expect(seen.cautions.map(({ kind }) => kind)).to.deep.equal(['repository']);
      const job = await runJob(client, { action: 'update', plugin: 'meter' });
      expect(job).to.include({ state: 'failed', code: ErrorCode.PACKAGE_CAUTIONS });
      expect(job.message).to.include(`are at https://code.example/mallory/meter, and those of version 1.0.0`);
      expect(await originOf()).to.include({ version: '1.0.0' });

      registry.withdraw(meter, '1.1.0');
      const bare = packageOf(meter, 'meter', { version: '1.2.0' });
      registry.add(bare, { version: { repository } });
      const without = await client.ok<PackageReply>('GET', '/directory/package', { package: meter });
      expect(without.cautions).to.deep.equal([
        {
          kind: 'attestation',
          message:
            'Version 1.2.0 has no attestation of the sources that it was built from, and version 1.0.0, which is installed, has one.',
        },
      ]);
      const refused = await runJob(client, { action: 'update', plugin: 'meter' });
      expect(refused).to.include({ state: 'failed', code: ErrorCode.PACKAGE_CAUTIONS });
      await doneJob(client, { action: 'update', plugin: 'meter', accepts: ['attestation'] });
      await gateway.restart();
      expect(await originOf())
        .to.include({ version: '1.2.0', repository })
        .and.not.to.have.property('attested');
    }));

  it('leave names that can be taken for that of an installed plugin to be confirmed', () =>
    withRegistry(async (registry) => {
      const like = packageOf('@acme/tagway-metre', 'metre');
      registry.add(like);
      const install: DirectoryJobBody = { action: 'install', package: like.name };
      const job = await runJob(client, install);
      expect(job).to.include({ state: 'failed', code: ErrorCode.PACKAGE_CAUTIONS });
      expect(job.cautions).to.deep.equal([
        {
          kind: 'name',
          message:
            'The name of the package @acme/tagway-metre can be taken for @acme/tagway-meter, which is installed: is it the one that is meant?',
        },
      ]);
      await doneJob(client, { ...install, accepts: ['name'] });
    }));
});
