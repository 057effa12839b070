import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Params } from '../core/model.ts';
import type { Store, StoreChanges } from '../core/ports/ports.ts';
import { keys } from '../core/records/records.ts';
import { isSealed, mapSecrets, type Path, type Sealed } from '../core/access/secrets.ts';

/** The schema of what a record with secrets holds; undefined when it is not known, because the library of a node's plugin is missing. */
export type SchemaOf = (key: string, record: WithSecrets) => object | undefined;

export interface WithSecrets {
  /** Of a node: the id of its plugin. */
  readonly plugin?: string;
  readonly params: Params;
}

/**
 * A store in which the secrets of nodes, of registries, of the fleet and of the sign-in are encrypted, with AES-256-GCM and the key of the record as its context. What another key has
 * sealed stays as it is, so that it can be opened once that key is back.
 */
export class SealedStore implements Store {
  readonly #store: Store;
  readonly #key: Buffer;
  readonly #schemaOf: SchemaOf;
  /** Where the secrets of each node were when it was loaded, for while its plugin is missing. */
  readonly #places = new Map<string, Path[]>();

  /** `key`: 32 bytes. */
  constructor(store: Store, key: Buffer, schemaOf: SchemaOf) {
    this.#store = store;
    this.#key = key;
    this.#schemaOf = schemaOf;
  }

  /** Secrets that an older gateway has stored in clear are sealed at once. */
  async load(): Promise<[key: string, record: unknown][]> {
    const stored = await this.#store.load();
    const entries = this.opened(stored);
    const bare = entries.filter((_, index) => {
      const [key, record] = stored[index] ?? [''];
      return hasSecrets(key, record) && this.#hasBare(key, record);
    });
    if (bare.length > 0) await this.commit({ set: bare });
    return entries;
  }

  /** Records as they are stored, with their secrets in clear. */
  opened(entries: readonly (readonly [key: string, record: unknown])[]): [key: string, record: unknown][] {
    return entries.map(([key, record]) => {
      if (!hasSecrets(key, record)) return [key, record];
      const places: Path[] = [];
      const params = this.#open(record.params, key, [], places) as Params;
      this.#places.set(key, places);
      return [key, { ...record, params }];
    });
  }

  commit(changes: StoreChanges): Promise<void> {
    const { set = [] } = changes;
    return this.#store.commit({ ...changes, set: this.#sealedEntries(set) });
  }

  *#sealedEntries(
    entries: NonNullable<StoreChanges['set']>,
  ): Generator<readonly [key: string, record: unknown]> {
    for (const entry of entries) {
      const [key, record] = entry;
      yield hasSecrets(key, record) ? [key, this.#sealed(key, record)] : entry;
    }
  }

  #hasBare(key: string, record: WithSecrets): boolean {
    let found = false;
    mapSecrets(this.#schemaOf(key, record) ?? {}, record.params, (secret) => {
      found ||= !isSealed(secret);
      return secret;
    });
    return found;
  }

  #sealed(key: string, record: WithSecrets): WithSecrets {
    const schema = this.#schemaOf(key, record);
    const seal = (secret: unknown): unknown => (isSealed(secret) ? secret : this.#seal(secret, key));
    if (schema !== undefined) return { ...record, params: mapSecrets(schema, record.params, seal) };
    const params = structuredClone(record.params) as Record<string | number, unknown>;
    for (const path of this.#places.get(key) ?? []) change(params, path, seal);
    return { ...record, params: params };
  }

  #seal(secret: unknown, context: string): Sealed {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(context));
    const content = Buffer.concat([cipher.update(JSON.stringify(secret), 'utf8'), cipher.final()]);
    return { $sealed: Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64') };
  }

  /** Notes the places of what is sealed, opened or not. */
  #open(value: unknown, context: string, path: Path, places: Path[]): unknown {
    if (isSealed(value)) {
      places.push(path);
      return this.#unseal(value, context);
    }
    if (Array.isArray(value))
      return value.map((one: unknown, index) => this.#open(one, context, [...path, index], places));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]: [string, unknown]) => [
        name,
        this.#open(one, context, [...path, name], places),
      ]),
    );
  }

  #unseal(sealed: Sealed, context: string): unknown {
    const bytes = Buffer.from(sealed.$sealed, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(12, 28));
      const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
      return JSON.parse(text.toString()) as unknown;
    } catch {
      return sealed;
    }
  }
}

function hasSecrets(key: string, record: unknown): record is WithSecrets {
  if (typeof record !== 'object' || record === null) return false;
  const { plugin, params } = record as Partial<WithSecrets>;
  if (typeof params !== 'object') return false;
  return (
    [keys.registries, keys.fleet, keys.signIn].includes(key) ||
    (key.startsWith('node/') && typeof plugin === 'string')
  );
}

function change(
  within: Record<string | number, unknown>,
  [name, ...rest]: Path,
  how: (value: unknown) => unknown,
): void {
  if (name === undefined || !(name in within)) return;
  const part = within[name];
  if (rest.length === 0) within[name] = how(part);
  else if (typeof part === 'object' && part !== null)
    change(part as Record<string | number, unknown>, rest, how);
}
