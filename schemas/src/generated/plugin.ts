/** Generated from schemas/plugin/*.json by generate.ts: change those. */

/**
 * The name, where the name of the file cannot say it.
 */
export type FileNodeName = string;
/**
 * The plugin's name.
 */
export type FilePlugin = string;
/**
 * true: the node is stopped. Otherwise it runs once it has settings.
 */
export type FileStopped = boolean;
/**
 * The settings of the node. A secret is a reference: {secret: NAME}, {env: NAME} or {file: PATH}.
 */
export type FileSettings = Record<string, unknown>;
export type VarsFile = { readonly from?: string; readonly [name: string]: unknown };
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
  features?: (
    'write-many' | 'browse' | 'watch' | 'logins' | 'standby' | 'clients' | 'certificates' | 'listens'
  )[];
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
export type ProfileId = string;
export type ProfileVersion = string;
/**
 * One line that no spreadsheet takes for a formula.
 */
export type ProfileText = string;
export type ProfileSentence = string;
export type ProfileType =
  | 'INT8'
  | 'UINT8'
  | 'INT16'
  | 'UINT16'
  | 'INT32'
  | 'UINT32'
  | 'INT64'
  | 'UINT64'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BIT'
  | 'BOOL'
  | 'STRING'
  | 'BYTES';
/**
 * A sum: 1 READ, 2 WRITE, 4 SUBSCRIBE. Absent: 1.
 */
export type ProfileAttribute = number;
export type ProfileUnit = string;
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
  'x-table'?: Table;
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
  GatewayFile: GatewayFile;
  DriverFile: DriverFile;
  AppFile: AppFile;
  TemplateFile: TemplateFile;
  VarsFile: VarsFile;
  FileNodeName: FileNodeName;
  FilePlugin: FilePlugin;
  FileStopped: FileStopped;
  FileSettings: FileSettings;
  FileSubscription: FileSubscription;
  FileGroup: FileGroup;
  FileTag: FileTag;
  Manifest: Manifest;
  PluginId: PluginId;
  Uses: Uses;
  Aliases: Aliases;
  FileInLibrary: FileInLibrary;
  TagFormats: TagFormats;
  PackageMember: PackageMember;
  Platforms: Platforms;
  PackageSignature: PackageSignature;
  Profile: Profile;
  ProfileId: ProfileId;
  ProfileVersion: ProfileVersion;
  ProfileText: ProfileText;
  ProfileSentence: ProfileSentence;
  ProfilePlugin: ProfilePlugin;
  ProfileParameter: ProfileParameter;
  ProfileGroup: ProfileGroup;
  ProfileType: ProfileType;
  ProfileAttribute: ProfileAttribute;
  ProfileTag: ProfileTag;
  ProfileUnit: ProfileUnit;
  ProfileDiscovery: ProfileDiscovery;
  ProfileModelType: ProfileModelType;
  ProfileModel: ProfileModel;
  ProfileModelTag: ProfileModelTag;
  ProfileMember: ProfileMember;
  SettingsSchema: SettingsSchema;
  SettingNames: SettingNames;
  SettingProperties: SettingProperties;
  SettingCondition: SettingCondition;
  Setting: Setting;
  Table: Table;
  TableColumn: TableColumn;
  Chinese: Chinese;
}
export interface GatewayFile {
  /**
   * The version of this format.
   */
  format: 1;
}
export interface DriverFile {
  name?: FileNodeName;
  plugin: FilePlugin;
  stopped?: FileStopped;
  settings?: FileSettings;
  groups?: FileGroup[];
}
export interface FileGroup {
  name: string;
  /**
   * Milliseconds.
   */
  interval: number;
  /**
   * Megabytes of disk for the last day; 0, the default, is none.
   */
  history?: number;
  /**
   * What apps get of readings: what is due by the tags, what has changed, or everything.
   */
  report?: 'default' | 'change' | 'always';
  /**
   * Milliseconds between two reports at least; 0 is none.
   */
  min_interval?: number;
  /**
   * Milliseconds between two reports at most; 0 is none.
   */
  max_interval?: number;
  tags?: FileTag[];
}
export interface FileTag {
  name: string;
  /**
   * As the plugin has it. A static tag has none.
   */
  address?: string;
  type:
    | 'INT8'
    | 'UINT8'
    | 'INT16'
    | 'UINT16'
    | 'INT32'
    | 'UINT32'
    | 'INT64'
    | 'UINT64'
    | 'FLOAT'
    | 'DOUBLE'
    | 'BIT'
    | 'BOOL'
    | 'STRING'
    | 'BYTES';
  /**
   * Words with spaces between them. Without it: Read, or Static for a tag with a value.
   */
  attribute?: string;
  description?: string;
  /**
   * Factor from device to shown values; 0 is none.
   */
  decimal?: number;
  /**
   * Decimals to print of a FLOAT or DOUBLE, 0 to 17.
   */
  precision?: number;
  /**
   * Added after the factor.
   */
  bias?: number;
  /**
   * Of a static tag, and of no other.
   */
  value?: number | bigint | string | boolean | number[];
  /**
   * How far the shown value has to move until apps get it again: a number, or a percentage of the span such as "2%".
   */
  deadband?: number | string;
  /**
   * Unit of the shown value, best as a UCUM code.
   */
  unit?: string;
  /**
   * Lower end of the span of the shown value; with high.
   */
  low?: number;
  /**
   * Upper end of the span of the shown value; with low.
   */
  high?: number;
}
export interface AppFile {
  name?: FileNodeName;
  plugin: FilePlugin;
  stopped?: FileStopped;
  settings?: FileSettings;
  subscriptions?: FileSubscription[];
}
export interface FileSubscription {
  driver: string;
  group: string;
  params?: Record<string, unknown>;
}
export interface TemplateFile {
  name?: FileNodeName;
  plugin: FilePlugin;
  groups?: FileGroup[];
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
export interface Profile {
  $schema?: string;
  /**
   * The version of this format.
   */
  format: 1;
  id: ProfileId;
  version: ProfileVersion;
  /**
   * The device, as people call it.
   */
  name: string;
  maker?: ProfileText;
  description: {
    en: ProfileSentence;
    zh?: ProfileSentence;
  };
  /**
   * The models that it fits.
   *
   * @minItems 1
   * @maxItems 100
   */
  devices: ProfileText[];
  /**
   * The versions of their firmware that it fits.
   */
  firmware?: string;
  /**
   * What it rests on.
   */
  document: {
    title: ProfileSentence;
    url?: string;
  };
  /**
   * With which device and firmware somebody has tried it, and when. Absent: it was not tried with a device.
   */
  tried?: string;
  /**
   * What the person who connects the device has to know of it.
   *
   * @maxItems 20
   */
  notes?: ProfileSentence[];
  /**
   * A file beside it.
   */
  picture?: string;
  /**
   * The drivers that can read the device; its addresses are those of each of them. The first is proposed.
   *
   * @minItems 1
   * @maxItems 8
   */
  plugins: ProfilePlugin[];
  /**
   * Whole numbers that are asked for when a node is made. Addresses have their names in braces, as in {unit}.
   *
   * @maxItems 8
   */
  parameters?: ProfileParameter[];
  /**
   * @maxItems 64
   */
  groups: ProfileGroup[];
  discover?: ProfileDiscovery;
}
export interface ProfilePlugin {
  id: string;
  /**
   * Settings of the node that the device asks for. Secrets have no place here.
   */
  settings?: {
    [k: string]: unknown;
  };
  /**
   * Settings that are asked for though they have a value here or in the plugin, such as a port.
   *
   * @maxItems 16
   */
  ask?: string[];
}
export interface ProfileParameter {
  name: string;
  title: ProfileText;
  title_zh?: ProfileText;
  minimum: number;
  maximum: number;
  /**
   * Absent: it has to be given.
   */
  default?: number;
}
export interface ProfileGroup {
  name: ProfileText;
  /**
   * Milliseconds.
   */
  interval: number;
  /**
   * @minItems 1
   * @maxItems 2000
   */
  tags: ProfileTag[];
}
export interface ProfileTag {
  name: ProfileText;
  address: string;
  type: ProfileType;
  attribute?: ProfileAttribute;
  precision?: number;
  /**
   * What a raw value is multiplied by.
   */
  decimal?: number;
  bias?: number;
  unit?: ProfileUnit;
  low?: number;
  high?: number;
  description?: ProfileText;
}
/**
 * How a device says what it has: a marker, then a chain of models, each with its number and its length in registers.
 */
export interface ProfileDiscovery {
  /**
   * The address of a tag of the type BYTES: {register} is the first register, {bytes} their length.
   */
  block: string;
  /**
   * Registers that one request may read.
   */
  most: number;
  /**
   * The address of a tag that is a number.
   */
  number: string;
  /**
   * The address of a tag of the type STRING.
   */
  text: string;
  /**
   * The number of the first register in these addresses.
   */
  base: 0 | 1;
  /**
   * Registers at which the marker is looked for, counted from 0, in this order.
   *
   * @minItems 1
   * @maxItems 16
   */
  starts: number[];
  /**
   * @minItems 1
   * @maxItems 8
   */
  marker: number[];
  /**
   * The number in the place of a model's at which the chain ends.
   */
  end: number;
  /**
   * By the word that the models have for it.
   */
  types: {
    [k: string]: ProfileModelType;
  };
  /**
   * @minItems 1
   * @maxItems 256
   */
  models: ProfileModel[];
}
export interface ProfileModelType {
  type: ProfileType;
  /**
   * The raw value that means that the device does not have it; of 64 bits as a text. NaN is the word NaN.
   */
  absent?: number | string;
}
export interface ProfileModel {
  id: number;
  name: ProfileText;
  /**
   * Milliseconds.
   */
  interval: number;
  /**
   * @maxItems 500
   */
  tags: ProfileModelTag[];
  /**
   * A block that repeats up to the end of the model; {n} in the names of its tags counts from 1.
   */
  repeat?: {
    offset: number;
    registers: number;
    most: number;
    /**
     * @minItems 1
     * @maxItems 100
     */
    tags: ProfileModelTag[];
  };
}
export interface ProfileModelTag {
  name: ProfileText;
  /**
   * Registers from the one with the model's number; in a block that repeats from the first of the block.
   */
  offset: number;
  type: string;
  /**
   * Of a text.
   */
  registers?: number;
  /**
   * The offset in the model of the power of ten of its factor.
   */
  scale?: number;
  attribute?: ProfileAttribute;
  unit?: ProfileUnit;
  description?: ProfileText;
}
/**
 * The member `tagway` of the package.json of a profile: what registries show of it before it is fetched.
 */
export interface ProfileMember {
  profile: ProfileId;
  format: number;
  /**
   * @minItems 1
   * @maxItems 8
   */
  plugins: string[];
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
 * Of a string whose lines are the rows of a table: forms show it as one. A line is CSV with the columns in their order, unless there is a pattern.
 */
export interface Table {
  /**
   * What a line fits, with a group named for each column; a line is written from the columns with what stands before and after each.
   */
  pattern?: string;
  /**
   * Of CSV: the first line has the names of the columns, in any order.
   */
  titles?: true;
  /**
   * @minItems 1
   * @maxItems 40
   */
  columns: TableColumn[];
}
export interface TableColumn {
  name: string;
  title: string;
  description?: string;
  'x-zh'?: Chinese;
  /**
   * Default: text. reference: a tag, which stands in the line as tag('node/group/tag'); forms let people pick it, and say which of them there are not.
   */
  type?: 'text' | 'integer' | 'number' | 'reference';
  /**
   * With a pattern: stands in the line before what the cell has, unless that is empty.
   */
  before?: string;
  /**
   * The same behind it.
   */
  after?: string;
  /**
   * The texts that a cell may have.
   *
   * @minItems 1
   */
  choices?: string[];
  /**
   * Of choices: a cell may have several, with commas between.
   */
  many?: true;
  required?: true;
  /**
   * No two rows have the same.
   */
  unique?: true;
  /**
   * What a new row has.
   */
  default?: string;
  pattern?: string;
  /**
   * @minItems 1
   * @maxItems 3
   */
  examples?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
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
