import { createPublicKey } from 'node:crypto';
import {
  ErrorCode,
  type Registries as RegistriesBody,
  type Registry,
  type TrustRenewal as TrustSetting,
} from '@tagway/schemas';
import { isSealed, mapSecrets, secretMask } from '../access/secrets.ts';
import { type Asking, checkManager } from '../access/users.ts';
import type { Params } from '../model.ts';
import type { Registries } from '../ports/registries.ts';
import { keys, type RegistriesRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence, type Sentence } from '../system/sentence.ts';
import { isText } from '../system/shapes.ts';
import type { TrustRenewal } from './trust-renewal.ts';
import type { UpdateWatch } from './update-watch.ts';

const secret = { writeOnly: true };

/** Which members of the record of the registries are secrets. */
export const registriesSchema = {
  properties: {
    registries: {
      items: {
        properties: { token: secret, password: secret, key: secret, proxy: secret },
        additionalProperties: {},
      },
    },
  },
  additionalProperties: {},
};

/** The registries that are the directory of plugins: what an admin has set, then those of a file, then the one that is asked where none is set. */
export class RegistrySettings {
  readonly #state: State;
  readonly #registries: Registries;
  readonly #updates: UpdateWatch;
  readonly #trust: TrustRenewal;
  /** What an admin has set. */
  #set: readonly Registry[] = [];
  /** Hours between two looks for newer versions; 0: none. */
  #lookEvery = 0;

  constructor(state: State, registries: Registries, updates: UpdateWatch, trust: TrustRenewal) {
    this.#state = state;
    this.#registries = registries;
    this.#updates = updates;
    this.#trust = trust;
  }

  /** Takes what is stored, in the place of what was. */
  load(record: RegistriesRecord | undefined): void {
    this.#take(record?.params ?? { registries: [] });
  }

  get lookEvery(): number {
    return this.#lookEvery;
  }

  /** As clients see them. */
  shown(): readonly Registry[] {
    return this.#set.map(masked);
  }

  /** Those that hold where an admin has set none of the same scope, as clients see them. */
  async others(): Promise<readonly Registry[]> {
    return (await this.#others()).map(masked);
  }

  /** All that hold, each with another scope. Rejects with PARAM_INVALID when the file cannot be used. */
  async all(): Promise<readonly Registry[]> {
    const { only } = this.#registries;
    if (only !== undefined) return [only];
    return [...this.#set.map(usable), ...(await this.#others())];
  }

  /** The one that is asked for a package, and no other. */
  async of(name: string): Promise<Registry> {
    const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : '';
    const all = await this.all();
    const found = all.find((one) => scopeOf(one) === scope) ?? all.find((one) => scopeOf(one) === '');
    return found ?? this.#registries.byDefault;
  }

  /** Rejects with USER_NOT_PERMITTED, or PARAM_INVALID. How often it is looked for newer versions, and what is renewed, stays as it is where nothing is said of it. A secret that is a mask keeps what is stored for the same scope and address. */
  set(asking: Asking, body: RegistriesBody): Promise<void> {
    const { registries, look_every: lookEvery, trust_renewal: trust } = body;
    checkManager(asking);
    return this.#state.change(async () => {
      const scopes = new Set<string>();
      for (const one of registries) {
        const scope = scopeOf(one);
        if (scopes.has(scope))
          refuse(
            scope === ''
              ? sentence`There are two registries for names without a scope. A name is asked of one registry.`
              : sentence`There are two registries for ${scope}. A name is asked of one registry.`,
          );
        scopes.add(scope);
        checkRegistry(one);
      }
      if (trust !== undefined) checkTrust(trust);
      const params = {
        registries: registries.map((one) => this.#meant(one)),
        look_every: lookEvery ?? this.#lookEvery,
        trust_renewal: trust ?? this.#trust.setting,
      };
      await this.#state.commit({ set: [[keys.registries, { params } satisfies RegistriesRecord]] });
      this.#take(params);
    });
  }

  #take({
    registries,
    look_every: lookEvery = 0,
    trust_renewal: trust = { enabled: false },
  }: RegistriesRecord['params']): void {
    this.#set = registries;
    this.#lookEvery = lookEvery;
    this.#updates.set(lookEvery);
    this.#trust.set(trust);
  }

  async #others(): Promise<readonly Registry[]> {
    const own = new Set(this.#set.map(scopeOf));
    const fromFile = await this.#registries.fromFile();
    const { byDefault } = this.#registries;
    const others = fromFile.some((one) => scopeOf(one) === '') ? fromFile : [...fromFile, byDefault];
    return others.filter((one) => !own.has(scopeOf(one)));
  }

  /** With the stored secrets in the place of masks. */
  #meant(registry: Registry): Registry {
    const stored = this.#set.find((one) => one.url === registry.url && scopeOf(one) === scopeOf(registry));
    return changed(registry, (value, name) => {
      if (value !== secretMask) return value;
      const kept = stored?.[name as keyof Registry];
      if (kept !== undefined) return kept;
      return refuse(
        sentence`The member "${name}" of the registry ${registry.url} is ${secretMask}, which is shown instead of a secret and keeps the one that is stored for the same scope and address, and here none is. Send the secret itself, or leave it out.`,
      );
    });
  }
}

/** Absent and empty are the same: the registry of all names that have no other one. */
export function scopeOf({ scope = '' }: Registry): string {
  return scope;
}

/** Whether words that are searched for may be sent to it. */
export function isSearched({ search, scope = '' }: Registry): boolean {
  return search ?? scope === '';
}

/** Addresses are the same with and without a slash at their end. */
export function isSameRegistry(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '');
}

function changed(registry: Registry, change: (value: unknown, name: string) => unknown): Registry {
  const list = { registries: [registry] } as unknown as Params;
  const { registries } = mapSecrets(registriesSchema, list, (value, path) =>
    change(value, String(path.at(-1))),
  );
  return (registries as Registry[])[0]!;
}

function masked(registry: Registry): Registry {
  return changed(registry, () => secretMask);
}

/** Throws PARAM_INVALID when its secrets cannot be opened. */
function usable(registry: Registry): Registry {
  return changed(registry, (value, name) =>
    isSealed(value)
      ? refuse(
          sentence`The member "${name}" of the registry ${registry.url} was stored with another key of secrets and cannot be opened. Set it anew.`,
        )
      : value,
  );
}

function checkRegistry({
  url,
  cert,
  key,
  user,
  password,
  token,
  origins = [],
  keys = [],
  proxy,
  trust_root: root,
}: Registry): void {
  if (url.startsWith('file:')) checkFolder(url, [cert, user, token, proxy]);
  for (const address of [url, ...origins, ...(proxy === undefined || proxy === secretMask ? [] : [proxy])])
    if (!URL.canParse(address)) refuse(sentence`"${address.slice(0, 200)}" is not an address.`);
  for (const one of keys) checkKey(url, one);
  if (root !== undefined && !isTrustRoot(root))
    refuse(
      sentence`The registry ${url} has a trust root that is none: it is the text of a trusted_root.json of sigstore.`,
    );
  for (const origin of origins)
    if (!/^https?:/.test(origin) || new URL(origin).origin !== origin)
      refuse(
        sentence`"${origin.slice(0, 200)}" is no origin, such as https://files.example:8443, without a path.`,
      );
  const { username, password: inUrl, search, hash } = new URL(url);
  if (search !== '' || hash !== '') refuse(sentence`The address of a registry ends with its path.`);
  if (username !== '' || inUrl !== '')
    refuse(
      sentence`The address of a registry has no user and no password: give them as members of their own.`,
    );
  if ((cert === undefined) !== (key === undefined))
    refuse(sentence`The registry ${url} has a certificate without a key, or a key without a certificate.`);
  if ((user === undefined) !== (password === undefined))
    refuse(sentence`The registry ${url} has a user without a password, or a password without a user.`);
  if (user !== undefined && token !== undefined)
    refuse(sentence`The registry ${url} has both a token and a user: it gets one of them.`);
}

/** Of a mirror on this machine. */
function checkFolder(url: string, others: readonly unknown[]): void {
  if (
    !/^file:\/\/\/[^/]/.test(url) ||
    new URL(url).pathname !== url.slice('file://'.length) ||
    /%2f|%00/i.test(url)
  )
    refuse(
      sentence`"${url.slice(0, 200)}" is not the address of a folder, such as file:///media/stick/mirror.`,
    );
  if (others.some((one) => one !== undefined))
    refuse(sentence`The mirror ${url} is a folder: it goes without certificate, user, token and proxy.`);
}

/** By its form; what is in it the process that uses it looks at. */
function isTrustRoot(text: string): boolean {
  try {
    const { mediaType } = JSON.parse(text) as { readonly mediaType?: unknown };
    return isText(mediaType) && mediaType.startsWith('application/vnd.dev.sigstore.trustedroot');
  } catch {
    return false;
  }
}

function checkTrust({ url, root }: TrustSetting): void {
  if (url !== undefined && (!/^https?:/.test(url) || !URL.canParse(url)))
    refuse(sentence`"${url.slice(0, 200)}" is not the address of a repository of keys.`);
  if (root !== undefined && !isRepositoryRoot(root))
    refuse(
      sentence`The root of the repository of keys is none: it is the text of a root.json of The Update Framework.`,
    );
}

/** By its form; what is in it the process that renews looks at. */
function isRepositoryRoot(text: string): boolean {
  try {
    const { signed } = JSON.parse(text) as { readonly signed?: { readonly _type?: unknown } };
    return signed?._type === 'root';
  } catch {
    return false;
  }
}

function checkKey(url: string, pem: string): void {
  try {
    if (createPublicKey(pem).asymmetricKeyType === 'ec') return;
  } catch {
    // What is wrong is said below.
  }
  refuse(sentence`The registry ${url} has a key that is no public key for ECDSA in PEM.`);
}

function refuse(reason: Sentence): never {
  throw new Refusal(ErrorCode.PARAM_INVALID, reason);
}
