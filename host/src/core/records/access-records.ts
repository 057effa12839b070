import { isObject } from '../system/shapes.ts';
import {
  isFleetRecord,
  isMachineTokenRecord,
  isNameSeparatorRecord,
  isPluginPermissionRecord,
  isRegistriesRecord,
  isSignInRecord,
  isSourceRecord,
  isUserRecord,
} from './record-checks.ts';
import type {
  FleetRecord,
  MachineTokenRecord,
  NameSeparatorRecord,
  PluginPermissionRecord,
  RegistriesRecord,
  SignInRecord,
  SourceRecord,
  UserRecord,
} from './records.ts';
import type { Touched } from './touched.ts';

type Entry = readonly [key: string, record: unknown];

/** What a kind of records must be, and what is said of one that is not. */
interface Kind {
  readonly is: (record: unknown) => boolean;
  readonly problem: string;
}

const isLicenseRecord = (record: unknown): record is { readonly certificate: string } =>
  isObject(record) && typeof record['certificate'] === 'string';

/** The kinds of which there is a record for each name. */
const named: Readonly<Record<string, Kind>> = {
  user: { is: isUserRecord, problem: 'it is not a user' },
  'machine-token': { is: isMachineTokenRecord, problem: 'it is not a token of a machine' },
  'plugin-permission': {
    is: isPluginPermissionRecord,
    problem: 'it does not say what a plugin may do',
  },
};

/** The kinds of which there is one record at most. */
const single: Readonly<Record<string, Kind>> = {
  license: { is: isLicenseRecord, problem: 'it is not a license' },
  registries: { is: isRegistriesRecord, problem: 'it does not say which registries are asked' },
  fleet: { is: isFleetRecord, problem: 'it is not the list of the fleet' },
  'sign-in': { is: isSignInRecord, problem: 'it does not say where users are kept' },
  source: { is: isSourceRecord, problem: 'it does not say what was pulled and applied' },
  'name-separator': { is: isNameSeparatorRecord, problem: 'it does not say what names are cut at' },
};

/** Records that no node, group or template has: who may do what, and settings of the gateway as a whole. */
export class AccessRecords {
  readonly #named: Readonly<Record<string, Map<string, unknown>>> = Object.fromEntries(
    Object.keys(named).map((kind) => [kind, new Map<string, unknown>()]),
  );
  readonly #single = new Map<string, unknown>();

  static readonly kinds: readonly string[] = [...Object.keys(named), ...Object.keys(single)];

  /** By name. Who changes users changes this map. */
  get users(): Map<string, UserRecord> {
    return this.#named['user'] as Map<string, UserRecord>;
  }

  /** By name. */
  get machineTokens(): ReadonlyMap<string, MachineTokenRecord> {
    return this.#named['machine-token'] as ReadonlyMap<string, MachineTokenRecord>;
  }

  /** By the id of the plugin. */
  get pluginPermissions(): ReadonlyMap<string, PluginPermissionRecord> {
    return this.#named['plugin-permission'] as ReadonlyMap<string, PluginPermissionRecord>;
  }

  /** The certificate, not looked at yet. */
  get license(): string | undefined {
    return (this.#single.get('license') as { readonly certificate: string } | undefined)?.certificate;
  }

  get registries(): RegistriesRecord | undefined {
    return this.#single.get('registries') as RegistriesRecord | undefined;
  }

  get fleet(): FleetRecord | undefined {
    return this.#single.get('fleet') as FleetRecord | undefined;
  }

  get signIn(): SignInRecord | undefined {
    return this.#single.get('sign-in') as SignInRecord | undefined;
  }

  get source(): SourceRecord | undefined {
    return this.#single.get('source') as SourceRecord | undefined;
  }

  get nameSeparator(): NameSeparatorRecord | undefined {
    return this.#single.get('name-separator') as NameSeparatorRecord | undefined;
  }

  /** Takes a record; what is wrong with one that cannot be used is returned, as a clause. */
  put([key, record]: Entry, touched: Touched): string | undefined {
    const kind = kindOf(key);
    const { is, problem } = (named[kind] ?? single[kind])!;
    mark(kind, touched);
    if (!is(record)) return problem;
    if (kind in named) this.#named[kind]?.set(key.slice(kind.length + 1), record);
    else this.#single.set(kind, record);
    return undefined;
  }

  remove(key: string, touched: Touched): void {
    const kind = kindOf(key);
    mark(kind, touched);
    this.#named[kind]?.delete(key.slice(kind.length + 1));
    this.#single.delete(kind);
  }
}

const kindOf = (key: string): string => key.split('/', 1)[0] ?? '';

function mark(kind: string, touched: Touched): void {
  touched.license ||= kind === 'license';
  touched.access ||= kind !== 'license' && kind !== 'user';
}
