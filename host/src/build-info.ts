import type { VersionReply } from '@tagway/schemas';

declare const TAGWAY_BUILD: VersionReply | undefined;

/** Put in by the build; a gateway that runs from its sources does not know. */
export const buildInfo: Readonly<VersionReply> =
  typeof TAGWAY_BUILD === 'undefined'
    ? { version: '0.0.0', revision: 'unknown', build_date: '1970-01-01' }
    : TAGWAY_BUILD;
