import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Attribute,
  DataType,
  ErrorCode,
  type Profile,
  type ProfilePlanReply,
  type ProfileReply,
  type ProfilesReply,
  type TestProfileReply,
} from '@tagway/schemas';
import { expect } from 'chai';
import { readValues } from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { tagway } from '../kit/installed.ts';
import { installProfile, meterProfile, onePixel, profileArchive } from '../kit/profiles.ts';
import { useGateway } from '../world/plant.ts';
import { RegisterDevice } from '../world/register-device.ts';

const base64 = (content: Buffer | string): string => Buffer.from(content).toString('base64');

interface Exported {
  readonly nodes: readonly { readonly name: string; readonly profile?: { readonly version: string } }[];
}

describe('device profiles', function () {
  this.timeout(120_000);
  const { gateway, client, renew } = useGateway();
  const folder = useFolder('profiles');
  let device: RegisterDevice;

  before(async () => {
    device = await RegisterDevice.start();
    device.set(device.holding, 0, [2305, 0xff38, 0x0001, 0x0002, 0x0000, 0x01f4, 7, 8]);
  });

  after(() => device[Symbol.asyncDispose]());

  const restart = async (): Promise<void> => {
    await gateway.stop();
    await gateway.start();
    await renew();
  };
  const listed = async (id: string) =>
    (await client.ok<ProfilesReply>('GET', '/profile')).profiles.find((one) => one.id === id);
  const make = (node: string, more: object = {}) =>
    client.ok('POST', '/profile/node', { profile: 'acme-meter', node, params: device.params, ...more });
  const tagsOf = async (node: string, group: string) => {
    const { tags } = await client.ok<{ tags: Record<string, unknown>[] }>('GET', '/tags', { node, group });
    return tags;
  };

  it('are listed, shown, installed from an archive, kept by a restart, and deleted', async () => {
    expect(await listed('sunspec')).to.include({ system: true, discovers: true, tags: 0 });
    expect(await client.errorOf('DELETE', '/profile', { profile: 'sunspec' })).to.equal(
      ErrorCode.PROFILE_SYSTEM,
    );
    const profile = meterProfile({ picture: 'meter.png' });
    const file = base64(profileArchive(profile, { 'meter.png': onePixel, LICENSE: 'Free for all.' }));
    expect(await client.ok('POST', '/profile', { file })).to.include({
      profile: 'acme-meter',
      version: '1.0.0',
    });
    await restart();
    expect(await listed('acme-meter')).to.deep.include({
      name: 'Acme meter',
      system: false,
      tags: 4,
      plugins: [{ id: 'modbus-tcp', installed: true, name: 'Modbus TCP' }],
    });
    const shown = await client.ok<ProfileReply>('GET', '/profile', { profile: 'acme-meter' });
    expect(shown.choices).to.deep.equal([
      {
        plugin: 'Modbus TCP',
        id: 'modbus-tcp',
        params: { connection_mode: 0, port: 502, timeout: 1500 },
        ask: ['host', 'port'],
      },
    ]);
    expect(shown.picture).to.match(/^data:image\/png;base64,/);
    expect(shown).to.include({ license: 'Free for all.' });
    await client.ok('DELETE', '/profile', { profile: 'acme-meter' });
    await restart();
    expect(await listed('acme-meter')).to.equal(undefined);
    expect(await readdir(join(gateway.data, 'profiles'))).to.deep.equal([]);
    expect(await client.errorOf('GET', '/profile', { profile: 'acme-meter' })).to.equal(
      ErrorCode.PROFILE_NOT_FOUND,
    );
  });

  it('ask a device and show its values before anything is saved', async () => {
    await installProfile(client, meterProfile());
    const body = { profile: 'acme-meter', params: device.params };
    const { steps, values, groups } = await client.ok<TestProfileReply>('POST', '/profile/test', body);
    expect(steps.map(({ step, ok }) => [step, ok])).to.deep.equal([
      ['resolve', true],
      ['connect', true],
      ['handshake', true],
    ]);
    expect(values.map(({ tag, value, unit }) => [tag, value, unit])).to.deep.equal([
      ['voltage', 230.5, 'V'],
      ['current', -2, 'A'],
      ['power', 65538, 'W'],
      ['energy', 500, 'kWh'],
    ]);
    expect(groups.map(({ name, tags }) => [name, tags])).to.deep.equal([
      ['fast', 3],
      ['slow', 1],
    ]);
    expect((await client.ok<{ nodes: object[] }>('GET', '/node', { type: 1 })).nodes).to.deep.equal([]);
    const wrong = { ...body, parameters: { unit: 300 } };
    expect(await client.errorOf('POST', '/profile/test', wrong)).to.equal(ErrorCode.PARAM_INVALID);
    const away = await client.ok<TestProfileReply>('POST', '/profile/test', {
      ...body,
      params: { host: '127.0.0.1', port: 1 },
    });
    expect(away.steps.at(-1)).to.include({ step: 'connect', ok: false });
    expect(away.values).to.deep.equal([]);
  });

  it('make a node that reads at once, and that remembers what it was given: over a restart, an export, an import and a copy', async () => {
    await make('meter', { parameters: { unit: 1 } });
    const values = await readValues(client, 'meter', 'fast');
    expect(Object.fromEntries([...values].map(([name, { value }]) => [name, value]))).to.deep.equal({
      voltage: 230.5,
      current: -2,
      power: 65538,
    });
    expect(
      await client.errorOf('POST', '/profile/node', { profile: 'acme-meter', node: 'meter', params: {} }),
    ).to.equal(ErrorCode.NODE_EXISTS);
    const before = await client.ok('GET', '/profile/node', { node: 'meter' });
    expect(before).to.deep.include({ newest: '1.0.0' });
    await restart();
    expect(await client.ok('GET', '/profile/node', { node: 'meter' })).to.deep.equal(before);
    const config = await client.ok<Exported & Record<string, unknown>>('GET', '/global/config');
    expect(config.nodes[0]?.profile?.version).to.equal('1.0.0');
    await client.ok('POST', '/node/clone', { name: 'meter', new_name: 'copy' });
    expect(
      (await client.ok<Record<string, unknown>>('GET', '/profile/node', { node: 'copy' }))['profile'],
    ).to.deep.equal((before as Record<string, unknown>)['profile']);
    await client.ok('DELETE', '/node', { name: 'meter' });
    await client.ok('POST', '/node/undelete', { name: 'meter' });
    expect(await client.ok('GET', '/profile/node', { node: 'meter' })).to.deep.equal(before);
    await client.ok('PUT', '/global/config', config);
    await restart();
    expect(await client.ok('GET', '/profile/node', { node: 'meter' })).to.deep.equal(before);
    expect((await client.ok<Exported>('GET', '/global/config')).nodes).to.deep.equal(config.nodes);
    const drivers = await client.ok<Record<string, unknown>>('GET', '/global/drivers');
    await client.ok('PUT', '/global/drivers', drivers);
    expect(await client.ok('GET', '/profile/node', { node: 'meter' })).to.deep.equal(before);
  });

  it('read words in the order that they say, by vectors worked out by hand', async () => {
    const order = (name: string, address: string, type: 'UINT32' | 'FLOAT' | 'INT64') => ({
      name,
      address: `{unit}!${address}`,
      type,
    });
    const tags = [
      // The bytes 11 22 33 44 as 1234, 2143, 3412 and 4321.
      order('1234', '400101#LL', 'UINT32'),
      order('2143', '400101#LB', 'UINT32'),
      order('3412', '400101#BL', 'UINT32'),
      order('4321', '400101#BB', 'UINT32'),
      // 230.5 is 0x43668000: sign 0, exponent 134, fraction 0x668000.
      order('float', '400103#LL', 'FLOAT'),
      order('float, low word first', '400105#BL', 'FLOAT'),
      order('minus two', '400107#LL', 'INT64'),
      order('minus two, low word first', '400111#BL', 'INT64'),
    ];
    device.set(device.holding, 100, [0x1122, 0x3344, 0x4366, 0x8000, 0x8000, 0x4366]);
    device.set(device.holding, 106, [0xffff, 0xffff, 0xffff, 0xfffe, 0xfffe, 0xffff, 0xffff, 0xffff]);
    await installProfile(
      client,
      meterProfile({ id: 'word-orders', groups: [{ name: 'orders', interval: 500, tags }] }),
    );
    const { values } = await client.ok<TestProfileReply>('POST', '/profile/test', {
      profile: 'word-orders',
      params: device.params,
    });
    expect(values.map(({ tag, value }) => [tag, value])).to.deep.equal([
      ['1234', 287_454_020],
      ['2143', 571_556_915],
      ['3412', 860_098_850],
      ['4321', 1_144_201_745],
      ['float', 230.5],
      ['float, low word first', 230.5],
      ['minus two', -2],
      ['minus two, low word first', -2],
    ]);
    await client.ok('DELETE', '/profile', { profile: 'word-orders' });
  });

  it('come back with a backup, and so does what nodes were given', async () => {
    const file = folder('profiles.tgz');
    const before = await client.ok('GET', '/profile/node', { node: 'meter' });
    expect((await tagway(['backup', file, '--data', gateway.data])).code).to.equal(0);
    await client.ok('DELETE', '/node', { name: 'meter' });
    await client.ok('DELETE', '/profile', { profile: 'acme-meter' });
    await gateway.stop();
    const restored = await tagway(['restore', file, '--data', gateway.data]);
    expect(restored.code, restored.stderr).to.equal(0);
    await gateway.start();
    await renew();
    expect(await listed('acme-meter')).to.include({ version: '1.0.0', system: false });
    expect(await client.ok('GET', '/profile/node', { node: 'meter' })).to.deep.equal(before);
  });

  const second = (): Profile => {
    const profile = meterProfile({ version: '2.0.0' });
    const [fast, slow] = profile.groups;
    return {
      ...profile,
      plugins: [{ id: 'modbus-tcp', settings: { connection_mode: 0, port: 502, timeout: 2500 } }],
      groups: [
        {
          ...fast!,
          interval: 500,
          tags: [
            // Another factor and another unit; people have changed the factor, too.
            { ...fast!.tags[0]!, decimal: 1, unit: 'mV' },
            // People have changed its description.
            { ...fast!.tags[1]!, decimal: 0.1 },
            { name: 'frequency', address: '{unit}!400007', type: 'UINT16', unit: 'Hz' },
          ],
        },
        slow!,
      ],
    };
  };

  it('are updated under a node: what people have changed stays, what both have changed is asked, nothing goes in silence, and all is taken back', async () => {
    const tag = { node: 'meter', group: 'fast' };
    const common = { attribute: Attribute.READ, type: DataType.UINT16 };
    await client.ok('PUT', '/tags', {
      ...tag,
      tags: [
        { name: 'voltage', address: '1!400001', ...common, decimal: 0.5, unit: 'V' },
        {
          name: 'current',
          address: '1!400002',
          ...common,
          type: DataType.INT16,
          decimal: 0.01,
          unit: 'A',
          description: 'of mine',
        },
      ],
    });
    await client.ok('POST', '/tags', { ...tag, tags: [{ name: 'own', address: '1!400008', ...common }] });
    await client.ok('DELETE', '/tags', { node: 'meter', group: 'slow', tags: ['energy'] });
    const none = await client.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'meter' });
    expect(none.changes.map(({ kind }) => kind)).to.deep.equal(['kept', 'kept', 'kept']);
    await installProfile(client, second());
    const plan = await client.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'meter' });
    expect(plan).to.include({ from: '1.0.0', to: '2.0.0' });
    const shown = plan.changes.map(({ kind, tag: name, setting, fields }) => [
      kind,
      name ?? setting ?? 'interval',
      (fields ?? []).map(({ field }) => field).join(),
    ]);
    expect(shown).to.deep.equal([
      ['change', 'interval', 'interval'],
      ['change', 'voltage', 'unit'],
      ['conflict', 'voltage', 'decimal'],
      ['kept', 'current', 'description'],
      ['change', 'current', 'decimal'],
      ['remove', 'power', ''],
      ['add', 'frequency', ''],
      ['kept', 'energy', ''],
      ['change', 'timeout', 'timeout'],
    ]);
    expect(plan.changes[2]?.message).to.equal(
      'The device profile and somebody else have changed the tag "voltage" of the group "fast" in different ways. Somebody has to decide which counts.',
    );
    const before = await tagsOf('meter', 'fast');
    const refused = await client.call('POST', '/profile/update', { node: 'meter' });
    expect(refused.body.error).to.equal(ErrorCode.PROFILE_CONFLICTS);
    expect(refused.body.message).to.include('2 differences').and.to.include('"voltage"');
    expect(await tagsOf('meter', 'fast')).to.deep.equal(before);

    const done = await client.ok<ProfilePlanReply>('POST', '/profile/update', {
      node: 'meter',
      decisions: [
        { group: 'fast', tag: 'voltage', take: 'node' },
        { group: 'fast', tag: 'power', take: 'profile' },
      ],
    });
    await restart();
    const after = await tagsOf('meter', 'fast');
    expect(
      after.map(({ name, decimal, unit, description }) => [name, decimal, unit, description]),
    ).to.deep.equal([
      ['voltage', 0.5, 'mV', ''],
      ['current', 0.1, 'A', 'of mine'],
      ['own', 0, undefined, ''],
      ['frequency', 0, 'Hz', ''],
    ]);
    const { groups } = await client.ok<{ groups: { name: string; interval: number }[] }>('GET', '/group', {
      node: 'meter',
    });
    expect(groups.find(({ name }) => name === 'fast')?.interval).to.equal(500);
    const { params } = await client.ok<{ params: object }>('GET', '/node/setting', { node: 'meter' });
    expect(params).to.include({ timeout: 2500, ...device.params });
    await readValues(client, 'meter', 'fast');

    await client.ok('POST', '/snapshots/restore', { id: done.snapshot ?? '' });
    await restart();
    expect(await tagsOf('meter', 'fast')).to.deep.equal(before);
    const back = await client.ok<{ profile: { version: string } }>('GET', '/profile/node', { node: 'meter' });
    expect(back.profile.version).to.equal('1.0.0');
    const again = await client.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'meter' });
    expect(again.changes).to.deep.equal(plan.changes);
    const keep = [
      { group: 'fast', tag: 'voltage', take: 'profile' },
      { group: 'fast', tag: 'power', take: 'node' },
    ];
    await client.ok('POST', '/profile/update', { node: 'meter', decisions: keep });
    const names = (await tagsOf('meter', 'fast')).map(({ name, decimal }) => [name, decimal]);
    expect(names).to.deep.include.members([
      ['voltage', 1],
      ['power', 0],
    ]);
    expect((await client.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'meter' })).from).to.equal(
      '2.0.0',
    );
  });

  it('stay with their nodes when they are deleted, and refuse a node without one', async () => {
    await client.ok('DELETE', '/profile', { profile: 'acme-meter' });
    expect(await client.errorOf('POST', '/profile/plan', { node: 'meter' })).to.equal(
      ErrorCode.PROFILE_NOT_FOUND,
    );
    const { profile } = await client.ok<{ profile: { id: string } }>('GET', '/profile/node', {
      node: 'meter',
    });
    expect(profile.id).to.equal('acme-meter');
    await client.ok('POST', '/node', { name: 'plain', plugin: 'Modbus TCP' });
    expect(await client.errorOf('POST', '/profile/plan', { node: 'plain' })).to.equal(
      ErrorCode.NODE_WITHOUT_PROFILE,
    );
    expect(await client.errorOf('POST', '/profile/update', { node: 'plain' })).to.equal(
      ErrorCode.NODE_WITHOUT_PROFILE,
    );
  });

  it('say which plugin is missing, and what their plugin refuses', async () => {
    await installProfile(client, meterProfile({ plugins: [{ id: 'acme-bus' }] }));
    const body = { profile: 'acme-meter', node: 'other', params: {} };
    const reply = await client.call('POST', '/profile/node', body);
    expect(reply.body).to.include({ error: ErrorCode.PROFILE_PLUGIN_MISSING });
    expect(reply.body.message).to.include('acme-bus');
    const profile = meterProfile({
      plugins: [{ id: 'modbus-tcp', settings: { prot: 1 } }, { id: 'acme-bus' }],
      groups: [
        {
          name: 'bad',
          interval: 1000,
          tags: [
            { name: 'one', address: '{unti}!400001', type: 'UINT16' },
            { name: 'two', address: '1!400001', type: 'INT8', unit: 'bananas' },
          ],
        },
      ],
    });
    const { problems } = await client.ok<{ problems: { error: number; message: string }[] }>(
      'POST',
      '/profile/check',
      { profile },
    );
    const text = problems.map(({ message }) => message).join('\n');
    for (const word of ['acme-bus', 'bananas', '"prot"', '{unti}!400001', 'INT8'])
      expect(text).to.include(word);
  });

  describe('on the command line', () => {
    const data = (): string[] => ['--data', folder('data')];

    it('are checked, with their requests, and refused with every reason', async () => {
      const good = join(import.meta.dirname, '../../plugins/profiles/eastron-sdm120');
      const checked = await tagway(['profile', 'check', good, ...data()]);
      expect(checked.stderr).to.equal('');
      expect(checked.stdout).to.match(/^PLUGIN +GROUP +TAGS +REQUESTS A CYCLE$/m);
      expect(checked.stdout).to.match(/^Modbus TCP +energy +6 +2$/m);
      expect(checked.stdout).to.include('The device profile "eastron-sdm120" 1.0.0 is good.');
      // A folder that is not there is not made: the check needs none.
      expect(await readdir(folder())).to.not.include('data');
      const bad = meterProfile({
        groups: [{ name: 'g', interval: 1000, tags: [{ name: 't', address: 'x', type: 'BOOL' }] }],
      });
      await writeFile(folder('bad.json'), JSON.stringify(bad));
      const refused = await tagway(['profile', 'check', folder('bad.json'), ...data()]);
      expect(refused).to.include({ code: 1, stdout: '' });
      expect(refused.stderr).to.include('has 1 problems').and.to.include('BOOL');
      for (const args of [['profile'], ['profile', 'check'], ['profile', 'create', 'x']]) {
        const { code, stderr } = await tagway(args);
        expect(code, args.join(' ')).to.equal(1);
        expect(stderr).to.include('The command is profile search');
      }
    });

    it('are made of a node and of a table, and installed', async () => {
      const running = ['--url', gateway.url, '--password', '0000'];
      const made = await tagway(['profile', 'create', folder('my-meter'), 'meter', ...running]);
      expect(made.stderr).to.equal('');
      const profile = JSON.parse(await readFile(folder('my-meter', 'profile.json'), 'utf8')) as Profile;
      expect(profile).to.deep.include({
        id: 'my-meter',
        parameters: [{ name: 'unit', title: 'Unit', title_zh: '站号', minimum: 0, maximum: 255, default: 1 }],
      });
      expect(profile.plugins[0]).to.deep.include({ id: 'modbus-tcp', ask: ['host'] });
      expect(profile.groups[0]?.tags[0]).to.deep.include({
        name: 'voltage',
        address: '{unit}!400001',
        unit: 'mV',
      });
      expect((await tagway(['profile', 'check', folder('my-meter'), ...data()])).stdout).to.include(
        'is good',
      );
      const csv =
        'group;name;address;type;unit;decimal\na;"x ""1""";1!400001;UINT16;V;0.1\nb;y;1!300003;FLOAT;;\n';
      await writeFile(folder('tags.csv'), csv);
      const table = await tagway([
        'profile',
        'create',
        folder('from-table'),
        folder('tags.csv'),
        'modbus-rtu',
      ]);
      expect(table.stderr).to.equal('');
      const drafted = JSON.parse(await readFile(folder('from-table', 'profile.json'), 'utf8')) as Profile;
      expect(drafted.groups.map(({ name, tags }) => [name, tags[0]?.name, tags[0]?.address])).to.deep.equal([
        ['a', 'x "1"', '{unit}!400001'],
        ['b', 'y', '{unit}!300003'],
      ]);
      await mkdir(folder('data'));
      const installed = await tagway(['profile', 'install', folder('my-meter', 'profile.json'), ...data()]);
      expect(installed.stdout).to.include('"my-meter" is installed in version 0.1.0');
      expect((await tagway(['profile', 'list', ...data()])).stdout)
        .to.match(/^my-meter +0\.1\.0 /m)
        .and.to.match(/^sunspec +1\.0\.0 .* system +no$/m);
      expect((await tagway(['profile', 'remove', 'my-meter', ...data()])).stdout).to.include('is removed');
    });
  });
});

/** One white pixel. */
