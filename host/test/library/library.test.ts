import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataType, NodeType, PluginKind } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import { sdkVersion } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { PluginCatalog } from '../../src/library/plugin-catalog.ts';

const manifest = {
  id: 'probe',
  name: 'Probe',
  kind: 'driver',
  sdk: `^${sdkVersion}`,
  main: 'dist/index.js',
  settings: 'settings.schema.json',
  description: { en: 'Reads probes.', zh: '读取探头。' },
  tags: { groupInterval: 500, addresses: [{ type: DataType.INT16, pattern: '^[0-9]+$' }] },
  features: ['write-many'],
};

const settings = {
  type: 'object',
  properties: {
    port: { type: 'integer', title: 'Port', description: 'Port of the device.', minimum: 1, maximum: 65535 },
  },
  required: ['port'],
};

describe('the libraries of a gateway', () => {
  let root: string;
  let errors: string[];
  let log: Log;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tagway-library-'));
    errors = [];
    const ignore = (): void => undefined;
    log = {
      debug: ignore,
      info: ignore,
      notice: ignore,
      warn: ignore,
      error: (text) => void errors.push(text),
    };
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  async function write(folder: string, files: Record<string, unknown>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const file = join(root, folder, name);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
  }

  function library(folder: string, changes: object = {}, files: Record<string, unknown> = {}): Promise<void> {
    return write(folder, {
      'package.json': { name: 'probe', version: '1.2.3' },
      'plugin.json': { ...manifest, ...changes },
      'settings.schema.json': settings,
      'dist/index.js': 'throw new Error("discovery must not run this");',
      ...files,
    });
  }

  const run = () => PluginCatalog.discover([join(root, 'plugins')], join(root, 'libraries'), log);

  it('describes the plugin of a library by its files', async () => {
    await library('plugins/probe');
    const plugins = await run();
    expect(errors).to.deep.equal([]);
    expect(plugins.all()).to.deep.equal([
      {
        id: 'probe',
        name: 'Probe',
        nodeType: NodeType.DRIVER,
        kind: PluginKind.SYSTEM,
        version: '1.2.3',
        library: 'probe',
        description: 'Reads probes.',
        descriptionZh: '读取探头。',
        main: join(root, 'plugins/probe/dist/index.js'),
        settingsSchema: settings,
        groupInterval: 500,
        addresses: [{ type: DataType.INT16, pattern: '^[0-9]+$' }],
        writesMany: true,
      },
    ]);
    expect(plugins.byName('Probe')).to.equal(plugins.byId('probe'));
    expect(plugins.byName('probe')).to.equal(undefined);
  });

  it('lists system libraries before custom ones, each by folder name, and passes over what is no library', async () => {
    await library('libraries/a', { id: 'added', name: 'Added' });
    await library('plugins/z', { id: 'last', name: 'Last' });
    await library('plugins/b', { id: 'first', name: 'First' });
    await library('plugins/.staging', { id: 'half', name: 'Half' });
    await write('plugins/shared', { 'package.json': {}, 'src/index.ts': '' });
    await write('plugins', { 'README.md': '' });
    const plugins = await run();
    expect(plugins.all().map(({ id, kind }) => [id, kind])).to.deep.equal([
      ['first', PluginKind.SYSTEM],
      ['last', PluginKind.SYSTEM],
      ['added', PluginKind.CUSTOM],
    ]);
    expect(errors).to.deep.equal([]);
  });

  it('finds nothing where there are no folders', async () => {
    expect((await run()).all()).to.deep.equal([]);
  });

  const flaws: [what: string, make: () => Promise<void>, reason: RegExp][] = [
    [
      'whose manifest is not JSON',
      () => library('plugins/bad', {}, { 'plugin.json': '{' }),
      /plugin.json is not JSON/,
    ],
    [
      'whose manifest lacks something',
      () => library('plugins/bad', { id: undefined }),
      /plugin.json is invalid: .*id/,
    ],
    [
      'built for another SDK',
      () => library('plugins/bad', { sdk: '^9.1.0' }),
      /for version \^9.1.0 of the SDK and this gateway has [0-9.]+;/,
    ],
    [
      'whose SDK range is none',
      () => library('plugins/bad', { sdk: 'newest' }),
      /"newest", which is not a range/,
    ],
    [
      'whose settings leave the profile',
      () => library('plugins/bad', {}, { 'settings.schema.json': { type: 'array' } }),
      /settings.schema.json is invalid/,
    ],
    [
      'that was not built',
      () => library('plugins/bad', { main: 'dist/other.js' }),
      /dist\/other.js is missing/,
    ],
    [
      'without a version',
      () => library('plugins/bad', {}, { 'package.json': {} }),
      /package.json has no version/,
    ],
    [
      'whose plugin id is taken',
      () => library('libraries/bad', { name: 'Other' }),
      /the library good has a plugin "Probe" \(probe\) already/,
    ],
    [
      'whose plugin name is taken',
      () => library('libraries/bad', { id: 'other' }),
      /the library good has a plugin "Probe" \(probe\) already/,
    ],
  ];
  for (const [what, make, reason] of flaws) {
    it(`skips a library ${what}, names it and keeps the others`, async () => {
      await library('plugins/good');
      await make();
      const plugins = await run();
      expect(plugins.all().map((plugin) => plugin.library)).to.deep.equal(['good']);
      expect(errors).to.have.lengthOf(1);
      expect(errors[0])
        .to.match(/^The library \S+\/bad was skipped: /)
        .and.to.match(reason);
      expect(errors[0]).to.match(/[^.]\.$/);
    });
  }
});
