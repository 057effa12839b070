/** Generated from schemas/plugin/*.json by generate.ts: change those. */

export type Manifest = {
  id: PluginId;
  /**
   * Plugin name in the API.
   */
  name: string;
  kind: 'driver' | 'app';
  /**
   * Range of SDK versions that the plugin was built for.
   */
  sdk: string;
  /**
   * The module whose default export is the plugin.
   */
  main: string;
  /**
   * The JSON Schema of its nodes' settings.
   */
  settings: string;
  description: {
    en: string;
    zh?: string;
  };
  tags?: TagFormats;
  aliases?: Aliases;
  features?: ('write-many' | 'browse' | 'watch' | 'logins' | 'standby' | 'clients' | 'certificates')[];
  /**
   * The library carries native modules.
   */
  native?: boolean;
  uses?: Uses;
  /**
   * Its nodes get values of tags of other nodes: of a driver those that addresses of its tags name, of an app those that settings with x-references name: tag("node/group/tag").
   */
  inputs?: true;
};
/**
 * Schema name in the API, and folder name.
 */
export type PluginId = string;
/**
 * What the plugin uses of the machine, in its author's word: shown before an installation, and not enforced.
 */
export type Uses = ('network' | 'serial')[];
/**
 * A path in the library's folder, with forward slashes.
 */
export type FileInLibrary = string;
/**
 * As npm has them: what it is for, or with `!` what it is not for.
 *
 * @maxItems 32
 */
export type Platforms = string[];
export type Setting = {
  /**
   * The list: a number that may be a text, such as an address with leading zeros. Clients see it as an integer, forms take a text.
   */
  type: 'integer' | 'number' | 'string' | 'boolean' | ['string', 'integer'];
  title: string;
  description: string;
  'x-zh'?: Chinese;
  /**
   * The part of the form that shows the setting; default: behaviour. What is advanced is folded until it is asked for.
   */
  'x-section'?: 'connection' | 'security' | 'behaviour' | 'advanced';
  /**
   * The steps of a connection test that may fail because of the setting, which is marked then.
   *
   * @minItems 1
   */
  'x-steps'?: ('resolve' | 'connect' | 'handshake' | 'answer' | 'login' | 'rights' | 'write')[];
  default?: number | string | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  /**
   * Of a string with a pattern: texts that fit, which a refusal names.
   *
   * @minItems 1
   * @maxItems 3
   */
  examples?: string[];
  /**
   * @minItems 1
   */
  enum?: number[];
  /**
   * @minItems 1
   */
  oneOf?: {
    const: number | string | boolean;
    title: string;
    'x-zh'?: Chinese;
    /**
     * With this value the driver waits for its device to connect, so that a connection cannot be tried.
     */
    'x-listens'?: true;
  }[];
  contentEncoding?: 'base64';
  /**
   * Of a string, in a plugin whose manifest has inputs: the tags that it names are read or written. link: in each line the first one is read, and what it has is written to the others.
   */
  'x-references'?: 'read' | 'write' | 'link';
  /**
   * Of a string: a secret such as a password, which forms hide.
   */
  writeOnly?: true;
};
export type SettingNames = string[];

/**
 * Every definition of schemas/plugin by its name.
 */
export interface PluginTypes {
  Manifest: Manifest;
  PluginId: PluginId;
  Uses: Uses;
  Aliases: Aliases;
  FileInLibrary: FileInLibrary;
  TagFormats: TagFormats;
  PackageMember: PackageMember;
  Platforms: Platforms;
  PackageSignature: PackageSignature;
  SettingsSchema: SettingsSchema;
  SettingNames: SettingNames;
  SettingProperties: SettingProperties;
  SettingCondition: SettingCondition;
  Setting: Setting;
  Chinese: Chinese;
}
/**
 * Of a driver: the data types and addresses that it takes.
 */
export interface TagFormats {
  /**
   * Milliseconds that clients propose for a new group.
   */
  groupInterval: number;
  /**
   * Bytes of UTF-8 of the longest text that can be written to a tag; default 127.
   */
  longestText?: number;
  /**
   * Bytes of UTF-8 of the longest address of a tag; default 127.
   */
  longestAddress?: number;
  /**
   * @minItems 1
   */
  addresses: {
    type: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14;
    pattern: string;
    /**
     * Addresses that fit, which forms show beside the field.
     *
     * @maxItems 5
     */
    examples?: string[];
  }[];
}
/**
 * What the plugin is called elsewhere or was called before. Calls and imports accept it, replies never show it; the name or id of another plugin goes before it.
 */
export interface Aliases {
  names?: string[];
  ids?: string[];
}
/**
 * The member `tagway` of a packed package.json: what registries show of a plugin before it is fetched.
 */
export interface PackageMember {
  id: PluginId;
  name?: string;
  kind: 'driver' | 'app';
  sdk: string;
  native: boolean;
  /**
   * As `uses` of the manifest; a later version may know more words.
   *
   * @maxItems 32
   */
  uses?: string[];
  os?: Platforms;
  cpu?: Platforms;
  libc?: Platforms;
}
/**
 * signature.json of a package: an Ed25519 signature over its name, its version and the SHA-512 of every other file.
 */
export interface PackageSignature {
  algorithm: 'ed25519';
  /**
   * The fingerprint of the public key: SHA-256 of its SPKI form, in base64 without padding.
   */
  key: string;
  signature: string;
}
export interface SettingsSchema {
  $schema?: 'https://json-schema.org/draft/2020-12/schema';
  $id?: string;
  title?: string;
  description?: string;
  type: 'object';
  properties: SettingProperties;
  required?: SettingNames;
  allOf?: SettingCondition[];
}
export interface SettingProperties {
  [k: string]: Setting;
}
export interface Chinese {
  title?: string;
  description?: string;
}
/**
 * The settings named in "then" apply when the setting named in "if" has this value.
 */
export interface SettingCondition {
  if: {
    properties: {
      [k: string]: {
        const: number | string | boolean;
      };
    };
    /**
     * @minItems 1
     * @maxItems 1
     */
    required: string[];
  };
  then: {
    required?: SettingNames;
    /**
     * A setting that is defined elsewhere may stand here as an empty object.
     */
    properties?: {
      [k: string]: unknown;
    };
  };
}
