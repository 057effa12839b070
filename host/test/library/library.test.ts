import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataType, NodeType, PluginKind } from '@tagway/schemas';
import { validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import type { Log } from '@tagway/sdk';
import { compatibleSince, sdkVersion } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { discover } from '../../src/library/discover.ts';
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
  let warnings: string[];
  let log: Log;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tagway-library-'));
    errors = [];
    warnings = [];
    const ignore = (): void => undefined;
    log = {
      debug: ignore,
      info: ignore,
      notice: ignore,
      warn: (text) => void warnings.push(text),
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

  const run = () =>
    discover([join(root, 'plugins')], join(root, 'libraries'), log).then(
      (plugins) => new PluginCatalog(plugins, log),
    );

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

  it('takes plugins for every SDK from the oldest compatible one to its own', async () => {
    const ranges = [
      `^${compatibleSince}`,
      compatibleSince,
      `<=${compatibleSince}`,
      `^${sdkVersion}`,
      '>=0.1.0',
    ];
    for (const [index, sdk] of ranges.entries())
      await library(`libraries/probe${index}`, { id: `probe${index}`, name: `Probe ${index}`, sdk });
    expect((await run()).all()).to.have.length(ranges.length);
    expect(errors).to.deep.equal([]);
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

  it('finds a plugin by what it is called elsewhere too, and by its id alone where something is stored', async () => {
    await library('plugins/probe', { aliases: { names: ['Old Probe'], ids: ['probe_for_300'] } });
    const plugins = await run();
    const [probe] = plugins.all();
    expect(probe?.aliases).to.deep.equal({ names: ['Old Probe'], ids: ['probe_for_300'] });
    for (const name of ['Probe', 'Old Probe']) expect(plugins.byName(name), name).to.equal(probe);
    for (const id of ['probe', 'probe_for_300']) expect(plugins.bySchema(id), id).to.equal(probe);
    expect(plugins.byId('probe_for_300')).to.equal(undefined);
    expect(plugins.byName('probe_for_300')).to.equal(undefined);
    expect(warnings).to.deep.equal([]);
  });

  it('lets a real name go before an alias and the first alias before the next, and says so once', async () => {
    await library('plugins/a', {
      id: 'a',
      name: 'A',
      aliases: { names: ['B', 'Shared', 'A'], ids: ['b', 'shared'] },
    });
    await library('plugins/b', { id: 'b', name: 'B', aliases: { names: ['Shared'], ids: ['shared'] } });
    const plugins = await run();
    const name = (text: string): string | undefined => plugins.byName(text)?.name;
    expect([name('A'), name('B'), name('Shared')]).to.deep.equal(['A', 'B', 'A']);
    expect(plugins.bySchema('b')?.name).to.equal('B');
    expect(plugins.bySchema('shared')?.name).to.equal('A');
    expect(warnings).to.have.lengthOf(4);
    expect(warnings[0]).to.match(
      /"A" cannot be called by its alias "B", which is the name of the plugin "B"/,
    );
    expect(warnings[1]).to.match(/"B" .* alias "Shared", which is an alias of the plugin "A"/);
    const [first, second] = plugins.all();
    if (first === undefined || second === undefined) throw new Error('There are two plugins.');
    plugins.put({ ...second, version: '2.0.0' });
    expect(warnings, 'after an upgrade').to.have.lengthOf(4);
    plugins.remove(first);
    expect([name('B'), name('Shared'), name('A')]).to.deep.equal(['B', 'B', undefined]);
  });

  const flaws: [what: string, make: () => Promise<void>, reason: RegExp][] = [
    [
      'whose manifest is not JSON',
      () => library('plugins/bad', {}, { 'plugin.json': '{' }),
      /plugin.json is not JSON/,
    ],
    [
      'whose manifest lacks something',
      () => library('libraries/bad', { id: undefined }),
      /plugin.json is invalid: .*id/,
    ],
    [
      'whose alias is no id',
      () => library('libraries/bad', { aliases: { ids: ['Not An Id'] } }),
      /plugin.json is invalid: .*aliases/,
    ],
    [
      'built for another SDK',
      () => library('libraries/bad', { sdk: '^9.1.0', ofLater: true }),
      /for version \^9.1.0 of the SDK and this gateway has [0-9.]+;/,
    ],
    [
      'built for an SDK older than the compatible ones',
      () => library('plugins/bad', { sdk: '~0.0.9' }),
      /for version ~0\.0\.9 of the SDK .* needs a new release/,
    ],
    [
      'whose SDK range is none',
      () => library('plugins/bad', { sdk: 'newest' }),
      /"newest", which is not a range/,
    ],
    [
      'whose settings the meta-schema refuses',
      () => library('libraries/bad', {}, { 'settings.schema.json': { type: 'array' } }),
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

describe('the plugins that come with the gateway', () => {
  const plugins = fileURLToPath(new URL('../../../plugins', import.meta.url));
  const folders = readdirSync(plugins).filter((name) => existsSync(join(plugins, name, 'plugin.json')));
  const jsonOf = (name: string, file: string): unknown =>
    JSON.parse(readFileSync(join(plugins, name, file), 'utf8'));

  for (const name of folders) {
    it(`have good files, which the start does not check again: ${name}`, () => {
      const manifest = jsonOf(name, 'plugin.json');
      expect(validateManifest(manifest)).to.equal(undefined);
      const { settings } = manifest as { settings: string };
      expect(validateSettingsSchema(jsonOf(name, settings))).to.equal(undefined);
    });
  }
});
