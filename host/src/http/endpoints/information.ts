import type { VersionReply } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import type { Pair } from '../../core/ports/pair.ts';
import { shownPair } from './pair.ts';
import { bare, type Endpoints } from '../route.ts';

/** What the build says of itself: dotted version, revision of the source, date as YYYY-MM-DD. */
export type BuildInfo = Readonly<VersionReply>;

/** Section 4.8. */
export function informationEndpoints(
  { fleet }: Gateway,
  build: BuildInfo,
  pair: Pair | undefined,
): Endpoints {
  const { version, revision, build_date } = build;
  const reply = Buffer.from(JSON.stringify({ build_date, revision, version }));
  return {
    // The API answers only once everything is loaded.
    'GET /api/v2/status': bare(
      {
        role: 'viewer',
        summary:
          'Says that everything is loaded, and shows the state of the pair that the gateway belongs to, and how many gateways its view of the fleet has.',
        reply: 'StatusReply',
      },
      () => ({
        status: 'ready',
        ...(pair && { pair: shownPair(pair) }),
        ...(fleet.settings.size > 0 && { fleet: fleet.settings.size }),
      }),
    ),

    'GET /api/v2/version': bare(
      { role: 'viewer', summary: 'Says what was built when.', reply: 'VersionReply' },
      () => reply,
    ),
  };
}
