import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Manifest, type PackageSignature, signatureFile } from '@tagway/schemas';
import {
  validateManifest,
  validatePackageMember,
  validatePackageSignature,
  validateSettingsSchema,
} from '@tagway/schemas/validate';
import { compatibleSince, sdkVersion } from '@tagway/sdk/internal';
import semver from 'semver';
import { readArchive } from './archive.ts';
import { installScripts } from './check.ts';
import { Failure, failOn } from './failure.ts';
import type { PackageJson } from './library.ts';
import { npmJson } from './npm.ts';
import { memberOf, pluginKeyword } from './package-member.ts';
import { fingerprintOf, isSignedBy, readPublicKey } from './signing.ts';

/** What a registry says of a version, as far as it is looked at. */
interface RegistryVersion extends PackageJson {
  readonly deprecated?: string;
  readonly dist?: {
    readonly integrity?: string;
    readonly signatures?: readonly unknown[];
    readonly attestations?: unknown;
  };
}

/**
 * Looks at a package in the user's registry as a gateway would before it installs it: npm fetches the archive, with the registries and
 * credentials of the user's .npmrc. Nothing of it runs. Prints what it is, and throws a failure for what a gateway would refuse.
 */
export async function checkPublished(
  spec: string,
  keyFile: string | undefined,
  print: (line: string) => void,
): Promise<void> {
  const key = keyFile === undefined ? undefined : readPublicKey(keyFile);
  // An empty folder: the .npmrc of the one where somebody happens to be is not the user's.
  const work = mkdtempSync(join(tmpdir(), 'tagway-published-'));
  try {
    const listed = await listedVersion(work, spec);
    const { name = '', version = '' } = listed;
    const archive = await fetchArchive(work, `${name}@${version}`);
    const { files, problems } = await readArchive(archive);
    failOn([...problemsOfIntegrity(listed, archive), ...problems]);
    const content = new PublishedPackage(listed, files);
    failOn(content.problems());
    for (const line of [...content.facts(), ...signatureFacts(content, key)]) print(line);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The newest of the versions that a name, or a name with a range, stands for. */
async function listedVersion(work: string, spec: string): Promise<RegistryVersion> {
  const found = await npmJson(
    work,
    ['view', spec],
    `The registry has no package ${spec}, or cannot be asked.`,
  );
  const last: unknown = Array.isArray(found) ? found.at(-1) : found;
  if (typeof last !== 'object' || last === null) throw new Failure(`The registry has no package ${spec}.`);
  return last;
}

async function fetchArchive(work: string, spec: string): Promise<Buffer> {
  const folder = join(work, 'archive');
  mkdirSync(folder);
  const args = ['pack', spec, '--ignore-scripts', '--pack-destination', folder];
  const packed = await npmJson(work, args, `The archive of ${spec} cannot be fetched.`);
  const [first] = packed as readonly { readonly filename: string }[];
  return readFileSync(join(folder, first?.filename ?? ''));
}

function problemsOfIntegrity({ dist }: RegistryVersion, archive: Buffer): string[] {
  const sums = (dist?.integrity ?? '').split(/\s+/).filter((sum) => sum.startsWith('sha512-'));
  if (sums.length === 0)
    return ['The registry has no SHA-512 of the archive, and a gateway refuses such a version.'];
  return sums.includes(`sha512-${hash('sha512', archive, 'base64')}`)
    ? []
    : ['The archive is not the one whose SHA-512 the registry has.'];
}

/** A fetched package: what the registry says of it, and what is in its archive. */
class PublishedPackage {
  readonly listed: RegistryVersion;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly packageJson: PackageJson & { readonly bundleDependencies?: readonly string[] };
  readonly manifest: Manifest;

  constructor(listed: RegistryVersion, files: ReadonlyMap<string, Buffer>) {
    this.listed = listed;
    this.files = files;
    this.packageJson = this.#json('package.json') as PackageJson;
    this.manifest = this.#json('plugin.json') as Manifest;
  }

  problems(): string[] {
    const flaw = validateManifest(this.manifest);
    if (flaw !== undefined) return [`plugin.json: ${flaw}`];
    const { main, settings } = this.manifest;
    const wrong = validateSettingsSchema(this.#json(settings));
    return [
      ...(wrong === undefined ? [] : [`${settings}: ${wrong}`]),
      ...[main, 'README.md'].filter((file) => !this.files.has(file)).map((file) => `${file} is missing.`),
      ...this.#problemsOfRange(),
      ...this.#problemsOfPackage(),
      ...this.#differences(),
    ];
  }

  /** What a list shows of it. */
  facts(): string[] {
    const { name, kind, sdk, native, uses = [] } = this.manifest;
    const { deprecated, dist, license } = this.listed;
    const needs = [...uses, ...(native === true ? ['native modules'] : [])];
    return [
      `${this.packageJson.name ?? ''} ${this.packageJson.version ?? ''} is ${name}, ${kind === 'app' ? 'an app' : 'a driver'} for the SDK ${sdk}, under ${license ?? 'no licence'}.`,
      `Its author says that it uses ${needs.length === 0 ? 'nothing in particular' : needs.join(', ')}.`,
      `The SHA-512 is right. The registry has ${dist?.signatures === undefined ? 'not signed it' : 'signed it'}, and there is ${dist?.attestations === undefined ? 'no attestation' : 'an attestation'} of where it was built.`,
      ...(deprecated === undefined ? [] : ['It is deprecated, which a list shows.']),
    ];
  }

  #problemsOfRange(): string[] {
    const { sdk } = this.manifest;
    const own = `${compatibleSince} - ${sdkVersion}`;
    if (semver.validRange(sdk) === null) return [`plugin.json: "sdk": "${sdk}" is not a range of versions.`];
    return semver.intersects(sdk, own, { includePrerelease: true })
      ? []
      : [
          `It is for version ${sdk} of the SDK; a gateway of ${sdkVersion} takes ${compatibleSince} to ${sdkVersion}.`,
        ];
  }

  #problemsOfPackage(): string[] {
    const { keywords = [], scripts = {}, dependencies = {} } = this.packageJson;
    const loose = Object.keys(dependencies).filter(
      (name) => !this.files.has(`node_modules/${name}/package.json`),
    );
    return [
      ...(keywords.includes(pluginKeyword)
        ? []
        : [`package.json: "keywords" has no "${pluginKeyword}", by which gateways find plugins.`]),
      ...installScripts
        .filter((script) => scripts[script] !== undefined)
        .map(
          (script) =>
            `package.json: the script "${script}" would never run, because a gateway runs no install scripts.`,
        ),
      ...loose.map(
        (name) =>
          `The package ${name} is a dependency and not in the archive. A gateway fetches none: bundle it.`,
      ),
    ];
  }

  /** What a gateway shows before it fetches the archive must be what it finds in it. */
  #differences(): string[] {
    const { name, version, tagway } = this.packageJson;
    const flaw = validatePackageMember(tagway);
    if (flaw !== undefined)
      return [`package.json: the member "tagway" is missing or wrong; pluginkit publish writes it. ${flaw}`];
    return [
      ...(isDeepStrictEqual(tagway, memberOf(this.manifest, this.packageJson))
        ? []
        : ['package.json: the member "tagway" does not say what plugin.json does.']),
      ...(isDeepStrictEqual(tagway, this.listed.tagway)
        ? []
        : ['The registry says something else under "tagway" than package.json in the archive.']),
      ...(name === this.listed.name && version === this.listed.version
        ? []
        : [
            `The archive is of ${name ?? 'a package without a name'} ${version ?? ''}, which is not what the registry says.`,
          ]),
    ];
  }

  #json(file: string): unknown {
    const bytes = this.files.get(file);
    if (bytes === undefined)
      throw new Failure(`${file} is missing in the archive: it is not the package of a plugin.`);
    try {
      return JSON.parse(bytes.toString());
    } catch {
      throw new Failure(`${file} in the archive is not JSON.`);
    }
  }
}

/** Who has signed the package. Throws a failure when it is not as the author expects. */
function signatureFacts(
  { files, packageJson: { name = '', version = '' } }: PublishedPackage,
  key: ReturnType<typeof readPublicKey> | undefined,
): string[] {
  const bytes = files.get(signatureFile);
  if (bytes === undefined) {
    if (key !== undefined) throw new Failure(`The package has no ${signatureFile}. Publish it with --key.`);
    return [`It has no ${signatureFile}; gateways with --require-signature refuse it.`];
  }
  const signature = parsedSignature(bytes);
  if (key === undefined)
    return [`It is signed, as it says by the key ${signature.key}. With --key this is checked.`];
  if (!isSignedBy({ name, version, files }, signature, key))
    throw new Failure(
      `The signature is not by the key ${fingerprintOf(key)}, or something was changed after it was signed. It names the key ${signature.key}.`,
    );
  return [`It is signed by the key ${fingerprintOf(key)}.`];
}

function parsedSignature(bytes: Buffer): PackageSignature {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    value = undefined;
  }
  const flaw = validatePackageSignature(value);
  if (flaw !== undefined) throw new Failure(`${signatureFile}: ${flaw}`);
  return value as PackageSignature;
}
