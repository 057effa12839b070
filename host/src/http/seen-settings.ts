import { isDeepStrictEqual } from 'node:util';
import type { ApiTypes } from '@tagway/schemas';
import { stringifyJson } from '@tagway/sdk/json';
import type { Gateway } from '../core/gateway.ts';
import type { Params, Plugin } from '../core/model.ts';

/** What stands in the place of a secret, and of what may be one. */
const masked = '***';
/** Characters of a text that are shown. */
const longest = 200;

/** The settings that a request is about, at one moment. With a `plugin` they are those of a node of it. */
interface Seen {
  readonly values: Params | undefined;
  readonly plugin?: Plugin;
}

type Look = (gateway: Gateway, input: unknown) => Seen;

function of<Name extends keyof ApiTypes>(
  _of: Name,
  look: (gateway: Gateway, input: ApiTypes[Name]) => Seen,
): Look {
  return (gateway, input) => look(gateway, input as ApiTypes[Name]);
}

/** Where to look before a change and after it, by the name of the route. */
const looks: Readonly<Record<string, Look>> = {
  'POST /api/v2/node': of('AddNodeBody', ({ nodes }, { name }) => ofNode(nodes.get(name))),
  'POST /api/v2/node/setting': of('SettingBody', ({ nodes }, { node }) => ofNode(nodes.get(node))),
  'POST /api/v2/node/ctl': of('ControlBody', ({ nodes }, { node }) => ({
    values: { running: nodes.get(node).running },
  })),
  'PUT /api/v2/group': of('UpdateGroupBody', ({ groups }, { node, group, new_name }) => {
    const found = groups.list(node).find(({ name }) => name === group || name === new_name);
    return { values: found && { name: found.name, interval: found.interval } };
  }),
  ...Object.fromEntries(
    (['POST', 'PUT', 'DELETE'] as const).map((method) => [
      `${method} /api/v2/subscribe`,
      of('SubscribeBody', ({ subscriptions }, { app, driver, group }) => ({
        values: subscriptions
          .list(app)
          .find(({ group: one }) => one.name === group && one.node.name === driver)?.params,
      })),
    ]),
  ),
  'POST /api/v2/users': of('AddUserBody', ({ users }, { name }) => ({
    values: { role: users.roleOf(name) },
  })),
  'PUT /api/v2/users': of('UpdateUserBody', ({ users }, { name }) => ({
    values: { role: users.roleOf(name) },
  })),
  'PUT /api/v2/log/level': of('LogLevelBody', ({ logLevels }, { node, core = true }) => ({
    values: {
      ...(core && { core: logLevels.core }),
      ...(node !== undefined && { node: logLevels.of(node) }),
    },
  })),
};

/** What a route that changes settings finds at this moment; undefined where there is nothing yet, or no settings at all. */
export function look(route: string, gateway: Gateway, input: unknown): Seen | undefined {
  try {
    return looks[route]?.(gateway, input);
  } catch {
    // The endpoint itself says what is missing.
    return undefined;
  }
}

/** The members that changed, as they were and as they are, without secrets. */
export function changeOf(
  before: Seen | undefined,
  after: Seen | undefined,
): { readonly before?: object; readonly after?: object } {
  const [old, fresh] = [before?.values ?? {}, after?.values ?? {}];
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

function ofNode({ plugin, params }: { readonly plugin: Plugin; readonly params: Params | undefined }): Seen {
  return { values: params, plugin };
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

/** What a plugin's schema knows and does not call a secret; files may be keys, and what it does not know may be a mistyped password. */
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
