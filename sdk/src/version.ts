import manifest from '../package.json' with { type: 'json' };

/** Version of this SDK, which the `sdk` range of a plugin's manifest is compared with. */
export const sdkVersion: string = manifest.version;
