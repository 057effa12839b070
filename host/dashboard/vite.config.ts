import react from '@vitejs/plugin-react';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { withoutUnusedStyles } from './unused-styles.ts';

const compressible = /\.(js|css|html|svg)$/;

/** Leaves a `.br` and a `.gz` beside every file that gets smaller by it, so that the gateway compresses nothing itself. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir;
    },
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !compressible.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        if (content.length < 1024) continue;
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        writeFileSync(`${path}.br`, brotliCompressSync(content, quality));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

/** The licence of the font beside those of the modules: a font is a file that a style names, which Vite does not list. */
function fontLicence(file: string): Plugin {
  let folder = '';
  return {
    name: 'font-licence',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir;
    },
    closeBundle() {
      const path = join(folder, file);
      // A build that has failed left none; an error here would hide why.
      if (!existsSync(path)) return;
      const font = join(import.meta.dirname, 'node_modules/@fontsource-variable/inter');
      const { name, version, license } = JSON.parse(
        readFileSync(join(font, 'package.json'), 'utf8'),
      ) as Record<string, string>;
      const text = readFileSync(join(font, 'LICENSE'), 'utf8');
      const others = JSON.parse(readFileSync(path, 'utf8')) as object[];
      writeFileSync(path, JSON.stringify([...others, { name, version, identifier: license, text }]));
    },
  };
}

const licences = '.vite/license.json';

/** What packs and unpacks spreadsheets without a worker: theirs come from a `blob:` address, which the page's policy forbids. */
const withoutWorker: Readonly<Record<string, string>> = {
  '/write-excel-file/modules/zip/zipToArrayBuffer.js': `
    import pack from './zipToArrayBufferSync.js';
    export default async (files) => pack(files);`,
  '/read-excel-file/modules/zip/unzipFromArrayBuffer.js': `
    import { unzipSync } from 'fflate';
    export default async (packed, { filter = () => true } = {}) =>
      unzipSync(new Uint8Array(packed), { filter: ({ name }) => filter({ path: name }) });`,
};

function spreadsheetsWithoutWorker(): Plugin {
  return {
    name: 'spreadsheets-without-worker',
    enforce: 'pre',
    load: (id) => Object.entries(withoutWorker).find(([path]) => id.endsWith(path))?.[1],
  };
}

export default defineConfig({
  // Relative, so that the page works below any path of a proxy.
  base: './',
  plugins: [react(), withoutUnusedStyles(), spreadsheetsWithoutWorker(), compressed(), fontLicence(licences)],
  worker: { format: 'es', plugins: () => [spreadsheetsWithoutWorker()] },
  resolve: {
    conditions: ['source', 'module', 'browser', 'development|production'],
    alias: { '@rjsf/validator-ajv8': join(import.meta.dirname, 'src/settings/no-ajv.ts') },
  },
  build: {
    // Browsers of plants are older than those of offices.
    target: ['chrome100', 'firefox100', 'safari15.4'],
    // A data: address would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Whose code is in the bundle: the package names it.
    license: { fileName: licences },
    chunkSizeWarningLimit: 800,
    // What the first screen needs comes in one file, what other places share in two: a request costs more than the bytes that a place
    // does without.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'] },
            {
              name: 'library',
              test: /node_modules[\\/](?!.*(?:rjsf|uplot|papaparse))/,
              minShareCount: 4,
            },
            { name: 'shared', test: /[\\/]src[\\/]/, minShareCount: 4 },
          ],
        },
      },
    },
  },
});
