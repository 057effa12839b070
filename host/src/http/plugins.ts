import { ErrorCode, schemaRecord, type PluginRecord } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Plugin } from '../core/model.ts';
import { withQuery, type Route } from './route.ts';

/** Section 4.6. */
export function pluginRoutes({ plugins }: Gateway): Route[] {
  return [
    withQuery('GET', '/api/v2/plugin', 'PluginsQuery', ({ plugin }) => {
      const listed = plugins.all().filter((one) => !plugin || one.name === plugin);
      return { plugins: listed.map(pluginRecord) };
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

function pluginRecord(plugin: Plugin): PluginRecord {
  return {
    kind: plugin.kind,
    node_type: plugin.nodeType,
    name: plugin.name,
    library: plugin.library,
    description: plugin.description,
    description_zh: plugin.descriptionZh,
    schema: plugin.id,
    version: plugin.version,
  };
}
