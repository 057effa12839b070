import {
  ErrorCode,
  Limits,
  schemaRecord,
  type LibraryBody,
  type PluginRecord,
  type Dialect,
} from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { Gateway } from '../../core/gateway.ts';
import type { InstallMode, Installs } from '../../core/nodes/plugin-installs.ts';
import type { Machine } from '../../core/ports/machine.ts';
import type { PluginPermissions } from '../../core/access/plugin-permissions.ts';
import type { Plugin } from '../../core/model.ts';
import { longestAddress } from '../../core/tags/tag-check.ts';
import { askingOf, whoOf } from '../request.ts';
import type { Condition } from '../../core/records/state.ts';
import { StaleRevision, type Revised } from '../revisions.ts';
import { Content, withBody, withQuery, type Endpoints, type Result } from '../route.ts';
import { reasonOf, Refusal, sentence } from '../../core/system/sentence.ts';

/** Errors of installing a library. */
const installErrors = [
  'LIBRARY_INFO_INVALID',
  'LIBRARY_NAME_CONFLICT',
  'LIBRARY_OPEN_FAILED',
  'LIBRARY_MODULE_INVALID',
  'LIBRARY_ADD_FAILED',
  'MODULE_EXISTS',
  'MODULE_VERSION_MISMATCH',
  'LIBRARY_NAME_INVALID',
  'LIBRARY_UPDATE_FAILED',
] as const;

/** Section 4.6. */
export function pluginEndpoints(
  { plugins, installs, pluginPermissions }: Gateway,
  machine: Machine,
  dialect: Dialect,
): Endpoints {
  const list = (wanted: readonly Plugin[]): object => ({
    plugins: wanted.map((one) => pluginRecord(one, installs, pluginPermissions, dialect)),
  });
  /** Of all plugins, whichever the request is about. How a process does is no change of them. */
  const revision = (): Revised => ({
    shown: list(plugins.all()),
    exact: plugins.all().map(({ id, name, library, version }) => [id, name, library, version]),
  });
  return {
    'GET /api/v2/plugin': withQuery(
      'PluginsQuery',
      {
        role: 'viewer',
        summary: 'Lists the plugins. The revision is that of all of them.',
        reply: 'PluginsReply',
        revision,
      },
      ({ plugin }) => {
        const wanted = plugin ? plugins.byName(plugin) : undefined;
        return list(plugins.all().filter((one) => !plugin || one === wanted));
      },
    ),

    'POST /api/v2/plugin': withBody(
      'LibraryBody',
      {
        role: 'engineer',
        summary: 'Installs a library, or another version of one, while everything else goes on.',
        audit: ({ library }) => `installed the library "${library}"`,
        isLogged: false,
        reply: 'LibraryReply',
        errors: installErrors,
        revision,
      },
      (body, ctx, condition) => install(installs, body, 'install', whoOf(ctx), condition),
    ),

    'PUT /api/v2/plugin': withBody(
      'LibraryBody',
      {
        role: 'engineer',
        summary: 'Replaces an installed library by another one, of the same version too.',
        audit: ({ library }) => `replaced the library "${library}"`,
        isLogged: false,
        reply: 'LibraryReply',
        errors: ['LIBRARY_NOT_FOUND', ...installErrors],
        revision,
      },
      (body, ctx, condition) => install(installs, body, 'replace', whoOf(ctx), condition),
    ),

    'DELETE /api/v2/plugin': withBody(
      'RemovePluginBody',
      {
        role: 'engineer',
        summary: 'Removes a library that a user installed.',
        audit: ({ plugin }) => `removed the plugin "${plugin}"`,
        isLogged: false,
        errors: ['LIBRARY_SYSTEM', 'LIBRARY_IN_USE'],
        revision,
      },
      ({ plugin }, ctx, condition) => installs.remove(plugin, whoOf(ctx), condition),
    ),

    'PUT /api/v2/plugin/debug': withBody(
      'PluginDebugBody',
      {
        role: 'engineer',
        summary:
          "Opens a port at which a debugger on the gateway's machine attaches to the process of a plugin, or closes it.",
        audit: ({ plugin, port }) =>
          port === undefined
            ? `let no debugger attach to the plugin "${plugin}" any more`
            : `let a debugger attach to the plugin "${plugin}" at port ${port}`,
        isLogged: false,
        errors: ['PLUGIN_NOT_FOUND', 'PARAM_INVALID'],
      },
      ({ plugin, port }) => installs.debug(plugin, port),
    ),

    'PUT /api/v2/plugin/permission': withBody(
      'PluginPermissionBody',
      {
        role: 'admin',
        summary: 'Allows a plugin to have logins of its clients checked, or not any more.',
        audit: ({ plugin, logins }) =>
          logins
            ? `allowed the plugin "${plugin}" to have logins checked`
            : `let the plugin "${plugin}" have no logins checked any more`,
        errors: ['PLUGIN_NOT_FOUND', 'PARAM_INVALID'],
      },
      ({ plugin, logins }, ctx) => pluginPermissions.allowLogins(askingOf(ctx), plugin, logins),
    ),

    'GET /api/v2/plugin/project': withQuery(
      'PluginProjectQuery',
      {
        role: 'engineer',
        summary:
          'Gives the project of a new plugin, with the packages of Tagway that it needs, as a gzipped tar archive.',
        reply: { type: 'application/gzip' },
        errors: ['FILE_NOT_FOUND'],
      },
      async ({ kind, name }) =>
        new Content('application/gzip', await machine.pluginProject(kind, name), {
          'Content-Disposition': `attachment; filename=${name}.tar.gz`,
          'Access-Control-Expose-Headers': 'Content-Disposition',
        }),
    ),

    'GET /api/v2/schema': withQuery(
      'SchemaQuery',
      {
        role: 'viewer',
        summary: 'Shows the schema of the settings of a plugin.',
        reply: 'SchemaReply',
        errors: ['PLUGIN_NOT_FOUND'],
      },
      ({ schema_name, plugin_name }) => {
        const wanted = schema_name ?? plugin_name ?? '';
        const plugin = plugins.bySchema(wanted) ?? plugins.byName(wanted);
        if (plugin === undefined)
          throw new Refusal(ErrorCode.PLUGIN_NOT_FOUND, sentence`There is no schema "${wanted}".`);
        return schemaRecord(plugin, dialect);
      },
    ),

    'GET /api/v2/schema/settings': withQuery(
      'SettingsSchemaQuery',
      {
        role: 'viewer',
        summary: "Gives the JSON Schema of the settings of a plugin's nodes, as the plugin brings it.",
        reply: { type: 'application/json' },
        errors: ['PLUGIN_NOT_FOUND'],
      },
      ({ plugin: name }) => {
        const plugin = plugins.byName(name) ?? plugins.bySchema(name);
        if (plugin === undefined)
          throw new Refusal(ErrorCode.PLUGIN_NOT_FOUND, sentence`There is no plugin "${name}".`);
        return plugin.settingsSchema;
      },
    ),
  };
}

/** A refusal is answered with a message, because the code alone does not say what the author of the library has to repair. */
async function install(
  installs: Installs,
  { library, file, signature }: LibraryBody,
  mode: InstallMode,
  who: string,
  condition: Condition | undefined,
): Promise<Result> {
  const sent =
    file === undefined ? {} : { content: decoded(file), ...(signature !== undefined && { signature }) };
  try {
    await installs.install({ library, ...sent }, mode, who, condition);
    return undefined;
  } catch (error) {
    if (!isFault(error) || error instanceof StaleRevision) throw error;
    return { error: error.code, message: reasonOf(error) };
  }
}

function decoded(file: string): Buffer {
  if (file.length % 4 !== 0 || /[^A-Za-z0-9+/=]/.test(file)) {
    throw new Refusal(ErrorCode.BODY_INVALID, sentence`The member "file" of the body is not in base64.`);
  }
  return Buffer.from(file, 'base64');
}

function pluginRecord(
  plugin: Plugin,
  installs: Installs,
  permissions: PluginPermissions,
  dialect: Dialect,
): PluginRecord {
  const limit = longestAddress(dialect, plugin);
  const logins = permissions.logins(plugin);
  return {
    kind: plugin.kind,
    node_type: plugin.nodeType,
    name: plugin.name,
    library: plugin.library,
    description: plugin.description,
    description_zh: plugin.descriptionZh,
    schema: plugin.id,
    version: plugin.version,
    state: installs.runnerState(plugin),
    ...(limit !== Limits.tagAddress && { address_limit: limit }),
    ...(plugin.inputs && { inputs: plugin.inputs }),
    ...(logins !== undefined && { logins }),
    ...(plugin.listsClients && { clients: true as const }),
    ...(plugin.keepsCertificates && { certificates: true as const }),
    ...(plugin.origin !== undefined && { origin: plugin.origin }),
  };
}
