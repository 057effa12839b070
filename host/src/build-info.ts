import type { BuildInfo } from './http/information.ts';

declare const TAGWAY_BUILD: BuildInfo | undefined;

/** Put in by the build; a gateway that runs from its sources does not know. */
export const buildInfo: BuildInfo =
  typeof TAGWAY_BUILD === 'undefined' ? { version: '0.0.0', revision: 'unknown', build_date: '1970-01-01' } : TAGWAY_BUILD;
