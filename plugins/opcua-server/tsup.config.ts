import { createRequire } from 'node:module';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsup';
import { instead, plugin } from '../../.dev/tsup.ts';

/** Parts of the OPC UA library that this plugin does not need, and what stands in their place. */
const lightServer = instead({
  // The certificate store that would write below the user's home folder; the plugin brings its own.
  'node-opcua-certificate-manager': `export const getDefaultCertificateManager = () => { throw new Error('The OPC UA server has trust lists of its own.'); };`,
  // A whole client, which the library needs to register at a discovery server alone.
  'node-opcua-client': `
    export const coerceLocalizedText = (text) => text;
    export const performCertificateSanityCheck = () => Promise.resolve();
    export class OPCUAClientBase {}`,
  // A lock around the creation of certificates in files, which the plugin does itself.
  '@ster5/global-mutex': `export const withLock = (_options, work) => work();`,
  // A second form of nodesets, which nothing here is in.
  'node-opcua-uanodeset-json': 'export {};',
});

export default defineConfig(
  plugin({
    esbuildPlugins: [
      lightServer,
      {
        // What the library does not say through its loggers it says on the console.
        name: 'silent',
        setup(build) {
          build.initialOptions.drop = ['console'];
        },
      },
      {
        // The standard's nodes travel beside the bundle.
        name: 'nodeset',
        setup(build) {
          build.onLoad({ filter: /src\/library\/nodeset\.ts$/ }, () => ({
            contents: `
              import { readFile } from 'node:fs/promises';
              import { join } from 'node:path';
              export const standardNodeset = () => readFile(join(import.meta.dirname, 'nodeset.ndjson.gz'));`,
            loader: 'js',
          }));
          build.onEnd(() => {
            const { outdir = '' } = build.initialOptions;
            mkdirSync(outdir, { recursive: true });
            const folder = join(
              createRequire(import.meta.url).resolve('node-opcua-nodesets/package.json'),
              '../nodesets',
            );
            copyFileSync(join(folder, 'Opc.Ua.NodeSet2.ndjson.gz'), join(outdir, 'nodeset.ndjson.gz'));
          });
        },
      },
    ],
  }),
);
