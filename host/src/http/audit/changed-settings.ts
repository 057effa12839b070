import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '@tagway/sdk/json';
import type { Params, Plugin } from '../../core/model.ts';

/** Shown instead of a secret, and of a setting that may be one. */
const masked = '***';
/** Characters of a text that are shown. */
const longest = 200;

/** Settings at one moment. With a `plugin` they are those of a node of it. */
export interface SeenSettings {
  readonly values: Params | undefined;
  readonly plugin?: Plugin;
}

/** Settings as `look` finds them; undefined where it throws because there is nothing yet. */
export function seen(look: () => SeenSettings): SeenSettings | undefined {
  try {
    return look();
  } catch {
    // The endpoint itself says what is missing.
    return undefined;
  }
}

/** The members that changed, as they were and as they are, without secrets. */
export function changedSettings(
  before: SeenSettings | undefined,
  after: SeenSettings | undefined,
): { readonly before?: object; readonly after?: object } {
  const old = before?.values ?? {};
  const fresh = after?.values ?? {};
  const plugin = after?.plugin ?? before?.plugin;
  const names = new Set([...Object.keys(old), ...Object.keys(fresh)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(old[name], fresh[name]));
  if (changed.length === 0) return {};
  const open = plugin && openSettings(plugin);
  const shown = (values: Params): object =>
    Object.fromEntries(
      changed
        .filter((name) => values[name] !== undefined)
        .map((name) => [name, open?.has(name) === false ? masked : cut(values[name])]),
    );
  return { before: shown(old), after: shown(fresh) };
}

interface Setting {
  readonly writeOnly?: boolean;
  readonly contentEncoding?: string;
}

interface Settings {
  readonly properties?: Readonly<Record<string, Setting>>;
}

/** Names of secrets in the schemas of plugins that do not mark them. */
const soundsSecret = /pass|secret|token|credential/i;

/** Names in a plugin's schema that are not secret. Files may be keys, and an unknown name may be a misspelt password. */
function openSettings({ settingsSchema }: Plugin): Set<string> {
  const { properties = {}, allOf = [] } = settingsSchema as Settings & {
    readonly allOf?: readonly { readonly then?: Settings }[];
  };
  const all = [properties, ...allOf.map(({ then }) => then?.properties ?? {})].flatMap(Object.entries);
  const isSecret = ([name, setting]: [string, Setting]): boolean =>
    setting.writeOnly === true || setting.contentEncoding !== undefined || soundsSecret.test(name);
  const secrets = new Set(all.filter(isSecret).map(([name]) => name));
  return new Set(all.map(([name]) => name).filter((name) => !secrets.has(name)));
}

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return text.length <= longest ? value : `${text.slice(0, longest)}…`;
}
