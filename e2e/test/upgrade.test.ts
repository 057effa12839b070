import { readdirSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { groupsOf, nodeNames, pluginsOf } from '../kit/configuration.ts';
import { addDriver, connected } from '../kit/configure.ts';
import { type DataFixture, folderInside, missing, recordInside } from '../kit/data-fixture.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { command } from '../kit/standalone.ts';
import { expectRefusal, runGateway } from '../kit/refused-start.ts';
import { addLibrary, restartsWith } from '../kit/libraries.ts';
import { useGateway } from '../world/plant.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { until } from '../kit/until.ts';

const fixtures = join(import.meta.dirname, '../fixtures');
const archives = readdirSync(fixtures).filter((name) => name.endsWith('.tgz'));

/** 64-bit integers beyond what a number holds, as the record of a fixture has them. */
const exact = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one)));

/** The number of its format that a data folder has, while no gateway runs on it. */
function stampOf(folder: string): number {
  const database = new DatabaseSync(join(folder, 'tagway.sqlite'));
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  } finally {
    database.close();
  }
}

/** Waits until the log of a gateway has a line. */
async function logged(gateway: Gateway, line: RegExp): Promise<void> {
  await until(`the log has ${line}`, async () => line.test(await gateway.log()));
}

it('there is a data folder of an earlier gateway to start with', () => {
  expect(archives).to.include('data-0.1.0-ce81314.tgz');
});

for (const archive of archives) {
  describe(`an upgrade of the data folder ${archive}`, () => {
    const work = useFolder('upgrade');
    let fixture: DataFixture;
    let gateway: Gateway;
    let client: Client;

    before(async () => {
      await command(work(), 'tar', '-xzf', join(fixtures, archive));
      fixture = JSON.parse(await readFile(work(recordInside), 'utf8')) as DataFixture;
      const prepare = (data: string): Promise<void> => cp(work(folderInside), data, { recursive: true });
      gateway = await Gateway.start({ prepare });
    });
    after(() => gateway?.dispose());

    const expectEverything = async (): Promise<void> => {
      client = await gateway.anonymous().login('admin', fixture.password);
      for (const { method, path, data, body } of fixture.recorded) {
        const now = exact(await client.ok(method, path, data));
        expect(missing(body, now), `${method} ${path} ${JSON.stringify(data)}`).to.equal(undefined);
      }
    };

    it('keeps what was configured: nodes, groups, tags, settings, subscriptions, templates, users and values', async () => {
      expect(fixture.recorded).to.have.length.greaterThan(10);
      await expectEverything();
    });

    it('keeps the passwords', async () => {
      const { body } = await gateway.anonymous().call('POST', '/login', { name: 'admin', pass: '0000' });
      expect(body.error).to.equal(ErrorCode.CREDENTIALS_INVALID);
      await gateway.anonymous().login('operator', 'operator-password');
    });

    it('keeps the plugin that was installed, and the node of it', async () => {
      expect((await pluginsOf(client)).map(({ name }) => name)).to.include('Unruly');
      const { nodes } = await client.ok<{ nodes: { name: string; plugin: string }[] }>('GET', '/node', {
        type: 1,
      });
      expect(nodes).to.deep.include({ name: 'own', plugin: 'Unruly' });
    });

    it('says that a driver of the earlier contract needs a new release', async () => {
      // The node has no settings yet: asking its plugin starts the runner.
      await client.call('POST', '/node/setting', { node: 'own', params: { start: 0 } });
      await logged(gateway, /The plugin "Unruly" .*cannot be loaded.* needs a new release/);
    });

    it('goes on with changes, and starts again with all of it', async () => {
      await client.ok('POST', '/group', { node: 'plant', name: 'new', interval: 1000 });
      await gateway.restart();
      await expectEverything();
      expect((await groupsOf(client, 'plant')).map(({ name }) => name)).to.include('new');
    });

    it('leaves a folder that the gateway before refuses, instead of reading it wrongly', async () => {
      await gateway.stop();
      const before = stampOf(work(folderInside));
      const now = stampOf(gateway.data);
      if (archive === 'data-0.1.0-ce81314.tgz') expect(now).to.be.greaterThan(before);
      else expect(now).to.be.at.least(before);
      await gateway.start();
    });
  });
}

describe('plugins for SDK 0.1.0 in a data folder', () => {
  const { gateway, client } = useGateway({
    prepare: (data) => addLibrary(data, 'earlier', { manifest: { sdk: '^0.1.0' } }),
  });

  it('run their nodes, because nothing that they use has changed', async () => {
    const tags = [{ name: 'count', address: 'count', attribute: Attribute.READ, type: DataType.INT32 }];
    await addDriver(client, 'own', { plugin: 'earlier', settings: { start: 0 }, tags });
    await restartsWith(gateway, client, 'own', 'group');
  });

  it('keep their nodes and settings when the gateway refuses them, and the start says which need a new release', async () => {
    await gateway.stop();
    await addLibrary(gateway.data, 'earlier', { manifest: { sdk: '~0.0.9' } });
    await gateway.start();
    await logged(gateway, /libraries\/earlier was skipped: .*version ~0\.0\.9 .*needs a new release/);
    expect((await pluginsOf(client)).map(({ name }) => name)).to.not.include('earlier');
    expect(await nodeNames(client, 1)).to.include('own');
    await gateway.stop();
    await addLibrary(gateway.data, 'earlier', { manifest: { sdk: '^0.1.0' } });
    await gateway.start();
    await connected(client, 'own');
  });
});

const disk = SmallDisk.isPossible ? '' : ' (only root may mount the small disk that it needs)';
it(`a data folder of an earlier format starts on a full disk, and is marked when there is space again${disk}`, async function () {
  if (!SmallDisk.isPossible) this.skip();
  this.timeout(60_000);
  const small = await SmallDisk.make(8);
  try {
    const gateway = await Gateway.start({ parent: small.folder });
    try {
      await gateway.stop();
      const file = join(gateway.data, 'tagway.sqlite');
      const stamp = stampOf(gateway.data);
      const database = new DatabaseSync(file);
      database.exec(`PRAGMA user_version = ${stamp - 1}`);
      database.close();
      await small.fill();
      await gateway.start();
      await gateway.client();
      await gateway.stop();
      await small.free();
      await gateway.start();
      await gateway.stop();
      expect(stampOf(gateway.data)).to.equal(stamp);
      await gateway.start();
    } finally {
      await gateway.dispose();
    }
  } finally {
    await small.dispose();
  }
});

describe('a data folder of a newer release', () => {
  const { gateway } = useGateway();

  it('is refused with a sentence, and nothing in it changes', async () => {
    await gateway.stop();
    const file = join(gateway.data, 'tagway.sqlite');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    const before = await readFile(file);
    expectRefusal(
      await runGateway('--data', gateway.data, '--port', '0'),
      /was written by a newer version of Tagway/,
    );
    expect((await readFile(file)).equals(before)).to.equal(true);
  });
});
