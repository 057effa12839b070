import {
  NodeType,
  type FoundPackage,
  type PluginsReply,
  type ProfileRecord,
  type RegistryProfile,
} from '@tagway/schemas';
import { plainText } from '../pages/plugins/plain-text.ts';
import { hasWords } from '../shell/search-entries.ts';

/** Something that a device may be: a profile, or the protocol that it speaks. */
export interface DeviceRow {
  readonly key: string;
  readonly kind: 'device' | 'protocol';
  readonly isInRegistry: boolean;
  readonly name: string;
  /** What it is for, in one line. */
  readonly about: string;
  /** In which words are searched for: also those of the other language. */
  readonly searched: string;
  /** The plugin that reads it, of a profile. */
  readonly through: string;
  /** Ids of the plugins that are missing. */
  readonly missing: readonly string[];
  readonly to: string;
}

interface Sources {
  readonly profiles: readonly ProfileRecord[];
  readonly plugins: PluginsReply['plugins'];
  readonly foundProfiles: readonly RegistryProfile[];
  readonly foundPlugins: readonly FoundPackage[];
  readonly isChinese: boolean;
}

/** Everything that has all of the words, what is installed before what registries have. */
export function deviceRows(words: string, sources: Sources): DeviceRow[] {
  const { profiles, plugins, foundProfiles, foundPlugins, isChinese } = sources;
  const asked = words.trim();
  // What is called so before what has the words somewhere else, such as the devices that a protocol reads.
  const rank = ({ name }: DeviceRow): number => (hasWords(name, asked) ? 0 : 1);
  const own = [
    ...profiles.map((profile) => ofProfile(profile, isChinese)),
    ...plugins
      .filter(({ node_type }) => node_type === NodeType.DRIVER)
      .map((plugin) => ofPlugin(plugin, isChinese)),
  ]
    .filter(({ searched }) => asked === '' || hasWords(searched, asked))
    .toSorted((one, other) => rank(one) - rank(other));
  const known = new Set(profiles.flatMap(({ package: name }) => name ?? []));
  return [
    ...own,
    ...foundProfiles.filter(({ package: name }) => !known.has(name)).map(ofFoundProfile),
    ...foundPlugins
      .filter(({ kind, installed }) => kind === 'driver' && installed === undefined)
      .map(ofFoundPlugin),
  ];
}

function ofProfile(profile: ProfileRecord, isChinese: boolean): DeviceRow {
  const { id, name, maker, devices, plugins, description, description_zh: chinese } = profile;
  const isReadable = plugins.some(({ installed }) => installed);
  return {
    key: `profile ${id}`,
    kind: 'device',
    isInRegistry: false,
    name,
    about: [maker, devices.join(', '), isChinese ? (chinese ?? description) : description]
      .filter((text) => text !== undefined && text !== '')
      .join(' · '),
    searched: [
      name,
      id,
      maker,
      ...devices,
      description,
      chinese,
      ...plugins.map((plugin) => plugin.name),
    ].join(' '),
    through: plugins.find(({ installed }) => installed)?.name ?? '',
    missing: isReadable ? [] : plugins.map((plugin) => plugin.id),
    to: `?profile=${encodeURIComponent(id)}`,
  };
}

function ofPlugin(plugin: PluginsReply['plugins'][number], isChinese: boolean): DeviceRow {
  const { name, description, description_zh: chinese } = plugin;
  return {
    key: `plugin ${name}`,
    kind: 'protocol',
    isInRegistry: false,
    name,
    about: isChinese ? (chinese ?? description) : description,
    searched: [name, description, chinese].join(' '),
    through: '',
    missing: [],
    to: `?plugin=${encodeURIComponent(name)}`,
  };
}

function ofFoundProfile({ package: name, description, missing }: RegistryProfile): DeviceRow {
  return {
    key: `package ${name}`,
    kind: 'device',
    isInRegistry: true,
    name: plainText(name),
    about: plainText(description),
    searched: '',
    through: '',
    missing,
    to: `?package=${encodeURIComponent(name)}`,
  };
}

function ofFoundPlugin({ package: name, name: title, description }: FoundPackage): DeviceRow {
  return {
    key: `plugin package ${name}`,
    kind: 'protocol',
    isInRegistry: true,
    name: plainText(title ?? name),
    about: plainText(description),
    searched: '',
    through: '',
    missing: [],
    to: `/plugins/find/${encodeURIComponent(name)}`,
  };
}
