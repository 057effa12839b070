import { Attribute, DataType } from '@tagway/schemas';
import { hasOpenssl, identityOf } from '@tagway/testkit/identity';
import { expect } from 'chai';
import { cp, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Client } from '../kit/client.ts';
import { modbusSettings } from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { type Ended, tagway } from '../kit/installed.ts';
import { sleep } from '../kit/until.ts';
import { familyExport, sample, writeDatabase } from '../family/database.ts';
import { useGateway, useNorthPlant } from '../world/plant.ts';

const { READ, WRITE, STATIC } = Attribute;

/** All files below a folder by their paths. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
    }
  return files;
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** Runs `tagway config` against a gateway that runs. */
function config(gateway: Gateway, action: string, folder: string, ...args: string[]): Promise<Ended> {
  return tagway(['config', action, folder, '--url', gateway.url, ...args], { TAGWAY_PASSWORD: '0000' });
}

/** As `config`, of what has to succeed. */
async function done(gateway: Gateway, action: string, folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await config(gateway, action, folder, ...args);
  expect(code, stdout + stderr).to.equal(0);
  return stdout;
}

const tag = (name: string, address: string, more: object = {}) => ({
  name,
  address,
  attribute: READ,
  type: DataType.INT16,
  ...more,
});

/** What the app has of TLS. */
const identity = hasOpenssl ? identityOf('client') : undefined;

/** A configuration with everything that files have to say. */
async function configure(client: Client): Promise<void> {
  const odd = 'presse 3/ä%: CON';
  const params = modbusSettings(1);
  await client.ok('POST', '/node', { name: odd, plugin: 'Modbus TCP', params });
  await client.ok('POST', '/node/ctl', { node: odd, cmd: 1 });
  await client.ok('POST', '/group', { node: odd, group: 'g', interval: 1000, history: 2, report: 'change' });
  await client.ok('POST', '/tags', {
    node: odd,
    group: 'g',
    tags: [
      tag('plain', '1!400001'),
      tag('=risky', '1!400002', {
        attribute: READ | WRITE,
        description: 'a, "b" # c',
        decimal: 0.1,
        unit: '°C',
      }),
      tag('large', '', { attribute: STATIC, type: DataType.UINT64, value: 18446744073709551615n }),
      tag('text', '', { attribute: STATIC | READ, type: DataType.STRING, value: 'yes' }),
      tag('bytes', '', { attribute: STATIC, type: DataType.BYTES, value: [1, 255] }),
      tag('span', '1!400003', {
        low: 0,
        high: 50,
        deadband: '2%',
        type: DataType.FLOAT,
        precision: 2,
        bias: -1,
      }),
    ],
  });
  await client.ok('POST', '/node', { name: '锅炉房', plugin: 'Modbus TCP', params });
  const many = Array.from({ length: 120 }, (_, at) => tag(`t${at}`, `1!4${String(at + 1).padStart(5, '0')}`));
  const value = { attribute: STATIC, type: DataType.INT64, value: -9223372036854775808n };
  const tags = [
    ...many,
    tag("'-1", '', value),
    tag('b', '', { attribute: STATIC, type: DataType.BYTES, value: [0, 16] }),
  ];
  await client.ok('POST', '/tags', { node: '锅炉房', group: '快', tags });
  await client.ok('POST', '/node', { name: 'bare', plugin: 'Modbus TCP' });
  await client.ok('POST', '/node', {
    name: 'cloud',
    plugin: 'MQTT',
    params: {
      'client-id': 'c',
      host: '127.0.0.1',
      port: 1,
      username: 'u',
      password: 'swordfish',
      ssl: true,
      ca: identity?.cert.toString('base64'),
      cert: identity?.cert.toString('base64'),
      key: identity?.key.toString('base64'),
      format: 0,
    },
  });
  await client.ok('POST', '/subscribe', { app: 'cloud', driver: odd, group: 'g', params: { topic: 'a/b' } });
  await client.ok('POST', '/subscribe', { app: 'cloud', driver: '锅炉房', group: '快' });
  const groups = [{ name: 'g', interval: 1000, tags: [tag('x', '1!400001')] }];
  await client.ok('POST', '/template', { name: 'pump', plugin: 'Modbus TCP', groups });
}

const withOpenssl = hasOpenssl ? '' : ' (skipped: openssl, which makes the certificates, is not installed)';

(hasOpenssl ? describe : describe.skip)(`a configuration as a folder of files${withOpenssl}`, function () {
  this.timeout(300_000);
  const folder = useFolder('config-folder');
  const { gateway, client } = useGateway();
  let exported: string;

  before(async () => {
    await configure(client);
    exported = folder('exported');
    await gateway.restart();
    await done(gateway, 'export', exported);
  });

  it('has a file for each node, named so that every system takes it, tables of many tags and no secret', async () => {
    const files = await filesOf(exported);
    expect(
      Object.keys(files)
        .filter((path) => !path.startsWith('.schemas/'))
        .sort(),
    ).to.deep.equal(
      [
        'apps/cloud.yaml',
        'drivers/bare.yaml',
        'drivers/presse 3%2Fä%25%3A CON.yaml',
        'drivers/锅炉房.tags.csv',
        'drivers/锅炉房.yaml',
        'files/apps.cloud.ca.pem',
        'files/apps.cloud.cert.pem',
        'gateway.yaml',
        'templates/pump.yaml',
      ].sort(),
    );
    expect(Object.values(files).join('')).not.to.include('swordfish').and.not.to.include('PRIVATE KEY');
    expect(files['apps/cloud.yaml']).to.include('password: { secret: cloud.password }');
    expect(files['apps/cloud.yaml']).to.include('ca: { file: files/apps.cloud.ca.pem }');
    expect(files['apps/cloud.yaml']).to.include('key: { secret: cloud.key }');
    expect(files['files/apps.cloud.ca.pem']).to.equal(identity?.cert.toString());
    expect(files['drivers/bare.yaml']).to.match(
      /^# yaml-language-server: \$schema=\.\.\/\.schemas\/driver\.json\n/,
    );
    const schema = JSON.parse(files['.schemas/driver.json'] ?? '') as { readonly allOf: object[] };
    expect(JSON.stringify(schema.allOf)).to.include('Modbus TCP').and.to.include('transport_mode');
  });

  it('says the same after it was applied to another gateway and exported from there', async () => {
    await using other = await Gateway.start().then((made) => ({
      gateway: made,
      [Symbol.asyncDispose]: () => made.dispose(),
    }));
    const refused = await config(other.gateway, 'plan', exported);
    const missing = (name: string): string =>
      `apps/cloud.yaml, setting "${name}": there is no secret "cloud.${name}": the gateway keeps none for it, and the folder of --secrets has no such file.\n`;
    expect([refused.code, refused.stdout]).to.deep.equal([1, missing('password') + missing('key')]);
    const secrets = folder('secrets');
    await write(secrets, { 'cloud.password': 'swordfish\n', 'cloud.key': identity?.key.toString() ?? '' });
    const planned = await config(other.gateway, 'plan', exported, '--secrets', secrets);
    expect(planned.code, planned.stdout).to.equal(2);
    expect(planned.stdout).to.include('The node "cloud" is new.').and.to.include('nodes: 4 new');
    await done(other.gateway, 'apply', exported, '--secrets', secrets);
    await other.gateway.restart();
    const again = folder('again');
    await done(other.gateway, 'export', again);
    expect(await filesOf(again)).to.deep.equal(await filesOf(exported));
    const api = await other.gateway.client();
    const { params } = await api.ok<{ params: object }>('GET', '/node/setting', {
      node: 'cloud',
      secrets: true,
    });
    expect(params).to.include({ password: 'swordfish', key: identity?.key.toString('base64') });
    // The secret is there by now, so that the files are enough.
    expect(await done(other.gateway, 'plan', again)).to.equal('Nothing would change.\n');
    expect(await done(other.gateway, 'diff', again)).to.equal('');
  });

  it('keeps comments, order and notation of files that are there', async () => {
    const mine = folder('mine');
    await cp(exported, mine, { recursive: true });
    const path = 'drivers/presse 3%2Fä%25%3A CON.yaml';
    const before = (await filesOf(mine))[path] ?? '';
    const noted = before
      .replace('plugin:', '# The old press.\nplugin:')
      .replace('interval: 1000', 'interval: 1000 # as the line is')
      .replace('type: INT16 }', 'type: "INT16", attribute: Read } # measured');
    await write(mine, { [path]: noted });
    expect(await done(gateway, 'plan', mine)).to.equal('Nothing would change.\n');
    await client.ok('PUT', '/group', { node: 'presse 3/ä%: CON', group: 'g', interval: 500 });
    const differs = await config(gateway, 'diff', mine);
    expect([differs.code, differs.stdout.split('\n').filter((line) => /^[-+] /.test(line))]).to.deep.equal([
      2,
      ['-    interval: 1000 # as the line is', '+    interval: 500 # as the line is'],
    ]);
    await done(gateway, 'export', mine);
    expect((await filesOf(mine))[path]).to.equal(noted.replace('interval: 1000', 'interval: 500'));
    expect(await done(gateway, 'export', mine)).to.equal(`${mine} says already what the gateway is.\n`);
    await client.ok('PUT', '/group', { node: 'presse 3/ä%: CON', group: 'g', interval: 1000 });
  });

  it('is applied only to what its plan has seen, and says what is wrong before anything changes', async () => {
    const mine = folder('stale');
    await cp(exported, mine, { recursive: true });
    await write(mine, { 'drivers/fresh.yaml': 'plugin: Modbus TCP\n' });
    const planned = await config(gateway, 'plan', mine, '--json');
    const { revision, nodes } = JSON.parse(planned.stdout) as { revision: string; nodes: { add: number } };
    expect([planned.code, nodes.add]).to.deep.equal([2, 1]);
    await client.ok('POST', '/node', { name: 'by hand', plugin: 'Modbus TCP' });
    const late = await config(gateway, 'apply', mine, '--revision', revision);
    expect([late.code, late.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && text.includes('Somebody else has changed'),
    );
    await client.ok('DELETE', '/node', { name: 'by hand' });
    await write(mine, {
      'drivers/fresh.yaml': 'plugin: Nothing\n',
      'apps/wrong.yaml': 'plugin: Modbus TCP\n',
    });
    const wrong = await config(gateway, 'apply', mine);
    expect([wrong.code, wrong.stderr]).to.deep.equal([
      1,
      'apps/wrong.yaml: the plugin "Modbus TCP" is one of drivers, so the file belongs to drivers/.\nNothing was changed.\n',
    ]);
    await rm(join(mine, 'apps/wrong.yaml'));
    const unknown = await config(gateway, 'plan', mine);
    expect([unknown.code, unknown.stdout]).to.deep.equal([1, 'There is no plugin "Nothing".\n']);
    expect(await done(gateway, 'plan', exported)).to.equal('Nothing would change.\n');
  });

  it('is checked without a gateway, with the settings and addresses of the packaged plugins', async () => {
    const check = (path: string): Promise<Ended> => tagway(['config', 'check', path]);
    const good = await check(exported);
    expect([good.code, good.stdout.trim().split('\n').at(-1)]).to.deep.equal([
      0,
      `Nothing is wrong with ${exported}: nodes: 4, groups: 2, tags: 128.`,
    ]);
    const bad = folder('bad');
    await write(bad, {
      'gateway.yaml': 'format: 1\n',
      'drivers/a.yaml':
        'plugin: Modbus TCP\nsettings: { host: 127.0.0.1, port: 99999, timeout: 1000, connection_mode: 0 }\n' +
        'groups:\n  - { name: g, interval: 1000, tags: [{ name: x, address: nonsense, type: INT16 }] }\n',
    });
    const found = await check(bad);
    expect(found.code).to.equal(1);
    expect(found.stdout)
      .to.include('Settings of the node "a"')
      .and.to.include('A tag of the group "g" of "a" is refused');
  });

  it('is refused in sentences where it is hostile', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
      .split('')
      .map((name, at) => `${name}: &${name} [${`*${'abcdefghi'[at]!},`.repeat(9)}]`)
      .join('\n')}\n`;
    const cases: readonly (readonly [name: string, make: (at: string) => Promise<void>, says: string])[] = [
      ['no folder of a configuration', (at) => rm(join(at, 'gateway.yaml')), 'it has no file gateway.yaml'],
      ['aliases', (at) => write(at, { 'drivers/x.yaml': bomb }), 'anchors are referred to more often'],
      ['nesting', (at) => write(at, { 'drivers/x.yaml': '['.repeat(100_000) }), 'it nests too deeply'],
      ['a link out', (at) => symlink('/etc/passwd', join(at, 'drivers/x.yaml')), 'a link that leads out'],
      ['a folder as a link', (at) => symlink('/etc', join(at, 'apps')), 'a link that leads out'],
      [
        'a reference out',
        (at) =>
          write(at, {
            'drivers/x.yaml': 'plugin: Modbus TCP\nsettings: { host: { file: ../../../etc/passwd } }\n',
          }),
        'leads out of the folder',
      ],
      [
        'a variable of the machine',
        (at) => write(at, { 'drivers/x.yaml': 'plugin: Modbus TCP\nsettings: { host: { env: HOME } }\n' }),
        'may not be referred to',
      ],
      [
        'a secret elsewhere',
        (at) => write(at, { 'drivers/x.yaml': 'plugin: Modbus TCP\nsettings: { host: { secret: ../x } }\n' }),
        'is no name of a secret',
      ],
      [
        'a huge file',
        async (at) => {
          await write(at, { 'drivers/x.yaml': '' });
          await truncate(join(at, 'drivers/x.yaml'), 1 << 30);
        },
        'bytes; 8388608 are allowed',
      ],
      [
        'bytes that are no text',
        (at) => write(at, { 'drivers/%FF.yaml': 'plugin: Modbus TCP\n' }),
        'not the bytes of a text',
      ],
      [
        'a name that is no text',
        async (at) => {
          await writeFile(
            Buffer.concat([Buffer.from(`${at}/drivers/`), Buffer.from([0xff]), Buffer.from('.yaml')]),
            '',
          );
        },
        'drivers has a file whose name is not in UTF-8',
      ],
      [
        'a link to nothing',
        (at) => symlink(join(at, 'nothing'), join(at, 'drivers/x.yaml')),
        'drivers/x.yaml is listed in its folder and leads to nothing',
      ],
      [
        'one node twice',
        (at) =>
          write(at, { 'drivers/x.yaml': 'plugin: Modbus TCP\n', 'drivers/%78.yaml': 'plugin: Modbus TCP\n' }),
        'Two files are of the node "x"',
      ],
      [
        'an unknown member',
        (at) => write(at, { 'drivers/x.yaml': 'plugin: Modbus TCP\nsetings: {}\n' }),
        'The field setings is not known',
      ],
      [
        'a member twice',
        (at) => write(at, { 'drivers/x.yaml': 'plugin: a\nplugin: b\n' }),
        'line 2: a name is there twice',
      ],
      [
        'a table alone',
        (at) => write(at, { 'drivers/x.tags.csv': 'group,name,type\n' }),
        'belongs to a file x.yaml, which is not there',
      ],
      [
        'a bad row',
        (at) =>
          write(at, {
            'drivers/x.yaml': 'plugin: Modbus TCP\ngroups: [{ name: g, interval: 1000 }]\n',
            'drivers/x.tags.csv': 'group,name,address,type\ng,a,1!400001,INT17\n',
          }),
        'drivers/x.tags.csv, line 2: there is no type "INT17"',
      ],
    ];
    for (const [name, make, says] of cases) {
      const at = folder(`hostile ${name}`);
      await write(at, { 'gateway.yaml': 'format: 1\n', 'drivers/good.yaml': 'plugin: Modbus TCP\n' });
      await make(at);
      const { code, stdout, stderr } = await tagway(['config', 'check', at]);
      expect([code, stdout + stderr], name).to.satisfy(
        ([ended, text]: [number, string]) => ended === 1 && text.includes(says),
      );
      expect(stdout + stderr, name).not.to.include('    at ');
    }
  });

  it('works on the data folder of a gateway that does not run', async () => {
    const data = folder('data');
    const local = (action: string, at: string, ...args: string[]): Promise<Ended> =>
      tagway(['config', action, at, '--data', data, ...args]);
    const secrets = folder('more secrets');
    await write(secrets, { 'cloud.password': 'swordfish', 'cloud.key': identity?.key.toString() ?? '' });
    expect((await local('plan', exported, '--secrets', secrets)).code).to.equal(2);
    const applied = await local('apply', exported, '--secrets', secrets);
    expect(applied.code, applied.stderr).to.equal(0);
    const again = folder('local');
    expect((await local('export', again)).code).to.equal(0);
    expect(await filesOf(again)).to.deep.equal(await filesOf(exported));
  });
});

describe('a configuration of the family', function () {
  this.timeout(120_000);
  const folder = useFolder('config-family');
  const { gateway, client } = useGateway();

  const apply = (config: object | string): Promise<unknown> =>
    client.ok('PUT', '/global/config', config as never);
  /** How each sample of the family comes into the gateway. */
  const ways: readonly (readonly [what: string, take: () => Promise<unknown>])[] = [
    ['an export of all', () => apply(sample('export.json'))],
    ['an export of the drivers', () => client.ok('PUT', '/global/drivers', sample('export-drivers.json'))],
    [
      'a database',
      async () => {
        const file = folder('family.db');
        writeDatabase(file);
        const { code, stderr } = await tagway(['import', file, '--url', gateway.url], {
          TAGWAY_PASSWORD: '0000',
        });
        expect(code, stderr).to.equal(0);
      },
    ],
  ];
  for (const [what, take] of ways)
    it(`becomes such a folder, which says the same: ${what}`, async () => {
      const empty = { nodes: [], groups: [], tags: [], subscriptions: [], settings: [] };
      await apply(empty);
      await take();
      const before = await client.ok<{ nodes: readonly object[] }>('GET', '/global/config');
      expect(before.nodes).not.to.have.length(0);
      const at = folder(what);
      await done(gateway, 'export', at);
      await apply(empty);
      const secrets = folder(`secrets of ${what}`);
      const settings = familyExport.settings as readonly { readonly node: string; readonly params: object }[];
      for (const { node, params } of settings)
        for (const [name, value] of Object.entries(params) as [string, unknown][])
          await write(secrets, { [`${node}.${name}`]: String(value) });
      await done(gateway, 'apply', at, '--secrets', secrets);
      const after = await client.ok<object>('GET', '/global/config');
      const all = (value: object): string[] => sorted(Object.values(value).flat() as object[]);
      expect(all(after)).to.deep.equal(all(before));
      const again = folder(`${what} again`);
      await done(gateway, 'export', again);
      expect(await filesOf(again)).to.deep.equal(await filesOf(at));
    });
});

describe('nodes that need not change', function () {
  this.timeout(120_000);
  const folder = useFolder('config-running');
  const { device, gateway, client, broker, subscriber } = useNorthPlant();

  /** Passes connections on to a port and counts them. */
  async function counted(port: number): Promise<{ readonly port: number; count: number; close(): void }> {
    const relay = { port: 0, count: 0, close: () => void server.close() };
    const server = createServer((socket) => {
      relay.count += 1;
      const onward = connect(port, '127.0.0.1');
      socket.pipe(onward).pipe(socket);
      for (const one of [socket, onward]) {
        one.on('error', () => undefined);
        one.on('close', () => [socket, onward].forEach((other) => other.destroy()));
      }
    });
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    relay.port = (server.address() as AddressInfo).port;
    return relay;
  }

  it('are not started anew, and none of their values is lost, while others change', async () => {
    const field = await counted(device.port);
    const north = await counted(broker.port);
    await client.ok('POST', '/node', {
      name: 'kept',
      plugin: 'Modbus TCP',
      params: modbusSettings(field.port),
    });
    await client.ok('POST', '/tags', { node: 'kept', group: 'g', tags: [tag('v', '1!400001')] });
    const params = { 'client-id': 'kept', host: '127.0.0.1', port: north.port, format: 0, ssl: false };
    await client.ok('POST', '/node', { name: 'up', plugin: 'MQTT', params });
    await client.ok('POST', '/subscribe', {
      app: 'up',
      driver: 'kept',
      group: 'g',
      params: { topic: 'kept' },
    });
    const at = folder('folder');
    await done(gateway, 'export', at);
    const seen = async (value: number): Promise<void> => {
      await device.setRegisters(0, [value]);
      await subscriber.upload('kept', ({ values }) => (values as { v?: number } | undefined)?.v === value);
    };
    await seen(1);
    const before = [field.count, north.count];
    const settings =
      'settings: { connection_mode: 0, transport_mode: 0, host: 127.0.0.1, port: 9, timeout: 1000, interval: 0 }\n';
    await write(at, {
      'drivers/other.yaml': `plugin: Modbus TCP\n${settings}groups: [{ name: g, interval: 1000 }]\n`,
    });
    let isApplied = false;
    const applied = done(gateway, 'apply', at).finally(() => (isApplied = true));
    let value = 1;
    while (!isApplied) await seen(++value);
    expect(await applied).to.include('The node "other" is new.');
    const yaml = (await filesOf(at))['drivers/kept.yaml'] ?? '';
    await write(at, { 'drivers/kept.yaml': yaml.replace('name: v,', 'name: v, description: new,') });
    expect(await done(gateway, 'apply', at)).to.include(
      'The tag "v" of the group "g" of "kept" changes: description.',
    );
    await seen(++value);
    expect([field.count, north.count]).to.deep.equal(before);
    await write(at, { 'drivers/kept.yaml': yaml.replace('timeout: 1000', 'timeout: 1500') });
    expect(await done(gateway, 'apply', at)).to.include('settings timeout. It starts anew');
    await seen(++value);
    expect([field.count > before[0]!, north.count]).to.deep.equal([true, before[1]]);
    await client.ok('DELETE', '/node', { name: 'kept' });
    await client.ok('DELETE', '/node', { name: 'up' });
    field.close();
    north.close();
  });
});

describe('a folder of 20 000 tags', function () {
  this.timeout(300_000);
  const folder = useFolder('config-large');
  const { gateway, client } = useGateway();
  const most = 20_000;

  it('is planned and applied, at first and where a tenth of it changes', async () => {
    const at = folder('large');
    const rows = (change: string): string =>
      Array.from({ length: most }, (_, n) => {
        const unit = Math.floor(n / 5000) + 1;
        const register = (n % 5000) + 1;
        const description = n % 10 === 0 ? change : '';
        return `g${n % 20},tag ${n},${unit}!4${String(register).padStart(5, '0')},Read,INT16,${description}\n`;
      }).join('');
    const groups = Array.from({ length: 20 }, (_, n) => `  - { name: g${n}, interval: 1000 }\n`).join('');
    const titles = 'group,name,address,attribute,type,description\n';
    await write(at, {
      'gateway.yaml': 'format: 1\n',
      'drivers/large.yaml': `plugin: Modbus TCP\ngroups:\n${groups}`,
      'drivers/large.tags.csv': titles + rows(''),
    });
    const timed = async (action: string): Promise<string> => {
      const from = performance.now();
      const { code, stdout, stderr } = await config(gateway, action, at);
      expect(code, stderr).to.be.oneOf([0, 2]);
      const took = Math.round(performance.now() - from);
      // Two and five seconds on a machine that does nothing else.
      expect(took).to.be.below(action === 'plan' ? 20_000 : 50_000);
      return `${action} ${took} ms: ${stdout.trim().split('\n').at(-1) ?? ''}`;
    };
    const lines = [await timed('plan'), await timed('apply')];
    await write(at, { 'drivers/large.tags.csv': titles + rows('new') });
    lines.push(await timed('plan'), await timed('apply'), await timed('plan'));
    process.stdout.write(lines.map((line) => `      ${line}\n`).join(''));
    expect(lines[2]).to.include(`tags: ${most / 10} changed`);
    expect(lines[4]).to.include('Nothing would change.');
    const { groups: found } = await client.ok<{ groups: { tag_count: number }[] }>('GET', '/group', {
      node: 'large',
    });
    expect(found.reduce((sum, { tag_count: count }) => sum + count, 0)).to.equal(most);
  });
});

const sorted = (list: readonly object[]): string[] => list.map((one) => JSON.stringify(one)).sort();

describe('kill -9 while a configuration is applied, 20 times', function () {
  this.timeout(400_000);
  const { gateway, client } = useGateway();

  /** Differs in everything that a step stores. */
  const body = (version: number): Record<string, unknown> => {
    const driver = `only ${version}`;
    const tags = Array.from({ length: 1500 }, (_, n) =>
      tag(`t${n + version * 500}`, `1!4${String(n + 1).padStart(5, '0')}`, { description: `of ${version}` }),
    );
    return {
      nodes: ['both', driver].map((name) => ({ name, plugin: 'Modbus TCP', running: 4 })),
      groups: ['both', driver].map((name) => ({ driver: name, group: 'g', interval: 1000 + version })),
      tags: ['both', driver].map((name) => ({ driver: name, group: 'g', tags })),
      subscriptions: [],
      settings: [{ node: 'both', params: modbusSettings(1000 + version) }],
      templates: [],
    };
  };

  it('leaves the old or the new one, never anything between', async () => {
    const get = async (): Promise<string> => JSON.stringify(await client.ok<object>('GET', '/global/config'));
    const states: string[] = [];
    for (const version of [0, 1]) {
      await client.ok('POST', '/global/config/apply', body(version));
      states.push(await get());
    }
    // New tags come after those that stay.
    const orders = (text: string): string =>
      JSON.stringify(
        Object.values(JSON.parse(text) as Record<string, readonly { readonly tags?: readonly object[] }[]>)
          .flatMap((list) =>
            list.map((one) => JSON.stringify({ ...one, tags: one.tags && sorted(one.tags) })),
          )
          .sort(),
      );
    let now = 1;
    const ends = { old: 0, new: 0 };
    // Of a gateway that has just started, whose plugins are asked for the first time.
    await gateway.restart();
    const from = performance.now();
    await client.ok('POST', '/global/config/apply', body(0));
    let wait = performance.now() - from;
    await client.ok('POST', '/global/config/apply', body(1));
    for (let round = 0; round < 20; round += 1) {
      const next = 1 - now;
      const call = client.call('POST', '/global/config/apply', body(next)).catch(() => undefined);
      await sleep(wait);
      await gateway.crash();
      await call;
      await gateway.start();
      const seen = orders(await get());
      expect(seen, `round ${round}`).to.be.oneOf(states.map(orders));
      const isNew = seen === orders(states[next]!);
      ends[isNew ? 'new' : 'old'] += 1;
      // Closer to the moment at which the one becomes the other.
      wait *= isNew ? 0.85 : 1.15;
      if (isNew) now = next;
    }
    expect(Math.min(ends.old, ends.new)).to.be.above(0);
    process.stdout.write(`      old: ${ends.old}, new: ${ends.new}\n`);
  });
});
