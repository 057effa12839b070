import { ErrorCode, profileKeyword, type ProfileMember, type Registry } from '@tagway/schemas';
import { validateProfileMember } from '@tagway/schemas/validate';
import { rcompare, valid } from 'semver';
import { plainLine } from '../core/directory/plain-text.ts';
import type {
  PackageFacts,
  PluginFacts,
  ProfileFacts,
  RegistrySignature,
  VersionFacts,
} from '../core/ports/registries.ts';
import { isObject, isText } from '../core/system/shapes.ts';
import { getObject } from './json-reply.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';
import { invalid } from './request.ts';

/** Bytes of what a registry knows of a package: that of packages with thousands of versions. */
const mostMetadata = 32 << 20;
const mostVersions = 100;
export const keyword = 'tagway-plugin';

type Thing = Readonly<Record<string, unknown>>;

/** What a registry knows of a package. Rejects with PACKAGE_NOT_FOUND, or another fault. */
export async function factsOf(registry: Registry, name: string, signal: AbortSignal): Promise<PackageFacts> {
  const path = name.replace('/', '%2f');
  const metadata = await getObject(registry, path, mostMetadata, signal);
  if (metadata === undefined)
    throw new Refusal(
      ErrorCode.PACKAGE_NOT_FOUND,
      sentence`The registry ${registry.url} has no package ${name}. Names are asked of this registry alone.`,
    );
  return factsIn(registry, name, metadata);
}

/** What metadata say that have the form of npm's. Throws REGISTRY_REPLY_INVALID for those of another package. */
export function factsIn(registry: Registry, name: string, metadata: Thing): PackageFacts {
  const { versions, time } = metadata;
  if (metadata['name'] !== name || !isObject(versions))
    throw invalid(registry, sentence`answers with something else than the package ${name}`);
  const times = isObject(time) ? time : {};
  return {
    name,
    versions: Object.keys(versions)
      .filter((version) => valid(version) === version)
      .sort(rcompare)
      .slice(0, mostVersions)
      .flatMap((version) => {
        const one = versions[version];
        return isObject(one) ? [versionFacts(version, one, times[version])] : [];
      }),
  };
}

function versionFacts(version: string, one: Thing, time: unknown): VersionFacts {
  const dist = isObject(one['dist']) ? one['dist'] : {};
  const millis = isText(time) ? Date.parse(time) : NaN;
  const { attestations, signatures, unpackedSize, tarball, integrity } = dist;
  const scripts = isObject(one['scripts']) ? one['scripts'] : {};
  const plugin = pluginFacts(one['tagway'], one);
  const profile = profileFacts(one);
  return {
    version,
    ...(Number.isSafeInteger(millis) && { time: millis }),
    ...named('publisher', personOf(one['_npmUser'])),
    ...named('author', personOf(one['author'])),
    description: lineOf(one['description'], 300) ?? '',
    ...named('homepage', addressOf(one['homepage'])),
    ...named('repository', repositoryOf(one['repository'])),
    ...named('license', lineOf(one['license'], 100)),
    ...named('deprecated', deprecationOf(one['deprecated'])),
    ...(Number.isSafeInteger(unpackedSize) && { size: Number(unpackedSize) }),
    ...(isText(tarball) && URL.canParse(tarball) && tarball.length < 2000 && { archive: tarball }),
    ...(isText(integrity) && /(?:^|\s)sha512-/.test(integrity) && { integrity: integrity.slice(0, 2000) }),
    hasKeyword: keywordsOf(one).includes(keyword),
    hasInstallScript: ['preinstall', 'install', 'postinstall'].some((name) => isText(scripts[name])),
    signatures: signaturesOf(signatures),
    isAttested: isObject(attestations),
    ...(plugin && { plugin }),
    ...(profile && { profile }),
  };
}

function signaturesOf(list: unknown): RegistrySignature[] {
  return (Array.isArray(list) ? list.slice(0, 10) : []).flatMap((one: unknown) => {
    if (!isObject(one) || !isText(one['keyid']) || !isText(one['sig'])) return [];
    return [{ keyid: one['keyid'].slice(0, 200), sig: one['sig'].slice(0, 2000) }];
  });
}

export function keywordsOf({ keywords }: Thing): readonly unknown[] {
  return Array.isArray(keywords) ? keywords.slice(0, 100) : [];
}

/** Of a package with the keyword of device profiles. */
function profileFacts(one: Thing): ProfileFacts | undefined {
  const member = one['tagway'];
  if (!keywordsOf(one).includes(profileKeyword) || validateProfileMember(member) !== undefined)
    return undefined;
  const { profile, plugins } = member as ProfileMember;
  return { id: profile, plugins };
}

function pluginFacts(member: unknown, one: Thing): PluginFacts | undefined {
  if (!isObject(member)) return undefined;
  const { id, kind, sdk, native } = member;
  if (!isText(id) || !/^[a-z0-9][a-z0-9-]{0,62}$/.test(id)) return undefined;
  if ((kind !== 'driver' && kind !== 'app') || !isText(sdk) || sdk.length > 100) return undefined;
  return {
    id,
    kind,
    sdk,
    ...named('name', lineOf(member['name'], 31)),
    ...(typeof native === 'boolean' && { native }),
    ...listed('uses', member['uses']),
    ...listed('os', member['os'] ?? one['os']),
    ...listed('cpu', member['cpu'] ?? one['cpu']),
    ...listed('libc', member['libc'] ?? one['libc']),
  };
}

/** A member that is there only with a value. */
function named<Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
}

function listed<Name extends string>(
  name: Name,
  value: unknown,
): { readonly [N in Name]?: readonly string[] } {
  const list = isText(value) ? [value] : value;
  if (!Array.isArray(list)) return {};
  return named(
    name,
    list.slice(0, 20).flatMap((one: unknown) => lineOf(one, 50) ?? []),
  );
}

export function lineOf(value: unknown, most: number): string | undefined {
  const line = isText(value) ? plainLine(value, most) : '';
  return line === '' ? undefined : line;
}

export function personOf(value: unknown): string | undefined {
  return lineOf(isObject(value) ? (value['name'] ?? value['username']) : value, 100);
}

function deprecationOf(value: unknown): string | undefined {
  return value === true ? 'deprecated' : lineOf(value, 300);
}

/** Of http or https alone. */
export function addressOf(value: unknown): string | undefined {
  if (!isText(value) || value.length > 1000 || !URL.canParse(value)) return undefined;
  const { protocol, href } = new URL(value);
  return /^https?:$/.test(protocol) ? plainLine(href, 1000) : undefined;
}

/** As npm writes it: `git+https://host/path.git`, `git://…`, or with ssh. */
function repositoryOf(value: unknown): string | undefined {
  const url = isObject(value) ? value['url'] : value;
  if (!isText(url)) return undefined;
  return addressOf(
    url
      .replace(/^git\+/, '')
      .replace(/^(?:git|ssh):\/\/(?:git@)?/, 'https://')
      .replace(/\.git$/, ''),
  );
}
