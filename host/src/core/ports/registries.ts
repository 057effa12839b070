import type { Registry, TrustRenewal } from '@tagway/schemas';

/** A package that a search found, as the registry describes its newest version. */
export interface FoundName {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

/** What a registry found for some words. */
export interface Found {
  readonly packages: readonly FoundName[];
  /** There are more than it was asked for. */
  readonly isCut: boolean;
}

/** What a registry knows of a package. Its texts are plain and cut; nothing in it was verified. */
export interface PackageFacts {
  readonly name: string;
  /** The newest first, a hundred at most. */
  readonly versions: readonly VersionFacts[];
}

export interface VersionFacts {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly time?: number;
  readonly publisher?: string;
  readonly author?: string;
  readonly description: string;
  readonly homepage?: string;
  readonly repository?: string;
  readonly license?: string;
  readonly deprecated?: string;
  /** Bytes, unpacked. */
  readonly size?: number;
  /** Address of the archive, and what its hash must be. */
  readonly archive?: string;
  readonly integrity?: string;
  /** The keyword says that it is a plugin. */
  readonly hasKeyword: boolean;
  readonly hasInstallScript: boolean;
  readonly signatures: readonly RegistrySignature[];
  /** The registry says so. */
  readonly isAttested: boolean;
  /** What the author says of the plugin in it; absent where that is not of the right form. */
  readonly plugin?: PluginFacts;
  /** What the author says of the device profile in it; absent for other packages. */
  readonly profile?: ProfileFacts;
}

/** A signature of the registry, which was not verified. */
export interface RegistrySignature {
  readonly keyid: string;
  /** In base64. */
  readonly sig: string;
}

/** What an archive must be, and what its registry has signed of it. */
export interface SignedVersion {
  readonly name: string;
  readonly version: string;
  readonly time?: number;
  readonly archive: string;
  readonly integrity: string;
  readonly signatures: readonly RegistrySignature[];
  readonly isAttested: boolean;
}

/** What was verified of a version. */
export interface Verified {
  /** A signature by a known key of the registry. */
  readonly isSigned: boolean;
  /** The repository of the sources, of an attestation; absent where there is none. */
  readonly attestedRepository?: string;
}

/** What a mirror of a version needs for verifying it. */
export interface Collected {
  /** As the registry has them; nothing of them was looked at. */
  readonly attestations: readonly unknown[];
  /** Public keys of the registry, PEM. */
  readonly keys: readonly string[];
  /** The text of a trusted_root.json. */
  readonly trustRoot: string;
}

/** What was renewed of what verifies packages, with all that the next renewal is measured by. */
export interface RenewedTrust {
  /** Files of a repository of keys by their names: the metadata that vouch for the others, and what packages are verified with. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly targets: Readonly<Record<string, string>>;
  /** The hash of the root that an admin has named; empty for the one that comes with the gateway. */
  readonly root: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** What the author of a device profile says of it. */
export interface ProfileFacts {
  readonly id: string;
  /** Ids of the plugins that it is for. */
  readonly plugins: readonly string[];
}

export interface PluginFacts {
  readonly id: string;
  readonly kind: 'driver' | 'app';
  readonly sdk: string;
  readonly name?: string;
  readonly native?: boolean;
  readonly uses?: readonly string[];
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** An archive that was fetched; its hash is what the registry says. */
export interface FetchedArchive {
  readonly content: Uint8Array;
  /** In base64. */
  readonly sha512: string;
}

export interface Received {
  readonly received: number;
  readonly size?: number;
}

/**
 * Asks registries, in a process of its own that ends with the session. Every call rejects with a fault, which says nothing of what was
 * received.
 */
export interface RegistrySession extends AsyncDisposable {
  /** Plugins, or packages with another keyword, that fit words; there may be none. Rejects with REGISTRY_WITHOUT_SEARCH where the registry has no search. */
  search(registry: Registry, words: string, most: number, keyword?: string): Promise<Found>;
  /** Rejects with PACKAGE_NOT_FOUND. */
  package(registry: Registry, name: string): Promise<PackageFacts>;
  /** Rejects with PACKAGE_UNTRUSTED when a signature or an attestation is not good, or is not there and has to be. */
  verify(registry: Registry, version: SignedVersion): Promise<Verified>;
  /** Rejects with another fault when the registry does not answer. */
  collect(registry: Registry, version: SignedVersion): Promise<Collected>;
  /** Of a version that was verified. Rejects with PACKAGE_UNTRUSTED when the hash is another one, and with PACKAGE_NOT_FOUND. */
  archive(
    registry: Registry,
    version: SignedVersion,
    progress: (received: Received) => void,
  ): Promise<FetchedArchive>;
}

/** Where registries are set, and asked. */
export interface Registries {
  /** The one that a command names, which is asked for everything. */
  readonly only?: Registry | undefined;
  /** The one that is asked where none is set. */
  readonly byDefault: Registry;
  /** Where the keys of registries and the trust root are renewed from, as an admin has set it. What was renewed from elsewhere does not hold. */
  trustRenewal: Pick<TrustRenewal, 'url' | 'root'>;
  /** Those of the file in the data folder, or that the user of a command has. Rejects with PARAM_INVALID for a file that cannot be used. */
  fromFile(): Promise<readonly Registry[]>;
  /** Ends with the signal. */
  open(signal: AbortSignal): RegistrySession;
  /** When the keys of registries and the trust root were renewed last; undefined: never. */
  trustTime(): Promise<number | undefined>;
  /** Renews them through the proxy of a registry. Returns whether they are others now. Rejects with a fault, and everything is as it was. */
  renewTrust(via: Registry, signal: AbortSignal): Promise<boolean>;
}
