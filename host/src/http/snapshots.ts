import { ErrorCode } from '@tagway/schemas';
import type { Gateway } from '../core/gateway.ts';
import { leftOutNode, leftOutTemplate } from './left-out.ts';
import { bare, withBody, type Endpoints } from './route.ts';
import { importErrors, templateImportErrors } from './transfer.ts';
import { warnAlways } from './warnings.ts';

/** What no restore brings back. */
const notRestored = [
  'Users, passwords, tokens and the license stay as they are.',
  'Plugins stay installed in the version that they have; a plugin that was removed does not come back.',
  'What nodes had kept for themselves, such as messages of an app that were not sent yet, is gone, as after an import.',
];

/** Snapshots of the configuration. */
export function snapshotEndpoints({ snapshots }: Gateway): Endpoints {
  return {
    'GET /api/v2/snapshots': bare(
      {
        role: 'viewer',
        summary:
          'Lists the snapshots of the configuration, the newest first. One is made before every import, upgrade and restore; the last ten of each reason are kept.',
        reply: 'SnapshotsReply',
      },
      async () => ({ snapshots: await snapshots.list() }),
    ),

    'POST /api/v2/snapshots': withBody(
      'MakeSnapshotBody',
      { role: 'engineer', summary: 'Makes a snapshot of the configuration.', reply: 'SnapshotRecord' },
      () => snapshots.make(),
    ),

    'POST /api/v2/snapshots/restore': withBody(
      'RestoreSnapshotBody',
      {
        role: 'engineer',
        summary:
          'Puts the nodes, groups, tags, subscriptions and templates of a snapshot in the place of those that are there, or changes nothing when something is wrong with them.',
        reply: 'RestoreSnapshotReply',
        errors: ['FILE_NOT_FOUND', ...importErrors, ...templateImportErrors, 'NODE_NOT_SUBSCRIBABLE'],
      },
      async ({ id }, ctx) => {
        const { nodes, templates } = await snapshots.restore(id);
        for (const { name, plugin, groups, subscriptions } of nodes)
          warnAlways(ctx, leftOutNode(name, plugin, groups, subscriptions));
        for (const template of templates) warnAlways(ctx, leftOutTemplate(template));
        return { error: ErrorCode.SUCCESS, not_restored: notRestored };
      },
    ),
  };
}
