import { type ApiTypes, NodeCommand } from '@tagway/schemas';
import type { Context } from 'koa';
import { writesTold } from '../core/audit.ts';

/** Names of a list that a line spells out. */
const mostNamed = 5;

type Tell = (input: unknown) => string;

/** `told` says in the past tense what was done, without the one who did it. */
function of<Name extends keyof ApiTypes>(_of: Name, told: (input: ApiTypes[Name]) => string): Tell {
  return (input) => told(input as ApiTypes[Name]);
}

/** What the log says of each operation that changes the configuration, by the name of its route. */
const tales: Readonly<Record<string, Tell>> = {
  'POST /api/v2/password': of('PasswordBody', ({ name }) => `changed the password of the user "${name}"`),
  'POST /api/v2/users': of('AddUserBody', ({ name }) => `added the user "${name}"`),
  'PUT /api/v2/users': of('UpdateUserBody', ({ name, new_password, role }) => {
    const what = [
      ...(new_password === undefined ? [] : [`set the password of the user "${name}"`]),
      ...(role === undefined ? [] : [`made the user "${name}" ${role}`]),
    ];
    return what.join(' and ');
  }),
  'DELETE /api/v2/users': of('DeleteUserBody', ({ name }) => `deleted the user "${name}"`),
  'POST /api/v2/tokens': of('AddTokenBody', ({ name, role }) => `made the token "${name}", ${role}`),
  'DELETE /api/v2/tokens': of('DeleteTokenBody', ({ name }) => `revoked the token "${name}"`),

  'POST /api/v2/node': of(
    'AddNodeBody',
    ({ name, plugin }) => `added the node "${name}" of the plugin "${plugin}"`,
  ),
  'PUT /api/v2/node': of(
    'RenameNodeBody',
    ({ name, new_name }) => `renamed the node "${name}" to "${new_name}"`,
  ),
  'DELETE /api/v2/node': of('DeleteNodeBody', ({ name }) => `deleted the node "${name}"`),
  'POST /api/v2/node/setting': of('SettingBody', ({ node }) => `changed the settings of the node "${node}"`),
  'POST /api/v2/node/ctl': of(
    'ControlBody',
    ({ node, cmd }) => `${cmd === NodeCommand.START ? 'started' : 'stopped'} the node "${node}"`,
  ),

  'POST /api/v2/group': of(
    'AddGroupBody',
    ({ node, name, group, interval }) =>
      `added the group "${name ?? group}" of "${node}", read every ${interval} ms`,
  ),
  'PUT /api/v2/group': of(
    'UpdateGroupBody',
    ({ node, group, new_name, interval }) =>
      `changed the group "${group}" of "${node}"${changes(new_name, interval)}`,
  ),
  'DELETE /api/v2/group': of(
    'DeleteGroupBody',
    ({ node, group }) => `deleted the group "${group}" of "${node}"`,
  ),

  'POST /api/v2/tags': of(
    'TagsBody',
    ({ node, group, tags }) => `added tags to the group "${group}" of "${node}": ${names(tags)}`,
  ),
  'PUT /api/v2/tags': of(
    'TagsBody',
    ({ node, group, tags }) => `changed tags of the group "${group}" of "${node}": ${names(tags)}`,
  ),
  'POST /api/v2/tags/apply': of('PlanTagsBody', ({ node, group, tags, remove = [] }) =>
    [
      `put ${tags.length} tags into ${groupsOf(group, tags)} of "${node}"`,
      ...(remove.length > 0 ? [`removed ${remove.length}`] : []),
    ].join(' and '),
  ),
  'POST /api/v2/gtags': of('GroupsWithTagsBody', ({ node, groups }) => {
    const count = groups.reduce((sum, { tags }) => sum + tags.length, 0);
    return `added ${count} tags to ${groups.length} groups of "${node}"`;
  }),
  'PUT /api/v2/tag/rename': of(
    'RenameTagBody',
    ({ node, group, old_name, new_name }) =>
      `renamed the tag "${old_name}" of the group "${group}" of "${node}" to "${new_name}"`,
  ),
  'DELETE /api/v2/tags': of(
    'DeleteTagsBody',
    ({ node, group, tags }) =>
      `deleted tags of the group "${group}" of "${node}": ${names(tags.map((name) => ({ name })))}`,
  ),

  'POST /api/v2/subscribe': of('SubscribeBody', (one) => `subscribed ${subscription(one)}`),
  'POST /api/v2/subscribes': of(
    'SubscribeManyBody',
    ({ app, groups }) => `subscribed "${app}" to ${groups.length} groups`,
  ),
  'PUT /api/v2/subscribe': of(
    'UpdateSubscriptionBody',
    (one) => `changed the parameters with which ${subscription(one)} is subscribed`,
  ),
  'DELETE /api/v2/subscribe': of(
    'UnsubscribeBody',
    (one) => `ended the subscription of ${subscription(one)}`,
  ),

  'PUT /api/v2/global/config': of(
    'ConfigBody',
    ({ nodes }) => `replaced the whole configuration by one of ${nodes.length} nodes`,
  ),
  'POST /api/v2/snapshots': () => 'made a snapshot of the configuration',
  'POST /api/v2/snapshots/restore': of(
    'RestoreSnapshotBody',
    ({ id }) => `replaced the whole configuration by the snapshot ${id.slice(0, 100)}`,
  ),
  'PUT /api/v2/global/drivers': of('DriversBody', ({ nodes }) => `imported the drivers ${names(nodes)}`),

  'POST /api/v2/template': of('AddTemplateBody', ({ name }) => `added the template "${name}"`),
  'DELETE /api/v2/template': of('TemplateQuery', ({ name }) =>
    name === undefined ? 'deleted all templates' : `deleted the template "${name}"`,
  ),
  'POST /api/v2/template/inst': of(
    'TemplateInstance',
    ({ name, node }) => `made the node "${node}" of the template "${name}"`,
  ),
  'POST /api/v2/template/instances': of(
    'TemplateInstancesBody',
    ({ nodes }) => `made nodes of templates: ${names(nodes.map(({ node }) => ({ name: node })))}`,
  ),
  'POST /api/v2/template/group': of(
    'AddTemplateGroupBody',
    ({ template, group }) => `added the group "${group}" to the template "${template}"`,
  ),
  'PUT /api/v2/template/group': of(
    'UpdateTemplateGroupBody',
    ({ template, group, new_name, interval }) =>
      `changed the group "${group}" of the template "${template}"${changes(new_name, interval)}`,
  ),
  'DELETE /api/v2/template/group': of(
    'DeleteTemplateGroupBody',
    ({ template, group }) => `deleted the group "${group}" of the template "${template}"`,
  ),
  'POST /api/v2/template/tag': of(
    'TemplateTagsBody',
    ({ template, group, tags }) =>
      `added tags to the group "${group}" of the template "${template}": ${names(tags)}`,
  ),
  'PUT /api/v2/template/tag': of(
    'TemplateTagsBody',
    ({ template, group, tags }) =>
      `changed tags of the group "${group}" of the template "${template}": ${names(tags)}`,
  ),
  'DELETE /api/v2/template/tag': of(
    'DeleteTemplateTagsBody',
    ({ template, group, tags }) =>
      `deleted tags of the group "${group}" of the template "${template}": ${names(tags.map((name) => ({ name })))}`,
  ),

  'POST /api/v2/license': () => 'put another license in force',
  'POST /api/v2/pair/switch': of('PairSwitchBody', ({ reason = '' }) =>
    reason === ''
      ? 'handed the plant over to the other gateway of the pair'
      : `handed the plant over to the other gateway of the pair: ${reason}`,
  ),
  'PUT /api/v2/log/level': of('LogLevelBody', ({ node, level, core = true }) => {
    const whose = [...(core ? ['the gateway'] : []), ...(node === undefined ? [] : [`the node "${node}"`])];
    return `set the log level of ${whose.join(' and ')} to ${level ?? 'debug'}`;
  }),
};

/** What the log leaves out: it would be too much, or the core tells of it. */
const quietTales: Readonly<Record<string, Tell>> = {
  'POST /api/v2/login': of('LoginBody', ({ name }) => `logged in as "${name.slice(0, 100)}"`),
  'POST /api/v2/write': of('WriteBody', ({ node, group, tag, value }) =>
    wrote(node, group, writesTold([{ tag, value }])),
  ),
  'POST /api/v2/write/tags': of('WriteTagsBody', ({ node, group, tags }) =>
    wrote(node, group, writesTold(tags)),
  ),
  'POST /api/v2/write/gtags': of('WriteGroupsBody', ({ node, groups }) => {
    const count = groups.reduce((sum, { tags }) => sum + tags.length, 0);
    const [first] = groups;
    return `wrote ${count} tags of ${groups.length} groups of "${node}"${
      first === undefined ? '' : `, first of "${first.group}": ${writesTold(first.tags)}`
    }`;
  }),
  'POST /api/v2/plugin': of('LibraryBody', ({ library }) => `installed the library "${library}"`),
  'PUT /api/v2/plugin': of('LibraryBody', ({ library }) => `replaced the library "${library}"`),
  'DELETE /api/v2/plugin': of('RemovePluginBody', ({ plugin }) => `removed the plugin "${plugin}"`),
  'PUT /api/v2/plugin/debug': of('PluginDebugBody', ({ plugin, port }) =>
    port === undefined
      ? `let no debugger attach to the plugin "${plugin}" any more`
      : `let a debugger attach to the plugin "${plugin}" at port ${port}`,
  ),
};

/** What a route has changed, or undefined for one that changes nothing or of which the core tells. */
export function taleOf(route: string, ctx: Context): string | undefined {
  return tales[route]?.((ctx.state as WithInput).input);
}

/** Whether the audit has what a route does. */
export function isToldOf(route: string): boolean {
  return route in tales || route in quietTales;
}

/** What a well-formed request of a route that changes something asked for, in the past tense, and its input. */
export function deedOf(
  route: string,
  ctx: Context,
): { readonly text: string; readonly input: unknown } | undefined {
  const { input } = ctx.state as WithInput;
  const tell = tales[route] ?? quietTales[route];
  return tell === undefined || input === undefined ? undefined : { text: tell(input), input };
}

/** The node that a request is about; of a subscription, the app. */
export function nodeOf(route: string, input: unknown): string | undefined {
  const { node, app, name } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const named = node ?? app ?? (/ \/api\/v2\/node$/.test(route) ? name : undefined);
  return typeof named === 'string' ? named : undefined;
}

interface WithInput {
  input?: unknown;
  watching?: (input: unknown) => void;
}

/** Notes what a request asks for, once it is known to be well formed. */
export function setInput(ctx: Context, input: unknown): void {
  const state = ctx.state as WithInput;
  state.input = input;
  state.watching?.(input);
}

/** Calls `watching` with what a request asks for, before it is done. */
export function onInput(ctx: Context, watching: (input: unknown) => void): void {
  (ctx.state as WithInput).watching = watching;
}

function wrote(node: string, group: string, what: string): string {
  return `wrote to the group "${group}" of "${node}": ${what}`;
}

/** The group of a request for tags, or how many there are where rows name others. */
function groupsOf(group: string, rows: readonly { readonly group?: unknown }[]): string {
  const groups = new Set(rows.map((row) => (typeof row.group === 'string' ? row.group : group)));
  return groups.size > 1 ? `${groups.size} groups` : `the group "${[...groups][0] ?? group}"`;
}

function names(list: readonly { readonly name: string }[]): string {
  const named = list.slice(0, mostNamed).map(({ name }) => `"${name}"`);
  const rest = list.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function changes(name: string | undefined, interval: number | undefined): string {
  return [
    ...(name === undefined ? [] : [`, now "${name}"`]),
    ...(interval === undefined ? [] : [`, read every ${interval} ms`]),
  ].join('');
}

function subscription(one: {
  readonly app: string;
  readonly driver: string;
  readonly group: string;
}): string {
  return `"${one.app}" to the group "${one.group}" of "${one.driver}"`;
}
