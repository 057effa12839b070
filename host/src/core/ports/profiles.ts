import type { PluginOrigin, Profile } from '@tagway/schemas';

/** What a list shows of a profile. */
export interface ProfileSummary extends Pick<
  Profile,
  'id' | 'version' | 'name' | 'maker' | 'description' | 'devices' | 'firmware' | 'document' | 'tried'
> {
  /** Ids of the plugins that it is for. */
  readonly plugins: readonly string[];
  /** Of its groups; a device that says itself what it has may have others. */
  readonly tags: number;
  readonly discovers: boolean;
  /** It comes with the gateway. */
  readonly isSystem: boolean;
  /** Where it came from, if a registry has it. */
  readonly origin?: PluginOrigin;
}

/** Everything that belongs to a profile. */
export interface ProfileFiles {
  readonly profile: Profile;
  readonly readme?: string;
  readonly license?: string;
  /** A data URL. */
  readonly picture?: string;
}

export type InstalledProfile = ProfileFiles & Pick<ProfileSummary, 'isSystem' | 'origin'>;

/** What is to be installed: an archive as npm makes it, or a profile.json alone. */
export interface ProfileArchive {
  readonly content: Uint8Array;
  /** Base64 of an Ed25519 signature over the content. */
  readonly signature?: string | undefined;
  readonly origin?: PluginOrigin;
}

/** A profile that was checked and is not in its place yet. */
export interface StagedProfile {
  readonly files: ProfileFiles;
  /** The package.json of an archive; undefined for a profile.json alone. */
  readonly packageJson: Readonly<Record<string, unknown>> | undefined;
  /** A signature of the author within the package was verified. */
  readonly isSigned: boolean;
  /** Puts it in the place of the profile of its id, if there is one. A crash at any moment leaves either of them there. */
  place(): Promise<void>;
  /** Deletes what is not in place; to be called at the end in every case. Never rejects. */
  discard(): Promise<void>;
}

/** Device profiles on disk: those that come with the gateway, and those that people install. */
export interface ProfileStore {
  /** By their ids. */
  list(): Promise<ReadonlyMap<string, ProfileSummary>>;
  /** Undefined when there is none of this id. */
  read(id: string): Promise<InstalledProfile | undefined>;
  /** Rejects with PROFILE_INVALID, and with LIBRARY_ADD_FAILED for a signature that is not good or is missing. */
  unpack(archive: ProfileArchive): Promise<StagedProfile>;
  /** Removes a profile that was installed; where one of its id comes with the gateway, that one is there again. */
  remove(id: string): Promise<void>;
}

/** Those of a folder, which a pair shares. */
export interface PackableProfiles extends ProfileStore {
  /** The archive of a profile that was installed. */
  pack(id: string): Promise<Uint8Array>;
}

/** Of a gateway without any. */
export const noProfiles: ProfileStore = {
  list: async () => new Map<string, ProfileSummary>(),
  read: async () => undefined,
  unpack: () => Promise.reject(new Error('This gateway keeps no profiles.')),
  remove: () => Promise.resolve(),
};
