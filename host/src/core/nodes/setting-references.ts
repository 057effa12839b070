import { formatReference, NodeType, type Reference, referencesIn, withReferences } from '@tagway/schemas';
import type { Params, Plugin } from '../model.ts';
import { getOrMake } from '../system/get-or-make.ts';

/** A reference in a setting of an app. */
export interface SettingReference {
  readonly setting: string;
  readonly role: 'read' | 'write';
  /** Undefined where the text is no reference. */
  readonly reference: Reference | undefined;
  readonly text: string;
}

/** What one tag has is written to another one. */
export interface WrittenLink {
  readonly setting: string;
  readonly source: Reference;
  readonly target: Reference;
  /** It is no circle that it closes. */
  readonly isMeant: boolean;
}

/** What the settings of an app refer to. */
export interface SettingReferences {
  readonly all: readonly SettingReference[];
  /** Those that are read, each once, in the order of their first appearance. */
  readonly reads: readonly Reference[];
  readonly links: readonly WrittenLink[];
  /** Names of all nodes that are read or written. */
  readonly nodes: ReadonlySet<string>;
  /** Those that are written, as texts. */
  readonly targets: ReadonlySet<string>;
}

type Role = 'read' | 'write' | 'link';

/** Behind the references of a row whose circle is meant. */
const meant = /\|\s*circle\s*:\s*meant\s*(\||$)/;

const none: SettingReferences = { all: [], reads: [], links: [], nodes: new Set(), targets: new Set() };

/** By the plugin and the settings, which never change. */
const known = new WeakMap<Plugin, WeakMap<Params, SettingReferences>>();

/** What the settings of a node refer to: those that the schema of its plugin says to have references, in its order. Of a driver nothing. */
export function settingReferences(plugin: Plugin, params: Params | undefined): SettingReferences {
  if (params === undefined || !mayRefer(plugin)) return none;
  const byParams = getOrMake(known, plugin, () => new WeakMap<Params, SettingReferences>());
  return getOrMake(byParams, params, () => found(plugin, params));
}

/** The settings with other references in the place of those that `change` gives one for; undefined when none is another one. */
export function withSettingReferences(
  plugin: Plugin,
  params: Params,
  change: (reference: Reference) => Reference | undefined,
): Params | undefined {
  const changed: Record<string, unknown> = { ...params };
  let isOther = false;
  for (const [name] of rolesOf(plugin, params)) {
    const before = params[name];
    if (typeof before !== 'string') continue;
    const after = withReferences(before, change);
    if (after === before) continue;
    changed[name] = after;
    isOther = true;
  }
  return isOther ? changed : undefined;
}

function mayRefer({ nodeType, inputs, absent }: Plugin): boolean {
  return nodeType === NodeType.APP && (inputs === true || absent === true);
}

function found(plugin: Plugin, params: Params): SettingReferences {
  const all: SettingReference[] = [];
  const links: WrittenLink[] = [];
  const reads = new Map<string, Reference>();
  for (const [setting, role] of rolesOf(plugin, params)) {
    const text = params[setting];
    if (typeof text !== 'string' || !text.includes('tag')) continue;
    for (const part of role === 'link' ? text.split('\n') : [text]) {
      const references = referencesIn(part);
      const isMeant = role === 'link' && meant.test(part.slice(references.at(-1)?.end ?? 0));
      for (const [index, { reference, text: own }] of references.entries()) {
        const isRead = role === 'read' || (role === 'link' && index === 0);
        all.push({ setting, role: isRead ? 'read' : 'write', reference, text: own });
        if (reference === undefined) continue;
        const source = references[0]?.reference;
        if (isRead) reads.set(keyOf(reference), reference);
        else if (role === 'link' && source !== undefined)
          links.push({ setting, source, target: reference, isMeant });
      }
    }
  }
  const known = all.flatMap(({ role, reference }) => (reference === undefined ? [] : { role, reference }));
  return {
    all,
    reads: [...reads.values()],
    links,
    nodes: new Set(known.map(({ reference }) => reference.node)),
    targets: new Set(
      known.flatMap(({ role, reference }) => (role === 'write' ? formatReference(reference) : [])),
    ),
  };
}

/** Of a plugin that is missing every text may have references. */
function rolesOf({ absent, settingsSchema }: Plugin, params: Params): [setting: string, role: Role][] {
  if (absent === true) return Object.keys(params).map((name) => [name, 'read']);
  const { properties = {}, allOf = [] } = settingsSchema as SchemaWithRoles;
  const settings = [properties, ...allOf.map(({ then }) => then?.properties ?? {})].flatMap(Object.entries);
  return settings.flatMap(([name, { 'x-references': role }]) => (role === undefined ? [] : [[name, role]]));
}

type SettingsWithRoles = Readonly<Record<string, { readonly 'x-references'?: Role }>>;

/** What of a settings schema says where references are. */
interface SchemaWithRoles {
  readonly properties?: SettingsWithRoles;
  readonly allOf?: readonly { readonly then?: { readonly properties?: SettingsWithRoles } }[];
}

function keyOf({ node, group, tag }: Reference): string {
  return JSON.stringify([node, group, tag]);
}
