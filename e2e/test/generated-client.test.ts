import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import { usePlant } from '../world/plant.ts';
import { command, emptyFolder, removeFolder } from '../kit/standalone.ts';

const e2e = join(import.meta.dirname, '..');
const compiler = join(e2e, '../node_modules/typescript/bin/tsc');

describe('a client that is generated from the OpenAPI document', function () {
  this.timeout(240_000);
  let folder: string;
  const { device, gateway } = usePlant();

  before(async () => {
    folder = await emptyFolder();
    const document = await (await fetch(`${gateway.url}/api/v2/openapi.json`)).json();
    await writeFile(
      join(folder, 'schema.ts'),
      astToString(await openapiTS(document as Parameters<typeof openapiTS>[0])),
    );
    await copyFile(join(import.meta.dirname, 'generated-client.txt'), join(folder, 'walk-through.ts'));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    for (const [name, target] of [
      ['node_modules', join(e2e, 'node_modules')],
      ['types', join(e2e, '../node_modules/@types')],
    ] as const)
      await symlink(target, join(folder, name));
  });
  after(() => removeFolder(folder));

  it('compiles under strict types', async () => {
    const strict = [
      '--strict',
      '--skipLibCheck',
      '--noUncheckedIndexedAccess',
      '--exactOptionalPropertyTypes',
      '--noEmit',
    ];
    const modules = [
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2024,dom,dom.iterable',
      '--allowImportingTsExtensions',
      '--erasableSyntaxOnly',
    ];
    const types = ['--typeRoots', join(folder, 'types'), '--types', 'node'];
    const said = await command(
      folder,
      process.execPath,
      compiler,
      ...strict,
      ...modules,
      ...types,
      'walk-through.ts',
    );
    expect(said).to.equal('');
  });

  it('walks through the API: login, node, group, tags, read, write, metrics', async () => {
    const said = await command(folder, process.execPath, 'walk-through.ts', gateway.url, `${device.port}`);
    expect(said).to.equal('The walk is over.\n');
  });
});
