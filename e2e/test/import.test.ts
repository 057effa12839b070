import { Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import { hash } from 'node:crypto';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { subscriptionsOf } from '../kit/configuration.ts';
import { familyExport, sample, writeDatabase } from '../family/database.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { tagway } from '../kit/installed.ts';
import type { Ended } from '../kit/installed.ts';
import { useGateway } from '../world/plant.ts';

/** Runs `tagway import` to its end. */
const importFile = (
  file: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<Ended> => tagway(['import', file, ...args], env);

interface Config {
  readonly nodes: readonly { readonly name: string; readonly plugin: string; readonly running: number }[];
  readonly groups: readonly object[];
  readonly tags: readonly {
    readonly driver: string;
    readonly group: string;
    readonly tags: readonly object[];
  }[];
  readonly subscriptions: readonly object[];
  readonly settings: readonly object[];
  readonly templates: readonly { readonly name: string; readonly groups: readonly object[] }[];
}

/** What both a sample and an export of ours say, for comparison. */
const essence = ({ nodes, groups, tags, subscriptions, settings }: Omit<Config, 'templates'>): object => ({
  nodes: nodes.map(({ name, plugin }) => ({ name, plugin })),
  groups,
  tags,
  subscriptions,
  settings,
});

const empty = { nodes: [], groups: [], tags: [], subscriptions: [], settings: [] };

for (const dialect of ['specification', 'family']) {
  describe(`PUT /global/config with an export of the family (--compat ${dialect})`, function () {
    this.timeout(60_000);
    const { client } = useGateway({ args: ['--compat', dialect] });

    it('takes it as it is, and gives the same again', async () => {
      const reply = await client.call('PUT', '/global/config', sample('export.json'));
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.text).not.to.include('left out');
      const config = await client.ok<Config>('GET', '/global/config');
      const subscriptions =
        dialect === 'family'
          ? familyExport.subscriptions
          : familyExport.subscriptions.flatMap(({ app, groups }) => groups.map((one) => ({ app, ...one })));
      expect(essence(config)).to.deep.equal(essence({ ...(familyExport as never as Config), subscriptions }));
      const again = await client.call('PUT', '/global/config', { ...config });
      expect(again.status, again.text).to.equal(200);
      expect(await client.ok<Config>('GET', '/global/config')).to.deep.equal(config);
    });

    it('takes an export of its drivers as it is', async () => {
      const reply = await client.call('PUT', '/global/drivers', sample('export-drivers.json'));
      expect(reply.status, reply.text).to.equal(200);
      const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/global/drivers');
      expect(nodes.map(({ name }) => name)).to.have.members(['boiler', 'presse 3', '锅炉房', 'line-A.1']);
    });

    it('takes older names of plugins and members, and subscriptions one by one and by app', async () => {
      const tag = { name: 't', address: '1!400001', attribute: 1, type: 3 };
      await client.ok('PUT', '/global/config', {
        nodes: [
          { name: 'old', plugin: 'modbus-plus-tcp' },
          { name: 'line', plugin: 'modbus-rtu' },
          { name: 'up', plugin: 'mqtt' },
        ],
        groups: [
          { node: 'old', name: 'g', interval: 100 },
          { driver: 'line', group: 'h', interval: 100 },
        ],
        tags: [{ node: 'old', name: 'g', tags: [{ ...tag, precison: 0 }] }],
        subscriptions: [
          { app: 'up', driver: 'line', group: 'h' },
          { app: 'up', groups: [{ driver: 'old', group: 'g', params: { topic: 'a' } }] },
        ],
        settings: [],
      });
      const config = await client.ok<Config>('GET', '/global/config');
      expect(config.nodes.map(({ plugin }) => plugin)).to.deep.equal(['Modbus TCP', 'Modbus RTU', 'MQTT']);
      expect(config.tags.map(({ tags }) => tags.length)).to.deep.equal([1, 0]);
      expect(await subscriptionsOf(client, 'up')).to.deep.equal([
        { driver: 'line', group: 'h' },
        { driver: 'old', group: 'g', params: { topic: 'a' } },
      ]);
    });

    it('leaves out nodes of unknown plugins and names every one of them', async () => {
      const unknown = { plugin: 'eKuiper', x: 1 };
      const strange = Array.from({ length: 30 }, (_, at) => ({ name: `strange ${at}`, ...unknown }));
      const driver = { name: 'knx', plugin: 'KNXnet/IP' };
      const reply = await client.call<{ warnings: string[] }>('PUT', '/global/config', {
        nodes: [...strange, driver, { name: 'kept', plugin: 'Modbus TCP' }, { name: 'up', plugin: 'MQTT' }],
        groups: ['knx', 'kept'].map((name) => ({ driver: name, group: 'g', interval: 1000 })),
        tags: [{ driver: 'knx', group: 'g', tags: [{ name: 't', address: '1/1/1', attribute: 1, type: 3 }] }],
        subscriptions: [
          { app: 'up', groups: ['knx', 'kept'].map((name) => ({ driver: name, group: 'g' })) },
          { app: 'strange 0', driver: 'kept', group: 'g' },
        ],
        settings: [{ node: 'knx', params: { host: 'x' } }],
        templates: [{ name: 'cut', plugin: 'KNXnet/IP', groups: [] }],
      });
      expect(reply.status, reply.text).to.equal(200);
      const left = reply.body.warnings.filter((line) => line.includes('left out'));
      expect(left).to.have.lengthOf(32);
      expect(left).to.include(
        'The node "strange 0" is left out, with 1 subscription: there is no plugin "eKuiper" here.',
      );
      expect(left).to.include(
        'The node "knx" is left out, with 1 group and 1 subscription: there is no plugin "KNXnet/IP" here.',
      );
      expect(left).to.include('The template "cut" is left out: there is no plugin "KNXnet/IP" here.');
      const config = await client.ok<Config>('GET', '/global/config');
      expect(config.nodes.map(({ name }) => name)).to.deep.equal(['kept', 'up']);
      expect(await subscriptionsOf(client, 'up')).to.deep.equal([{ driver: 'kept', group: 'g' }]);
    });
  });
}

describe('tagway import', function () {
  this.timeout(120_000);
  const folder = useFolder('import');
  let data: string;
  let count = 0;

  beforeEach(() => (data = folder(`data ${count++}`)));

  const place = (): string[] => ['--data', data, '--compat', 'family'];

  /** The configuration that a gateway on the data folder has. */
  async function configured(): Promise<Config> {
    const prepare = (copy: string): Promise<void> => cp(data, copy, { recursive: true });
    const gateway = await Gateway.start({ args: ['--compat', 'family'], prepare });
    try {
      return await (await gateway.client()).ok<Config>('GET', '/global/config');
    } finally {
      await gateway.dispose();
    }
  }

  /** A database of its own, with these statements run on it at the end. */
  function database(more = ''): string {
    const file = folder(`sqlite ${count++}.db`);
    writeDatabase(file, more);
    return file;
  }

  it('takes the database of a gateway, which stays as it is, and says what it took', async () => {
    const file = database();
    const seen = async (): Promise<unknown[]> => [
      hash('sha256', await readFile(file)),
      (await stat(file)).mtimeMs,
      (await readdir(folder())).filter((name) => name.includes('.db')),
    ];
    const before = await seen();
    const { code, stdout, stderr } = await importFile(file, place());
    expect(stderr).to.equal('');
    expect(code).to.equal(0);
    expect(await seen()).to.deep.equal(before);
    const lines = stdout.split('\n');
    expect(lines).to.include('The node "boiler" (Modbus TCP) is taken, groups: 3, tags: 36.');
    expect(lines).to.include('The node "锅炉房" (Modbus TCP) is taken, groups: 1, tags: 12, no settings.');
    expect(stdout).to.match(/^The users "admin" are left out, because their passwords/m);
    expect(stdout).to.match(/nodes: 6, groups: 8, tags: 96, subscriptions: 13\. They are in the place/);
    const [audit = ''] = await readdir(join(data, 'audit'));
    expect(await readFile(join(data, 'audit', audit), 'utf8')).to.match(
      /"kind":"folder".*"replaced the whole configuration by the file \\"sqlite \d+\.db\\", 6 nodes"/,
    );
    const config = await configured();
    expect(essence(config)).to.deep.equal(essence(familyExport as never));
    expect(config.nodes.find(({ name }) => name === 'boiler')?.running).to.equal(4);
  });

  it('reads a database whose last changes are still in its journal', async () => {
    const file = folder('open.db');
    writeDatabase(file);
    const open = new DatabaseSync(file);
    try {
      open.exec(
        "PRAGMA wal_autocheckpoint = 0; UPDATE groups SET interval = 777 WHERE driver_name = 'line-A.1'",
      );
      expect((await importFile(file, place())).code).to.equal(0);
    } finally {
      open.close();
    }
    expect((await configured()).groups).to.deep.include({
      driver: 'line-A.1',
      group: 'group 0',
      tag_count: 12,
      interval: 777,
    });
  });

  it('takes static tags, templates and parameters without their wrapping, and names what it cannot', async () => {
    const file = database(`
      INSERT INTO tags VALUES ('boiler', 'group 0', 'fixed', '', 10, 0, 0, 0, 8, 'a', '18446744073709551615', NULL);
      INSERT INTO tags VALUES ('boiler', 'group 0', 'lost', '', 8, 0, 0, 0, 3, '', NULL, NULL);
      INSERT INTO tags VALUES ('boiler', 'group 0', 'time', '1!400001', 1, 0, 0, 0, 20, '', NULL, NULL);
      INSERT INTO tags VALUES ('boiler', 'group 0', 'named', '1!400001.4', 1, 0, 0.5, 0, 13, '${'ü'.repeat(100)}', NULL, NULL);
      INSERT INTO templates VALUES ('pump', 'modbus-tcp'), ('knx', 'KNXnet/IP');
      INSERT INTO template_groups VALUES ('pump', 'fast', 200);
      INSERT INTO template_tags VALUES ('pump', 'fast', 't', '1!400001', ${Attribute.READ}, 0, 0, 3, '', NULL);
      UPDATE settings SET setting = json_extract(setting, '$.params') WHERE node_name = 'line-A.1';
      UPDATE subscriptions SET params = '{"topic": "bare"}' WHERE app_name = 'historian' AND driver_name = '锅炉房';
      UPDATE subscriptions SET params = CAST(x'ccdd3c2f747f' AS TEXT) WHERE app_name = 'cloud' AND driver_name = 'line-A.1';
      INSERT INTO nodes VALUES ('data-stream-processing', 2, 3, 'eKuiper')`);
    const { code, stdout, stderr } = await importFile(file, place());
    expect(stderr).to.equal('');
    expect(code).to.equal(0);
    for (const sentence of [
      'The node "data-stream-processing" is left out: there is no plugin "eKuiper" here.',
      'The template "knx" is left out: there is no plugin "KNXnet/IP" here.',
      'The static tag "lost" of "boiler"/"group 0" is left out: its value is missing or not readable.',
      'The tag "time" of "boiler"/"group 0" is left out: there are no tags of its type, 20, here.',
      'The decimal of the tag "named" of "boiler"/"group 0" is left out: it means nothing for a text.',
      'The description of the tag "named" of "boiler"/"group 0" is cut to its first 127 bytes.',
    ])
      expect(stdout.split('\n')).to.include(sentence);
    expect(stdout).to.match(
      /^The parameters of the subscription of "cloud" to the group "group 0" of "line-A.1" are left out/m,
    );
    const config = await configured();
    const tags =
      config.tags.find(({ driver, group }) => driver === 'boiler' && group === 'group 0')?.tags ?? [];
    expect(tags).to.have.lengthOf(14);
    expect(tags).to.deep.include({
      name: 'fixed',
      address: '',
      attribute: 10,
      type: 8,
      precision: 0,
      decimal: 0,
      bias: 0,
      description: 'a',
      value: 18446744073709551615n,
    });
    expect(config.templates.map(({ name, groups }) => [name, groups.length])).to.deep.equal([['pump', 1]]);
    const [cloud, historian] = config.subscriptions as { groups: { driver: string; params?: object }[] }[];
    expect(cloud?.groups.find(({ driver }) => driver === 'line-A.1')).to.not.have.property('params');
    expect(historian?.groups.find(({ driver }) => driver === '锅炉房')?.params).to.deep.equal({
      topic: 'bare',
    });
  });

  it('takes exports in JSON, of everything and of drivers', async () => {
    const whole = folder('whole.json');
    await writeFile(whole, `\uFEFF${sample('export.json')}`);
    expect((await importFile(whole, place())).code).to.equal(0);
    const drivers = folder('drivers.json');
    const strange = { name: 'knx', plugin: 'KNXnet/IP', groups: [{ group: 'g', interval: 100 }] };
    const more = { nodes: [{ name: 'added', plugin: 'modbus-tcp' }, strange] };
    await writeFile(drivers, JSON.stringify(more));
    const { code, stdout } = await importFile(drivers, place());
    expect(code).to.equal(0);
    expect(stdout).to.include(
      'The node "knx" is left out, with 1 group: there is no plugin "KNXnet/IP" here.\n',
    );
    const config = await configured();
    expect(config.nodes.map(({ name }) => name)).to.deep.equal([
      ...familyExport.nodes.map(({ name }) => name),
      'added',
    ]);
  });

  it('asks the gateway that runs on the data folder', async () => {
    const gateway = await Gateway.start({ args: ['--compat', 'family'] });
    try {
      const file = database("INSERT INTO nodes VALUES ('monitor', 2, 3, 'Monitor')");
      const refused = await importFile(file, ['--data', gateway.data]);
      expect(refused.code).to.equal(1);
      expect(refused.stderr).to.match(/^A gateway runs at .*: its password has to be in TAGWAY_PASSWORD/);
      const taken = await importFile(file, ['--data', gateway.data], { TAGWAY_PASSWORD: '0000' });
      expect(taken.stderr).to.equal('');
      expect(taken.stdout).to.include('The node "monitor" is left out: there is no plugin "Monitor" here.\n');
      const config = await (await gateway.client()).ok<Config>('GET', '/global/config');
      expect(essence(config)).to.deep.equal(essence(familyExport as never));
    } finally {
      await gateway.dispose();
    }
  });

  it('takes all or nothing', async () => {
    const kept = folder('kept.json');
    await writeFile(kept, JSON.stringify({ ...empty, nodes: [{ name: 'kept', plugin: 'Modbus TCP' }] }));
    expect((await importFile(kept, place())).code).to.equal(0);
    const file = database(
      "UPDATE tags SET address = 'nonsense' WHERE name = 't3' AND driver_name = 'presse 3'",
    );
    const { code, stdout, stderr } = await importFile(file, place());
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(
      /^Nothing is imported\. A tag of the group "group 0" of "presse 3" is refused\. .*"nonsense"/,
    );
    expect((await configured()).nodes.map(({ name }) => name)).to.deep.equal(['kept']);
  });

  describe('refuses with a sentence', () => {
    const written = (content: string | Uint8Array) => async (): Promise<string> => {
      const file = folder(`given ${count++}`);
      await writeFile(file, content);
      return file;
    };
    const changed = (more: string) => (): Promise<string> => Promise.resolve(database(more));
    const files: readonly (readonly [what: string, make: () => Promise<string>, why: RegExp])[] = [
      ['a file that is not there', () => Promise.resolve(folder('absent')), /ENOENT/],
      ['a folder', () => Promise.resolve(folder()), /it is not a file/],
      ['an empty file', written(''), /neither a database of a gateway nor an export in JSON/],
      ['any text', written('nodes: []'), /neither a database/],
      ['another JSON', written('[1]'), /neither a database/],
      ['a list too few', written('{"nodes": [], "groups": []}'), /The field tags is missing\./],
      ['bytes that are not UTF-8', written(Uint8Array.of(0xff, 0xfe, 0x7b)), /neither a database/],
      ['JSON that nests endlessly', written(`{"nodes":${'['.repeat(200_000)}`), /neither a database/],
      [
        'a database cut off',
        written('SQLite format 3\0 and no more'),
        /cannot be read as a database|damaged/,
      ],
      [
        'another database',
        async () => {
          const file = folder('other.db');
          const other = new DatabaseSync(file);
          other.exec('CREATE TABLE nodes (name TEXT)');
          other.close();
          return Promise.resolve(file);
        },
        /it has no table "migrations"/,
      ],
      [
        'an upgrade that broke off',
        changed("INSERT INTO migrations (version, description, dirty) VALUES ('0113', '', 1)"),
        /an upgrade of it to the version 0113 broke off/,
      ],
      [
        'a table that lacks a column',
        changed('ALTER TABLE nodes DROP COLUMN state'),
        /its table "nodes" has no column "state"/,
      ],
      [
        'a view in the place of a table',
        changed(
          'DROP TABLE groups; CREATE VIEW groups AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS driver_name, i AS name, i AS interval FROM n',
        ),
        /"groups" in it is not a plain table/,
      ],
      [
        'a computed column',
        changed(
          'DROP TABLE groups; CREATE TABLE groups (driver_name TEXT, name TEXT, interval INTEGER AS (length(hex(zeroblob(1000000)))))',
        ),
        /the column "interval" of its table "groups" is computed/,
      ],
      [
        'a name that is not UTF-8',
        changed("UPDATE nodes SET name = CAST(x'ff61' AS TEXT) WHERE name = 'boiler'"),
        /a text in "name" of its table "nodes" is not in UTF-8/,
      ],
      [
        'an interval that is a text',
        changed("PRAGMA ignore_check_constraints = ON; UPDATE groups SET interval = 'soon'"),
        /a value in "interval" of its table "groups" is no integer/,
      ],
    ];
    for (const [what, make, why] of files) {
      it(what, async () => {
        const file = await make();
        const { code, stdout, stderr } = await importFile(file, place());
        expect([code, stdout]).to.deep.equal([1, '']);
        expect(stderr).to.match(why);
        expect(stderr).to.match(/^The file .* cannot be imported, because .*\.\n$/s);
        await rm(data, { recursive: true, force: true });
      });
    }

    it('a database whose pages are overwritten', async () => {
      const file = database();
      const content = await readFile(file);
      for (let at = 4096; at + 4096 <= content.length; at += 4096) content.fill(0xa5, at, at + 2048);
      await writeFile(file, content);
      const { code, stderr } = await importFile(file, place());
      expect(code).to.equal(1);
      expect(stderr).to.match(/^The file .* cannot be imported, because it (is damaged|cannot be read)/);
    });

    it('a command without a file', async () => {
      const { code, stderr } = await importFile('', place());
      expect(code).to.equal(1);
      expect(stderr).to.equal('The command is import FILE, with one file. Try --help.\n');
    });
  });
});
