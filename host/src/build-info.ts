import { fileURLToPath } from 'node:url';

import type { VersionReply } from '@tagway/schemas';

declare const TAGWAY_BUILD: VersionReply | undefined;

/** Put in by the build; a gateway that runs from its sources does not know. */
export const buildInfo: Readonly<VersionReply> =
  typeof TAGWAY_BUILD === 'undefined'
    ? { version: '0.0.0', revision: 'unknown', build_date: '1970-01-01' }
    : TAGWAY_BUILD;

/** Folder of the plugins that come with the gateway. The paths are right from the sources and from the bundle alike, because this file is in the first folder of both. */
export const systemPlugins = fileURLToPath(new URL('../../plugins', import.meta.url));

/** Folder of the device profiles that come with the gateway. */
export const systemProfiles = fileURLToPath(new URL('../../plugins/profiles', import.meta.url));

/** Folder of the web page. */
export const webPageFolder = fileURLToPath(new URL('../dashboard/dist', import.meta.url));
