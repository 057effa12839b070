import { expect } from 'chai';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { waitForSource } from '../kit/config-source.ts';
import { writeFiles } from '../kit/configuration-files.ts';
import { useFolder } from '../kit/folder.ts';
import { until } from '../kit/until.ts';
import { certify } from '../world/certificates.ts';
import { missingForGit, ServedRepository } from '../world/git-server.ts';
import { useGateway } from '../world/plant.ts';

const boiler = `# The boiler of hall 3.
plugin: Modbus TCP
settings: { connection_mode: 0, transport_mode: 0, host: { var: host }, port: 1, timeout: 1000, interval: 0 }
groups:
  - name: fast # as the line needs it
    interval: 1000
    tags:
      - { name: a, address: 1!400001, type: INT16 } # hot
      - { name: limit, type: INT16, attribute: Write Static, value: 7 }
`;
const cloud = `plugin: MQTT
stopped: true
settings: { client-id: c, host: 127.0.0.1, port: 1, format: 0, username: u, password: { secret: broker } }
subscriptions:
  - { driver: boiler, group: fast }
`;
const rows = (count: number, mark = ''): string =>
  `group,name,address,type,description\n${Array.from({ length: count }, (_, at) => `g,t${at},1!4${String(at + 1).padStart(5, '0')},INT16,${mark}\n`).join('')}`;
const many = 'plugin: Modbus TCP\ngroups: [{ name: g, interval: 1000 }]\n';

const without = missingForGit.length === 0 ? '' : ` (skipped: ${missingForGit.join(', ')} are not installed)`;

(without === '' ? describe : describe.skip)(
  `what was changed by hand, as a patch of its source${without}`,
  function () {
    this.timeout(300_000);
    const folder = useFolder('config-patch');
    const { gateway, client } = useGateway();
    let repository: ServedRepository;

    const start = async (...args: string[]): Promise<void> => {
      await gateway.stop();
      await gateway.start(['--config-interval', '1', '--config-secrets', folder('secrets'), ...args]);
      await client.login();
    };
    const follow = (): Promise<void> =>
      start('--name', 'north', '--config-source', `git+file://${repository.root}/plant.git#main:the plant`);
    const patch = async (): Promise<string> => {
      const reply = await client.call('GET', '/source/patch');
      expect(reply.status, reply.text).to.equal(200);
      return reply.text;
    };
    const drifted = (differences: number): Promise<unknown> =>
      waitForSource(
        client,
        `${differences} things are otherwise`,
        (source) => source.drift.differences === differences,
      );

    before(async () => {
      await mkdir(folder('secrets'));
      await writeFile(folder('secrets/broker'), 'swordfish\n');
      repository = new ServedRepository(folder());
      await repository.commit('as it is', {
        'the plant/gateway.yaml': 'format: 1\n',
        'the plant/vars/north.yaml': 'host: 127.0.0.1\npresses: [{ name: press 1 }]\n',
        'the plant/drivers/boiler.yaml': boiler,
        'the plant/drivers/old.yaml': 'plugin: Modbus TCP\n',
        'the plant/drivers/many.yaml': many,
        'the plant/drivers/many.tags.csv': rows(3000),
        'the plant/apps/cloud.yaml': cloud,
      });
    });

    it('is refused while nothing is pulled', async () => {
      expect(await client.errorOf('GET', '/source/patch')).to.equal(9125);
    });

    it('is empty where nothing is otherwise, also after operators have done their work', async () => {
      const source = `git+file://${repository.root}/plant.git#main:the plant`;
      await start('--name', 'north', '--config-source', source);
      await waitForSource(
        client,
        'it is applied',
        ({ commit }) => commit === repository.git('rev-parse', 'HEAD'),
      );
      await client.ok('POST', '/write', { node: 'boiler', group: 'fast', tag: 'limit', value: 9 });
      await client.ok('POST', '/node/ctl', { node: 'boiler', cmd: 1 });
      expect(await patch()).to.equal('');
    });

    it('is what git applies, with comments and variables kept and no secret; committed, it is drift no more', async () => {
      await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', interval: 400 });
      await client.ok('DELETE', '/node', { name: 'old' });
      await client.ok('POST', '/node', { name: 'press "3"/ü', plugin: 'Modbus TCP' });
      const { params } = await client.ok<{ params: object }>('GET', '/node/setting', { node: 'cloud' });
      certify(folder('ca.pem'), folder('ca.key'), 'broker');
      const ca = (await readFile(folder('ca.pem'))).toString('base64');
      await client.ok('POST', '/node/setting', {
        node: 'cloud',
        params: { ...params, password: 'trout-of-the-lake', ssl: true, ca },
      });
      await client.ok('PUT', '/tags', {
        node: 'many',
        group: 'g',
        tags: Array.from({ length: 3000 }, (_, at) => ({
          name: `t${at}`,
          address: `1!4${String(at + 1).padStart(5, '0')}`,
          attribute: 1,
          type: 3,
          description: 'other',
        })),
      });
      await until('it is seen', async () => (await patch()) !== '');
      const text = await patch();
      for (const secret of ['swordfish', 'trout']) expect(text).not.to.include(secret);
      await writeFile(folder('gateway.patch'), text);
      const commit = repository.push(() => {
        repository.git('apply', '--index', folder('gateway.patch'));
        repository.git('commit', '--quiet', '--message', 'what proved good');
      });
      const changed = repository.git('show', '--name-status', '--format=', '--no-renames', 'HEAD');
      expect(changed.split('\n')).to.have.members([
        'M\tthe plant/apps/cloud.yaml',
        'M\tthe plant/drivers/boiler.yaml',
        'M\tthe plant/drivers/many.tags.csv',
        'D\tthe plant/drivers/old.yaml',
        'A\t"the plant/drivers/press %223%22%2F\\303\\274.yaml"',
        'A\tthe plant/files/apps.cloud.ca.pem',
      ]);
      const at = `${repository.copy}/the plant`;
      expect(await readFile(`${at}/drivers/boiler.yaml`, 'utf8')).to.equal(
        boiler.replace('interval: 1000\n', 'interval: 400\n'),
      );
      expect(await readFile(`${at}/apps/cloud.yaml`, 'utf8'))
        .to.include('password: { secret: broker }')
        .and.to.include('ca: { file: files/apps.cloud.ca.pem }');
      expect((await readFile(`${at}/files/apps.cloud.ca.pem`)).toString('base64')).to.equal(ca);
      // The secret is brought by those who keep it.
      await writeFile(folder('secrets/broker'), 'trout-of-the-lake\n');
      await waitForSource(
        client,
        'it is applied',
        (source) => source.commit === commit && source.problem === null,
      );
      await drifted(0);
      expect(await patch()).to.equal('');
      await follow();
      await drifted(0);
      expect(await patch()).to.equal('');
    });

    it('is for engineers and those above, and only for what a loop does not make', async () => {
      for (const role of ['operator', 'engineer'] as const) {
        await client.ok('POST', '/users', { name: role, password: 'secret', role });
        const other = gateway.anonymous();
        await other.login(role, 'secret');
        expect(await other.errorOf('GET', '/source/patch'), role).to.equal(role === 'engineer' ? 0 : 1022);
      }
      const commit = await repository.commit('a loop', {
        'the plant/drivers/presses.yaml': 'each: presses\nname: { var: name }\nplugin: Modbus TCP\n',
      });
      await waitForSource(client, 'it is applied', (source) => source.commit === commit);
      await client.ok('POST', '/group', { node: 'press 1', group: 'more', interval: 1000 });
      const { status, body } = await client.call('GET', '/source/patch');
      expect([status, body.error]).to.deep.equal([409, 9125]);
      expect(body.message).to.include('makes the node "press 1" by a loop');
    });

    it('of a folder that others fill is what patch applies, and is refused while the folder is another one', async () => {
      const plain = folder('plain');
      await writeFiles(plain, {
        'gateway.yaml': 'format: 1\n',
        'drivers/boiler.yaml': boiler.replace('{ var: host }', '10.0.0.5'),
      });
      await start('--config-source', plain);
      await drifted(0);
      await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', interval: 300 });
      const text = await patch();
      expect(text).to.include('\n-    interval: 1000\n+    interval: 300\n');
      await writeFiles(plain, { 'drivers/next.yaml': 'plugin: Nothing\n' });
      await waitForSource(client, 'it is wrong', ({ problem }) => problem !== null);
      expect(await client.errorOf('GET', '/source/patch')).to.equal(9125);
    });
  },
);
