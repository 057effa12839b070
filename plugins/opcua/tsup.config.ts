import { defineConfig } from 'tsup';
import { instead, plugin } from '../../.dev/tsup.ts';

/** Parts of the OPC UA library that this plugin does not need, and what stands in their place. */
const lightClient = instead({
  // The certificate store that would write below the user's home folder; the driver brings its own.
  'node-opcua-certificate-manager': `export const getDefaultCertificateManager = () => { throw new Error('The OPC UA driver has a trust list of its own.'); };`,
  // A lock around the creation of certificates in files, which the driver does itself.
  '@ster5/global-mutex': `export const withLock = (_options, work) => work();`,
});

export default defineConfig(
  plugin({
    esbuildPlugins: [
      lightClient,
      {
        // What the library does not say through its loggers it says on the console.
        name: 'silent',
        setup(build) {
          build.initialOptions.drop = ['console'];
        },
      },
    ],
  }),
);
