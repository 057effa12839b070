import type { ConfigBody } from '@tagway/schemas';
import { type Reference, referenceOf, ReferenceSources } from './references.ts';
import { FolderError } from './folder-files.ts';

/** What is known of a plugin. */
export interface PluginFacts {
  readonly id: string;
  readonly name: string;
  readonly isApp: boolean;
  readonly settingsSchema: object;
}

/** What stands for a secret that the gateway keeps, wherever settings are shown. */
export const mask = '********';

/** Which settings have which values in the place of their references. */
export interface ResolveOptions {
  readonly sources: ReferenceSources;
  readonly plugins: ReadonlyMap<string, PluginFacts>;
  /** Settings by node, with masks for secrets. Undefined: no gateway is asked, and a secret that is not there is taken for a good one. */
  readonly stored: ReadonlyMap<string, object> | undefined;
  /** The files of nodes by name, for sentences. */
  readonly fileOf: (node: string) => string;
}

/** Fits where a text is demanded, and where the content of a file is. */
const placeholder = 'secret00';

/** A configuration with values in the place of references, and what is wrong with them. */
export async function resolved<Body extends Pick<ConfigBody, 'nodes' | 'settings'>>(
  body: Body,
  options: ResolveOptions,
): Promise<{
  readonly body: Body;
  readonly problems: readonly string[];
  /** By node the settings whose secrets are taken for good ones. */
  readonly unseen: ReadonlyMap<string, readonly string[]>;
}> {
  const unseen = new Map<string, readonly string[]>();
  const problems: string[] = [];
  const pluginOf = new Map(body.nodes.map(({ name, plugin }) => [name, plugin]));
  const settings: ConfigBody['settings'] = [];
  for (const { node, params } of body.settings) {
    const walk = new Walk(node, options, encodedSettings(options.plugins.get(pluginOf.get(node) ?? '')));
    settings.push({ node, params: (await walk.resolve(params, [])) as typeof params });
    problems.push(...walk.problems);
    if (walk.unseen.length > 0) unseen.set(node, walk.unseen);
  }
  return { body: { ...body, settings }, problems, unseen };
}

/** The names of settings that are files in base64. */
export function encodedSettings(plugin: PluginFacts | undefined): ReadonlySet<string> {
  const { properties = {}, allOf = [] } = (plugin?.settingsSchema ?? {}) as SchemaParts;
  const places: readonly Properties[] = [properties, ...allOf.map(({ then }) => then?.properties ?? {})];
  const all = places.flatMap((place) => Object.entries(place));
  return new Set(all.filter(([, one]) => one.contentEncoding === 'base64').map(([name]) => name));
}

type Properties = Readonly<Record<string, { readonly contentEncoding?: string }>>;

interface SchemaParts {
  readonly properties?: Properties;
  readonly allOf?: readonly { readonly then?: SchemaParts }[];
}

class Walk {
  readonly problems: string[] = [];
  /** Settings whose secrets are not there. */
  readonly unseen: string[] = [];
  readonly #node: string;
  readonly #options: ResolveOptions;
  readonly #encoded: ReadonlySet<string>;

  constructor(node: string, options: ResolveOptions, encoded: ReadonlySet<string>) {
    this.#node = node;
    this.#options = options;
    this.#encoded = encoded;
  }

  async resolve(value: unknown, path: readonly string[]): Promise<unknown> {
    const reference = referenceOf(value);
    if (reference !== undefined) return this.#valueOf(reference, path);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const [index, one] of value.entries())
        items.push(await this.resolve(one, [...path, String(index)]));
      return items;
    }
    const members: [string, unknown][] = [];
    for (const [name, one] of Object.entries(value))
      members.push([name, await this.resolve(one, [...path, name])]);
    return Object.fromEntries(members);
  }

  async #valueOf(reference: Reference, path: readonly string[]): Promise<unknown> {
    const { sources, stored } = this.#options;
    const problem = ReferenceSources.problemOf(reference);
    if (problem !== undefined) return this.#report(path, problem);
    let found;
    try {
      found = await sources.find(reference);
    } catch (error) {
      if (!(error instanceof FolderError)) throw error;
      return this.#report(path, error.message.replace(/\.$/, ''));
    }
    if (found !== undefined) return this.#encoded.has(path[0] ?? '') ? found.base64 : found.text;
    if (reference.kind === 'file')
      return this.#report(path, `there is no file ${reference.name} in the folder`);
    if (stored === undefined) {
      this.unseen.push(path[0] ?? '');
      return placeholder;
    }
    if (reference.kind === 'env')
      return this.#report(path, `the environment has no variable ${reference.name}`);
    if (atPath(stored.get(this.#node), path) === mask) return mask;
    return this.#report(
      path,
      `there is no secret "${reference.name}": the gateway keeps none for it, and the folder of --secrets has no such file`,
    );
  }

  #report(path: readonly string[], problem: string): unknown {
    this.problems.push(`${this.#options.fileOf(this.#node)}, setting "${path.join('.')}": ${problem}.`);
    return mask;
  }
}

export function atPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, name) =>
      typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined,
    value,
  );
}
