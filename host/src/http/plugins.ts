import { ErrorCode, schemaRecord, type LibraryBody, type PluginRecord } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { InstallMode } from '../core/installs.ts';
import type { Plugin } from '../core/model.ts';
import { withBody, withQuery, type Result, type Route } from './route.ts';

/** Section 4.6. */
export function pluginRoutes(gateway: Gateway): Route[] {
  const { plugins } = gateway;
  return [
    withBody('POST', '/api/v2/plugin', 'LibraryBody', (body) => install(gateway, body, 'install')),

    withBody('PUT', '/api/v2/plugin', 'LibraryBody', (body) => install(gateway, body, 'replace')),

    withBody('DELETE', '/api/v2/plugin', 'RemovePluginBody', async ({ plugin }) => {
      await gateway.installs.remove(plugin);
      return undefined;
    }),

    withQuery('GET', '/api/v2/plugin', 'PluginsQuery', ({ plugin }) => {
      const listed = plugins.all().filter((one) => !plugin || one.name === plugin);
      return { plugins: listed.map((one) => pluginRecord(one, gateway)) };
    }),

    withQuery('GET', '/api/v2/schema', 'SchemaQuery', ({ schema_name, plugin_name }) => {
      const wanted = schema_name ?? plugin_name ?? '';
      const plugin = plugins.byId(wanted) ?? plugins.byName(wanted);
      if (plugin === undefined)
        throw new Fault(ErrorCode.PLUGIN_NOT_FOUND, `There is no schema "${wanted}".`);
      return schemaRecord(plugin);
    }),
  ];
}

/** A code alone does not tell the author of a library what to mend, so the reply of a refusal has a message too. */
async function install(
  gateway: Gateway,
  { library, file, signature }: LibraryBody,
  mode: InstallMode,
): Promise<Result> {
  const sent =
    file === undefined ? {} : { content: decoded(file), ...(signature !== undefined && { signature }) };
  try {
    await gateway.installs.install({ library, ...sent }, mode);
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    return { error: error.code, message: error.message };
  }
}

function decoded(file: string): Buffer {
  if (file.length % 4 !== 0 || /[^A-Za-z0-9+/=]/.test(file)) {
    throw new Fault(ErrorCode.BODY_INVALID, 'The member "file" of the body is not in base64.');
  }
  return Buffer.from(file, 'base64');
}

function pluginRecord(plugin: Plugin, gateway: Gateway): PluginRecord {
  return {
    kind: plugin.kind,
    node_type: plugin.nodeType,
    name: plugin.name,
    library: plugin.library,
    description: plugin.description,
    description_zh: plugin.descriptionZh,
    schema: plugin.id,
    version: plugin.version,
    state: gateway.installs.runnerState(plugin),
  };
}
