import manifest from '../package.json' with { type: 'json' };

/** Version of this SDK. */
export const sdkVersion: string = manifest.version;

/**
 * The oldest version of the SDK whose plugins run here. A gateway takes a plugin whose `sdk` range accepts any version from this one to
 * `sdkVersion`. Raise it with a change after which such a plugin does not run.
 */
export const compatibleSince = '0.1.0';
