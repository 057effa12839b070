import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { Gateway } from '../kit/gateway.ts';
import { installLibrary, restartsWith, runs } from '../kit/libraries.ts';
import { command, deployGateway, emptyFolder, removeFolder } from '../kit/standalone.ts';
import { ownPlugins } from '../kit/own-plugins.ts';
import { workOf, type RunCheck } from '../kit/plugin-works.ts';

const root = join(import.meta.dirname, '../..');
const kit = join(root, 'sdk/pluginkit/dist/main.js');

describe('a gateway without a workspace around it', function () {
  this.timeout(180_000);
  let folder: string;
  let gateway: Gateway;
  let client: Client;

  before(async () => {
    folder = await emptyFolder();
    gateway = await Gateway.start({ main: await deployGateway(folder) });
    client = await gateway.client();
  });

  after(async () => {
    await gateway?.dispose();
    await removeFolder(folder);
  });

  it('has no plugins', async () => {
    expect(await client.ok('GET', '/plugin')).to.have.deep.property('plugins', []);
  });

  for (const { id, name } of ownPlugins) {
    it(`installs ${name} from its archive, and runs it, also after a restart`, async () => {
      const out = join(folder, id);
      await command(root, process.execPath, kit, 'pack', '--folder', join(root, 'plugins', id), '--out', out);
      const [archive = ''] = readdirSync(out);
      await installLibrary(client, readFileSync(join(out, archive)));
      const runsTwice: RunCheck = async (node, group) => {
        await runs(client, node, group);
        await restartsWith(gateway, client, node, group);
      };
      await workOf(id)(client, runsTwice, folder);
    });
  }
});
