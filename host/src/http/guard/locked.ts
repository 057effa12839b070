import { ErrorCode } from '@tagway/schemas';
import type { ConfigSource } from '../../core/ports/config-source.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import type { Route } from '../route.ts';

/**
 * The endpoints that change what a configuration folder has. Nodes are stopped and started, and values written, by those who operate the plant;
 * users, tokens, registries, licenses and installed plugins are in no folder.
 */
export const lockedEndpoints: ReadonlySet<string> = new Set([
  'POST /api/v2/node',
  'PUT /api/v2/node',
  'DELETE /api/v2/node',
  'POST /api/v2/node/clone',
  'POST /api/v2/node/undelete',
  'POST /api/v2/node/setting',
  'POST /api/v2/group',
  'PUT /api/v2/group',
  'DELETE /api/v2/group',
  'POST /api/v2/tags',
  'PUT /api/v2/tags',
  'DELETE /api/v2/tags',
  'PUT /api/v2/tag/rename',
  'POST /api/v2/tags/apply',
  'POST /api/v2/gtags',
  'POST /api/v2/subscribe',
  'PUT /api/v2/subscribe',
  'DELETE /api/v2/subscribe',
  'POST /api/v2/subscribes',
  'POST /api/v2/template',
  'DELETE /api/v2/template',
  'POST /api/v2/template/group',
  'PUT /api/v2/template/group',
  'DELETE /api/v2/template/group',
  'POST /api/v2/template/tag',
  'PUT /api/v2/template/tag',
  'DELETE /api/v2/template/tag',
  'POST /api/v2/template/inst',
  'POST /api/v2/template/instances',
  'POST /api/v2/profile/node',
  'POST /api/v2/profile/update',
  'PUT /api/v2/global/config',
  'PUT /api/v2/global/drivers',
  'POST /api/v2/global/config/apply',
  'POST /api/v2/snapshots/restore',
]);

/** Throws CONFIG_MANAGED where the configuration is pulled and what is changed by hand is put back. */
export function refuseWhereLocked(source: ConfigSource | undefined, { name }: Pick<Route, 'name'>): void {
  if (source?.isLocking !== true || !lockedEndpoints.has(name)) return;
  const { url, applied } = source.status();
  throw new Refusal(
    ErrorCode.CONFIG_MANAGED,
    sentence`The configuration is managed by ${url}, commit ${applied?.commit.slice(0, 12) ?? '-'}, and what is changed by hand is put back: change it there. To change something here, start the gateway with --config-drift keep.`,
  );
}
