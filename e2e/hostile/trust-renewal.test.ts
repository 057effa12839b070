import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode, type DirectoryJob, type RegistriesReply, type TrustRenewalReply } from '@tagway/schemas';
import { expect } from 'chai';
import { runJob } from '../kit/directory.ts';
import { freePort } from '../kit/free-port.ts';
import { type Package, packageOf, sha512 } from '../kit/packages.ts';
import { until } from '../kit/until.ts';
import { Attester } from '../world/attestations.ts';
import { inHours, KeyRepository, SigningKey } from '../world/key-repository.ts';
import { LyingRegistry, sendJson } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';

/** Milliseconds from a start within which a gateway that renews has begun. */
const firstRenewal = 11_000;

/** A key of a registry, with what it says of itself in a keys.json of npm. */
class RegistrySigner {
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #der = this.#pair.publicKey.export({ type: 'spki', format: 'der' });
  readonly #id = `SHA256:${createHash('sha256').update(this.#der).digest('base64').replace(/=+$/, '')}`;

  get keys(): string {
    const publicKey = { rawBytes: this.#der.toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256' };
    return JSON.stringify({ keys: [{ keyId: this.#id, keyUsage: 'npm:signatures', publicKey }] });
  }

  of({ name, version, archive }: Package): Readonly<Record<string, unknown>> {
    const text = Buffer.from(`${name}@${version}:${sha512(archive)}`);
    return {
      signatures: [{ keyid: this.#id, sig: sign('sha256', text, this.#pair.privateKey).toString('base64') }],
    };
  }
}

describe('renewal of the keys of registries and of the trust root', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  const first = new RegistrySigner();
  const second = new RegistrySigner();
  const byFirst = packageOf('tagway-meter', 'meter');
  const bySecond = packageOf('tagway-scale', 'scale');
  let repository: KeyRepository;
  let registry: LyingRegistry;
  let attester: Attester;

  before(async () => {
    [repository, registry, attester] = await Promise.all([
      KeyRepository.start(),
      LyingRegistry.start(),
      Attester.start(),
    ]);
    const dist = { attestations: { url: 'https://elsewhere.example/', provenance: {} } };
    registry.add(byFirst, { dist: { ...first.of(byFirst), ...dist } });
    registry.add(bySecond, { dist: second.of(bySecond) });
    const attestation = await attester.of(byFirst);
    registry.answers.set('/-/npm/v1/attestations/tagway-meter@', (_request, response) =>
      sendJson(response, attestation),
    );
    repository.publish(attester.root, first.keys);
    await client.ok('PUT', '/directory/registries', {
      registries: [{ url: registry.url, require_signature: true }],
    });
  });

  after(() => Promise.all([repository[Symbol.asyncDispose](), registry[Symbol.asyncDispose]()]));

  async function shown(): Promise<TrustRenewalReply> {
    return (await client.ok<RegistriesReply>('GET', '/directory/registries')).trust_renewal;
  }

  async function set(trust_renewal: object): Promise<void> {
    const { registries } = await client.ok<RegistriesReply>('GET', '/directory/registries');
    await client.ok('PUT', '/directory/registries', { registries, trust_renewal });
  }

  /** Has it renewed now. Returns what is shown after that. */
  async function renew(more: object = {}): Promise<TrustRenewalReply> {
    const setting = { url: repository.url, root: repository.root, ...more };
    await set({ ...setting, enabled: false });
    const { time: before = 0 } = await shown();
    await set({ ...setting, enabled: true });
    return until('the keys are renewed, or are not', async () => {
      const now = await shown();
      return now.message !== undefined || (now.time ?? 0) > before ? now : undefined;
    });
  }

  const look = (one: Package): Promise<DirectoryJob> => runJob(client, { action: 'look', package: one.name });

  it('is off until an admin sets it: no packet leaves, and what comes with the gateway holds', async () => {
    expect(await shown()).to.deep.equal({ enabled: false });
    await set({ enabled: false, url: repository.url, root: repository.root });
    await gateway.restart();
    await sleep(firstRenewal);
    expect(repository.requests).to.deep.equal([]);
    expect(await look(byFirst)).to.include({ state: 'failed', code: ErrorCode.PACKAGE_UNTRUSTED });
  });

  it('verifies packages with what was renewed, also after a restart and without the repository', async () => {
    expect(await renew()).to.not.have.property('message');
    expect((await look(byFirst)).content).to.include({
      attested_repository: 'https://code.example/acme/meter',
    });
    expect(await look(bySecond)).to.include({ state: 'failed', code: ErrorCode.PACKAGE_UNTRUSTED });
    await set({ enabled: false, url: repository.url, root: repository.root });
    await gateway.restart();
    repository.requests.length = 0;
    expect(await look(byFirst)).to.include({ state: 'done' });
    expect(repository.requests).to.deep.equal([]);
    expect(await readdir(join(gateway.data, 'renewed-trust', 'work'))).to.deep.equal([]);
  });

  it('follows the repository to another root key and to other keys of registries', async () => {
    repository.rotate();
    repository.rotate();
    repository.publish(attester.root, second.keys);
    expect(await renew()).to.not.have.property('message');
    expect(await look(bySecond)).to.include({ state: 'done' });
    expect(await look(byFirst)).to.include({ state: 'failed', code: ErrorCode.PACKAGE_UNTRUSTED });
  });

  it('refuses what has expired, is older, is not signed or was altered, says why once, and keeps what it has', async () => {
    const good = new Map(repository.files);
    const file = join(gateway.data, 'renewed-trust', 'trust.json');
    const kept = await readFile(file, 'utf8');
    const lies: Readonly<Record<string, readonly [lie: () => void | object, message: RegExp]>> = {
      expired: [
        () => repository.publish(attester.root, first.keys, { expires: inHours(-1) }),
        /has files that have expired/,
      ],
      'signed by somebody else': [
        () => repository.publish(attester.root, first.keys, { signer: new SigningKey() }),
        /not signed by those whom its root names/,
      ],
      'a root that the one before does not vouch for': [
        () => {
          repository.rotate(new SigningKey());
          repository.publish(attester.root, first.keys);
        },
        /not signed by those whom its root names/,
      ],
      'an altered file': [
        () => {
          repository.publish(attester.root, first.keys);
          const [path] = [...repository.files].find(([, file]) => file.equals(Buffer.from(first.keys))) ?? [
            '',
          ];
          repository.files.set(path, Buffer.from(first.keys.replace('npm:', 'mpn:')));
        },
        /was altered on the way/,
      ],
      'keys that are none': [
        () => repository.publish(attester.root, '{"keys":[{"keyUsage":"npm:signatures"}]}'),
        /sends something that is no such repository/,
      ],
      'a trust root that is none': [
        () => repository.publish('[]', first.keys),
        /sends something that is no such repository/,
      ],
      'no metadata': [
        () => void repository.files.set('/timestamp.json', Buffer.from('<html></html>')),
        /sends something that is no such repository/,
      ],
      'too much': [
        () => void repository.files.set('/timestamp.json', Buffer.alloc(1 << 16)),
        /more than 0.02 MB|more than is taken/,
      ],
      'a file that is missing': [
        () => void repository.files.delete('/timestamp.json'),
        /answers with status 404/,
      ],
      unreachable: [() => ({ url: `http://127.0.0.1:${closedPort}` }), /refuses the connection/],
    };
    const closedPort = await freePort();
    for (const [name, [lie, message]] of Object.entries(lies)) {
      repository.files = new Map(good);
      const reply = await renew(lie() ?? {});
      expect(reply.message, name).to.match(message);
      expect(await readFile(file, 'utf8'), name).to.equal(kept);
    }
    expect(await look(bySecond)).to.include({ state: 'done' });
    expect(await look(byFirst)).to.include({ state: 'failed', code: ErrorCode.PACKAGE_UNTRUSTED });
    const log = await gateway.log();
    expect(log.match(/refuses the connection/g), log).to.have.length(1);
    repository.files = new Map(good);
  });

  it('refuses a state that was there before', async () => {
    const old = new Map(repository.files);
    for (let count = 0; count < 20; count++) repository.publish(attester.root, second.keys);
    expect(await renew()).to.not.have.property('message');
    repository.files = old;
    expect((await renew()).message).to.match(/older than those that were there before/);
    expect(await look(bySecond)).to.include({ state: 'done' });
  });

  it('does not hold any more when another root is named, which has to be one', async () => {
    await using other = await KeyRepository.start();
    await set({ enabled: false, url: other.url, root: other.root });
    expect(await shown()).to.not.have.property('time');
    expect(await look(bySecond)).to.include({ state: 'failed', code: ErrorCode.PACKAGE_UNTRUSTED });
    expect((await renew({ url: other.url, root: other.root })).message).to.match(/answers with status 404/);
    for (const wrong of [{ root: '{}' }, { url: 'http://' }]) {
      const body = { registries: [], trust_renewal: { enabled: true, ...wrong } };
      expect(await client.errorOf('PUT', '/directory/registries', body)).to.equal(ErrorCode.PARAM_INVALID);
    }
  });
});
