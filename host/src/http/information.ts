import type { VersionReply } from '@tagway/schemas';
import { bare, type Route } from './route.ts';

/** What the build says of itself: dotted version, revision of the source, date as YYYY-MM-DD. */
export type BuildInfo = Readonly<VersionReply>;

/** Section 4.8. */
export function informationRoutes(build: BuildInfo): Route[] {
  const { version, revision, build_date } = build;
  const reply = Buffer.from(JSON.stringify({ build_date, revision, version }));
  return [
    bare('GET', '/api/v2/version', () => reply),
    // The API answers only once everything is loaded.
    bare('GET', '/api/v2/status', () => ({ status: 'ready' })),
  ];
}
