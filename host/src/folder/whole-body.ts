import type { ConfigBody } from '@tagway/schemas';
import type { FolderContent } from './read-folder.ts';
import type { ReferenceSources } from './references.ts';
import { type PluginFacts, resolved } from './resolve.ts';

/** What is sent to a gateway, and everything that is wrong with the folder itself. */
export async function bodyOf(
  content: Pick<FolderContent, 'body' | 'files' | 'problems'>,
  plugins: ReadonlyMap<string, PluginFacts>,
  sources: ReferenceSources,
  stored: ReadonlyMap<string, object> | undefined,
): Promise<{
  readonly body: ConfigBody;
  readonly problems: readonly string[];
  readonly unseen: ReadonlyMap<string, readonly string[]>;
}> {
  const { drivers, apps } = content.files;
  const misplaced = content.body.nodes.flatMap(({ name, plugin }) => {
    const isApp = plugins.get(plugin)?.isApp;
    const file = (isApp === true ? drivers : apps).get(name);
    if (isApp === undefined || file === undefined) return [];
    return `${file}: the plugin "${plugin}" is one of ${isApp ? 'apps' : 'drivers'}, so the file belongs to ${isApp ? 'apps' : 'drivers'}/.`;
  });
  const fileOf = (node: string): string => drivers.get(node) ?? apps.get(node) ?? node;
  const { body, problems, unseen } = await resolved(content.body, { sources, plugins, stored, fileOf });
  return { body, problems: [...content.problems, ...misplaced, ...problems], unseen };
}
