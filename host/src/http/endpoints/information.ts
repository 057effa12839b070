import type { StatusReply, VersionReply } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import type { ConfigSource } from '../../core/ports/config-source.ts';
import type { Pair } from '../../core/ports/pair.ts';
import { shownPair } from './pair.ts';
import { bare, type Endpoints } from '../route.ts';

/** What the build says of itself: dotted version, revision of the source, date as YYYY-MM-DD. */
export type BuildInfo = Readonly<VersionReply>;

/** Section 4.8. */
export function informationEndpoints(
  { fleet }: Gateway,
  build: BuildInfo,
  { pair, source }: { readonly pair: Pair | undefined; readonly source: ConfigSource | undefined },
): Endpoints {
  const { version, revision, build_date } = build;
  const reply = Buffer.from(JSON.stringify({ build_date, revision, version }));
  return {
    // The API answers only once everything is loaded.
    'GET /api/v2/status': bare(
      {
        role: 'viewer',
        summary:
          'Says that everything is loaded, and shows the state of the pair that the gateway belongs to, how many gateways its view of the fleet has, and where its configuration is pulled from.',
        reply: 'StatusReply',
      },
      () => ({
        status: 'ready',
        ...(pair && { pair: shownPair(pair) }),
        ...(fleet.settings.size > 0 && { fleet: fleet.settings.size }),
        ...(source && { source: shownSource(source) }),
      }),
    ),

    'GET /api/v2/version': bare(
      { role: 'viewer', summary: 'Says what was built when.', reply: 'VersionReply' },
      () => reply,
    ),
  };
}

function shownSource(source: ConfigSource): NonNullable<StatusReply['source']> {
  const { url, applied, lookedAt, drift, problem } = source.status();
  return {
    url,
    commit: applied?.commit ?? null,
    ...(applied && {
      applied_at: applied.time,
      ...(applied.committed !== undefined && { committed_at: applied.committed }),
      ...(applied.author !== undefined && { author: applied.author }),
      ...(applied.subject !== undefined && { subject: applied.subject }),
    }),
    ...(lookedAt !== undefined && { looked_at: lookedAt }),
    drift: {
      mode: drift.mode,
      differences: drift.differences ?? null,
      ...(drift.since !== undefined && { since: drift.since }),
    },
    locked: source.isLocking,
    problem: problem === undefined ? null : { ...problem },
  };
}
