import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder for one test. It goes when it is disposed of. */
export class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tagway-kit-'));

  /** Writes files: text as it is, anything else as JSON. */
  write(files: Readonly<Record<string, unknown>>): this {
    for (const [name, content] of Object.entries(files)) {
      const file = join(this.path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
    return this;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

const module = `export default { [Symbol.for('tagway.driver')]: true, create: () => ({}), checkTag: () => undefined };`;

/** The files of a driver that does nothing, built. */
export const driverFiles = {
  'package.json': {
    name: 'nothing',
    version: '1.0.0',
    type: 'module',
    scripts: { build: 'x' },
    devDependencies: { x: '1' },
  },
  'plugin.json': {
    id: 'nothing',
    name: 'Nothing',
    kind: 'driver',
    sdk: '>=0.1.0',
    main: 'dist/index.js',
    settings: 'settings.schema.json',
    description: { en: 'Does nothing.' },
    tags: { groupInterval: 1000, addresses: [{ type: 3, pattern: '^x$' }] },
  },
  'settings.schema.json': { type: 'object', properties: {} },
  'README.md': '# Nothing\n',
  'tsconfig.json': {},
  'src/index.ts': module,
  'dist/index.js': module,
  'dist/index.js.map': '{}',
};

/** A package.json of a driver that names packages under "tagway". */
export const packageWith = (tagway: object, more: object = {}): object => ({
  ...driverFiles['package.json'],
  ...more,
  tagway,
});

/** Resolves to what a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('It did not fail.');
}
