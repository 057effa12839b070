import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Client } from '../client.ts';
import { Gateway } from '../gateway.ts';
import { archiveBody, command, deployGateway, emptyFolder, removeFolder } from '../outside.ts';
import { ownPlugins } from '../own-plugins.ts';
import { workOf } from '../plugin-works.ts';

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
    it(`installs ${name} from its archive, and runs it`, async () => {
      const out = join(folder, id);
      await command(root, process.execPath, kit, 'pack', '--folder', join(root, 'plugins', id), '--out', out);
      const [archive = ''] = readdirSync(out);
      await client.ok('POST', '/plugin', await archiveBody(join(out, archive)), { within: 60_000 });
      await workOf(id)(client, folder);
    });
  }
});
