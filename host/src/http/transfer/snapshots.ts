import { type ConfigBody, ErrorCode, type Dialect } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import type { LeftOut } from '../../core/transfer/snapshots.ts';
import { differencesOf } from './config-plan.ts';
import { leftOutNode, leftOutTemplate } from './import-filter.ts';
import type { Context } from '../request.ts';
import { bare, withBody, type Endpoints } from '../route.ts';
import { configOf, importErrors, presentConfig, revisionOfConfig, templateImportErrors } from './transfer.ts';
import { warnAlways } from '../warnings.ts';

/** What a restore does not bring back. */
const notRestored = [
  'Users, passwords, tokens and the license stay as they are.',
  'Plugins stay installed in the version that they have; a plugin that was removed does not come back.',
  'What nodes had kept for themselves, such as messages of an app that were not sent yet, is gone, as after an import.',
];

/** Snapshots of the configuration. */
export function snapshotEndpoints(gateway: Gateway, dialect: Dialect): Endpoints {
  const { snapshots } = gateway;
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
      {
        role: 'engineer',
        summary: 'Makes a snapshot of the configuration.',
        audit: () => 'made a snapshot of the configuration',
        reply: 'SnapshotRecord',
      },
      () => snapshots.make(),
    ),

    'POST /api/v2/snapshots/restore': withBody(
      'RestoreSnapshotBody',
      {
        role: 'engineer',
        summary:
          'Puts the nodes, groups, tags, subscriptions and templates of a snapshot in the place of those that are there, or changes nothing when something is wrong with them.',
        audit: ({ id }) => `replaced the whole configuration by the snapshot ${id.slice(0, 100)}`,
        reply: 'RestoreSnapshotReply',
        errors: ['FILE_NOT_FOUND', ...importErrors, ...templateImportErrors, 'NODE_NOT_SUBSCRIBABLE'],
        revision: revisionOfConfig(gateway, dialect),
      },
      async ({ id }, ctx, condition) => {
        warnOfSkipped(ctx, await snapshots.restore(id, condition));
        return { error: ErrorCode.SUCCESS, not_restored: notRestored };
      },
    ),

    'POST /api/v2/snapshots/plan': withBody(
      'RestoreSnapshotBody',
      {
        role: 'engineer',
        summary: 'Says what POST /api/v2/snapshots/restore would change. Nothing is changed.',
        audit: 'nothing',
        reply: 'PlanSnapshotReply',
        errors: ['FILE_NOT_FOUND'],
        revision: revisionOfConfig(gateway, dialect),
      },
      async ({ id }, ctx) => {
        const { nodes, templates, leftOut } = await snapshots.look(id);
        warnOfSkipped(ctx, leftOut);
        // Differences name settings without their values, so secrets can be compared, too.
        const past = { ...configOf(nodes, dialect, true), templates } as ConfigBody;
        return {
          error: ErrorCode.SUCCESS,
          ...differencesOf(presentConfig(gateway, dialect, true), past),
          not_restored: notRestored,
        };
      },
    ),
  };
}

function warnOfSkipped(ctx: Context, { nodes, templates }: LeftOut): void {
  for (const { name, plugin, groups, subscriptions } of nodes)
    warnAlways(ctx, leftOutNode(name, plugin, groups, subscriptions));
  for (const template of templates) warnAlways(ctx, leftOutTemplate(template));
}
