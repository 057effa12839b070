import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { libraryArchive } from '../kit/archives.ts';
import { nodeNames } from '../kit/configuration.ts';
import type { Client } from '../kit/client.ts';
import { Gateway } from '../kit/gateway.ts';

interface Warned {
  readonly warnings?: readonly string[];
}

/** A Cyrillic letter that looks like a Latin o, and a Greek one that looks like a capital M. */
const o = '\u043e';
const M = '\u039c';

describe('a name with letters of another script that look like Latin ones', function () {
  this.timeout(30_000);
  let gateway: Gateway;
  let client: Client;

  before(async () => {
    gateway = await Gateway.start();
    client = await gateway.client();
  });
  after(() => gateway?.dispose());

  it('is refused for a plugin when it looks like that of another one', async () => {
    for (const name of [`M${o}dbus TCP`, `${M}odbus TCP`]) {
      const file = libraryArchive('impostor', { manifest: { name } }).toString('base64');
      const { body } = await client.call('POST', '/plugin', { library: 'any.tgz', file });
      expect(body).to.include({ error: ErrorCode.MODULE_EXISTS });
      expect(body['message']).to.include('"modbus-tcp"').and.to.include('letters of another script');
    }
  });

  it('is warned of for a node, however it comes by the name', async () => {
    const add = (name: string) => client.ok<Warned>('POST', '/node', { name, plugin: 'Modbus TCP' });
    expect(await add('Motor')).not.to.have.property('warnings');
    expect(await add('Мотор 2')).not.to.have.property('warnings');
    const spoof = `M${o}t${o}r`;
    const sentence = `The name "${spoof}" looks the same to people as that of the node "Motor"`;
    expect(String((await add(spoof)).warnings)).to.include(sentence);
    await client.ok('DELETE', '/node', { name: spoof });
    await add('Pump');
    const renamed = await client.ok<Warned>('PUT', '/node', { name: 'Pump', new_name: spoof });
    expect(String(renamed.warnings)).to.include(sentence);
    await gateway.restart();
    expect(await nodeNames(client, 1)).to.include.members(['Motor', 'Мотор 2', spoof]);
  });
});
