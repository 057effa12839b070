import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode, RunningState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { acme } from '../library/archive.ts';
import { Bench, codeOf, plugins } from './harness.ts';

describe('installing libraries, as the core sees it', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.open();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  async function install(version: string, manifest?: object, settings?: object): Promise<number> {
    const content = await acme(version, manifest, settings);
    return codeOf(bench.gateway.installs.install({ library: 'acme.tgz', content }));
  }

  async function withNode(): Promise<void> {
    expect(await install('1.0.0')).to.equal(0);
    await bench.gateway.nodes.add({ name: 'line', plugin: 'Acme', params: { port: 502 } });
    bench.runtime.take();
  }

  const line = () => bench.gateway.nodes.get('line');

  it('an upgrade makes nodes those of the new version, with its defaults', async () => {
    await withNode();
    bench.gateway.start();
    bench.runtime.take();
    expect(await install('2.0.0', { features: ['write-many'] })).to.equal(0);
    expect(bench.runtime.take()).to.deep.equal(['try acme 2.0.0']);
    expect(line().plugin).to.equal(bench.gateway.plugins.byId('acme'));
    expect(line().plugin).to.include({ version: '2.0.0', writesMany: true });
    expect(line().running).to.equal(RunningState.RUNNING);
  });

  it('a version that does not prove itself leaves everything as it was', async () => {
    await withNode();
    const before = bench.picture();
    bench.runtime.trial = () => Promise.reject(new Fault(ErrorCode.LIBRARY_UPDATE_FAILED));
    expect(await install('2.0.0')).to.equal(ErrorCode.LIBRARY_UPDATE_FAILED);
    expect(bench.runtime.take()).to.deep.equal(['try acme 2.0.0', 'go back to acme 1.0.0']);
    expect(line().plugin).to.equal(bench.gateway.plugins.byId('acme'));
    expect(line().plugin.version).to.equal('1.0.0');
    expect(bench.picture()).to.deep.equal(before);
    expect(await readdir(join(bench.folder, 'libraries'))).to.deep.equal(['acme']);
  });

  it('a version that is refused after its trial gives way to the one before, unless another one took its place', async () => {
    await withNode();
    const libraries = join(bench.folder, 'libraries');
    const over = [0, 1, 2].map(() => Promise.withResolvers<Fault | undefined>());
    let tried = 0;
    bench.runtime.trial = async () => ({ over: over[tried++]!.promise });
    const refuse = (index: number) =>
      over[index]!.resolve(new Fault(ErrorCode.LIBRARY_UPDATE_FAILED, 'Its runner ended.'));

    expect(await install('2.0.0')).to.equal(0);
    expect(await install('3.0.0')).to.equal(0);
    refuse(0);
    await bench.gateway.close();
    expect(line().plugin.version).to.equal('3.0.0');
    expect(bench.errors).to.deep.equal([]);

    bench.runtime.take();
    refuse(1);
    await over[1]!.promise;
    await bench.gateway.close();
    expect(bench.runtime.take()).to.deep.equal(['go back to acme 2.0.0']);
    expect(line().plugin).to.equal(bench.gateway.plugins.byId('acme'));
    expect(line().plugin.version).to.equal('2.0.0');
    expect(bench.errors).to.deep.equal(['Its runner ended. Version 2.0.0 is in its place again.']);
    expect(await readdir(libraries)).to.deep.equal(['acme']);

    expect(await install('3.0.0')).to.equal(0);
    over[2]!.resolve(undefined);
    await over[2]!.promise;
    await bench.gateway.close();
    expect(line().plugin.version).to.equal('3.0.0');
    expect(await readdir(libraries)).to.deep.equal(['acme']);
  });

  it('a version that refuses the settings of a node is not tried', async () => {
    await withNode();
    expect(await install('2.0.0', {}, { minimum: 1000 })).to.equal(ErrorCode.LIBRARY_UPDATE_FAILED);
    expect(await install('2.0.0', { kind: 'app', tags: undefined })).to.equal(
      ErrorCode.LIBRARY_UPDATE_FAILED,
    );
    expect(bench.runtime.take()).to.deep.equal([]);
    expect(line().plugin.version).to.equal('1.0.0');
  });

  it('a new name of the plugin is that of its nodes, also when its library is missing later', async () => {
    await withNode();
    expect(await install('2.0.0', { name: 'Acme Pro' })).to.equal(0);
    expect(bench.gateway.plugins.byName('Acme')).to.equal(undefined);
    await bench.restart();
    expect(line().plugin).to.include({ name: 'Acme Pro', absent: true });
  });

  it('a node whose plugin was missing starts, unless the gateway was started safely', async () => {
    await withNode();
    await bench.restart();
    expect(await install('1.0.0')).to.equal(0);
    expect(line().plugin.absent).to.equal(undefined);
    expect(line().settings).to.deep.equal({ port: 502 });
    expect(bench.runtime.take()).to.deep.equal(['try acme 1.0.0']);
    await bench.restart();
    bench.gateway.start();
    expect(await install('2.0.0')).to.equal(0);
    expect(bench.runtime.take()).to.deep.equal(['try acme 2.0.0', 'start line']);
  });

  it('a node whose plugin was missing keeps settings that the version refuses, and runs with one that takes them', async () => {
    await withNode();
    await bench.restart();
    bench.gateway.start();
    expect(await install('2.0.0', {}, { minimum: 1000 })).to.equal(0);
    expect(line()).to.deep.include({
      running: RunningState.INIT,
      settings: undefined,
      params: { port: 502 },
    });
    expect(bench.errors.join()).to.include('Set them anew');
    expect(await install('3.0.0')).to.equal(0);
    expect(line().running).to.equal(RunningState.RUNNING);
    expect(bench.runtime.take()).to.deep.equal(['try acme 2.0.0', 'try acme 3.0.0', 'start line']);
  });

  it('a node that is added while its plugin is upgraded is refused, for nobody has checked its settings', async () => {
    expect(await install('1.0.0')).to.equal(0);
    bench.runtime.checkSettings = async () => {
      expect(await install('2.0.0')).to.equal(0);
    };
    const added = bench.gateway.nodes.add({ name: 'line', plugin: 'Acme', params: { port: 502 } });
    expect(await codeOf(added)).to.equal(ErrorCode.BUSY);
    expect(bench.gateway.nodes.all()).to.deep.equal([]);
  });

  it('a plugin is removed once no node is left', async () => {
    await withNode();
    expect(await codeOf(bench.gateway.installs.remove('Acme'))).to.equal(ErrorCode.LIBRARY_IN_USE);
    await bench.gateway.nodes.delete('line');
    bench.runtime.take();
    await bench.gateway.installs.remove('Acme');
    expect(bench.runtime.take()).to.deep.equal(['retire acme']);
    expect(bench.gateway.plugins.all()).to.deep.equal(plugins);
    expect(await readdir(join(bench.folder, 'libraries'))).to.deep.equal([]);
  });

  it('a folder that cannot be used gives way to the library that is installed in its place', async () => {
    await mkdir(join(bench.folder, 'libraries', 'acme', 'half'), { recursive: true });
    expect(await install('1.0.0')).to.equal(0);
    expect(await readdir(join(bench.folder, 'libraries', 'acme')))
      .to.include('plugin.json')
      .and.not.include('half');
    expect(await readdir(join(bench.folder, 'libraries'))).to.deep.equal(['acme']);
  });

  it('a file that is called like the library stays, and is named', async () => {
    const libraries = join(bench.folder, 'libraries');
    await mkdir(libraries, { recursive: true });
    await writeFile(join(libraries, 'acme'), 'mine');
    expect(await install('1.0.0')).to.equal(ErrorCode.LIBRARY_NAME_CONFLICT);
    const content = await acme('1.0.0');
    await writeFile(join(libraries, 'acme'), content);
    const archive = bench.gateway.installs.install({ library: 'acme' });
    const error: unknown = await archive.catch((reason: unknown) => reason);
    expect(String(error)).to.include(`there is a file of this name. Give the file another name.`);
    expect(await readdir(libraries)).to.deep.equal(['acme']);
    expect(await readFile(join(libraries, 'acme'))).to.deep.equal(content);
    expect(bench.gateway.plugins.all()).to.deep.equal(plugins);
  });

  for (const [what, name] of [
    ['case', 'ACME pro'],
    ['spaces', ' Acme   Pro '],
    ['the kind of a space', 'Acme\u00a0Pro'],
    ['the width of its letters', 'Ａｃｍｅ Ｐｒｏ'],
    ['something that cannot be seen', 'Acme\u200b Pro'],
    ['the script of small letters', 'A\u0441m\u0435 Pr\u043e'],
    ['the script of capital letters', '\u0391CM\u0415 \u03a1R\u041e'],
  ] as const) {
    it(`a name that differs from that of another plugin by ${what} alone is refused`, async () => {
      expect(await install('1.0.0', { name: 'Acme Pro' })).to.equal(0);
      const other = (version: string) => install(version, { id: 'other', name });
      expect(await other('1.0.0')).to.equal(ErrorCode.MODULE_EXISTS);
      expect(await install('2.0.0', { name }), 'a new name of the same plugin').to.equal(0);
    });
  }
});
