import { expect } from 'chai';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { useFolder } from '../kit/folder.ts';
import { type Ended, tagway } from '../kit/installed.ts';
import { useGateway } from '../world/plant.ts';

const files = {
  'gateway.yaml': 'format: 1\n',
  'vars/plant.yaml': 'timeout: 1000\n',
  'vars/north.yaml': `from: plant
host: 127.0.0.1
presses:
  - { name: press 1, port: 15021 }
  - { name: press 2, port: 15022 }
`,
  'vars/south.yaml': 'from: plant\nhost: 127.0.0.2\npresses: []\n',
  'drivers/boiler.yaml': `# The boiler.
plugin: Modbus TCP
settings: { connection_mode: 0, transport_mode: 0, host: { var: host }, port: 15020, timeout: { var: timeout }, interval: 0 }
groups:
  - { name: slow, interval: 10000, tags: [ { name: hours, address: 1!400010, type: UINT16 } ] }
`,
  'drivers/presses.yaml': `each: presses
name: { var: name }
plugin: Modbus TCP
settings: { connection_mode: 0, transport_mode: 0, host: { var: host }, port: { var: port }, timeout: 1000, interval: 0 }
groups:
  - { name: fast, interval: 1000, tags: [{ name: force, address: 1!400001, type: FLOAT }] }
`,
  'apps/cloud.yaml': `plugin: MQTT
stopped: true
settings: { client-id: c, host: { var: host }, port: 1, format: 0 }
subscriptions:
  - { driver: boiler, group: slow }
  - { each: presses, driver: { var: name }, group: fast } # all of them
`,
} as const;

describe('a configuration folder with variables and a loop', function () {
  this.timeout(300_000);
  const folder = useFolder('config-variables');
  const { gateway, client } = useGateway();

  const config = (action: string, ...args: string[]): Promise<Ended> =>
    tagway(['config', action, folder('c'), '--url', gateway.url, ...args], { TAGWAY_PASSWORD: '0000' });
  const text = (path: string): Promise<string> => readFile(folder('c', path), 'utf8');

  before(async () => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(folder('c', path)), { recursive: true });
      await writeFile(folder('c', path), content);
    }
  });

  it('is checked for every gateway that has a file of variables', async () => {
    const { code, stdout } = await tagway(['config', 'check', folder('c')]);
    expect(code, stdout).to.equal(0);
    expect(stdout)
      .to.include('With the variables of "north":')
      .and.to.include('nodes: 4, groups: 3')
      .and.to.include('With the variables of "south":')
      .and.to.include('nodes: 2, groups: 1');
  });

  it('is applied with the variables of one, and stays as it is when that is exported', async () => {
    const refused = await config('plan');
    expect([refused.code, refused.stdout]).to.satisfy(
      ([code, said]: [number, string]) => code === 1 && said.includes('no file of the folder vars is chosen'),
    );
    expect((await config('apply', '--vars', 'north')).code).to.equal(0);
    await gateway.restart();
    const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
    expect(nodes.map(({ name }) => name).sort()).to.deep.equal(['boiler', 'press 1', 'press 2']);
    const { params } = await client.ok<{ params: object }>('GET', '/node/setting', { node: 'press 2' });
    expect(params).to.include({ host: '127.0.0.1', port: 15022 });
    const { groups } = await client.ok<{ groups: { driver: string }[] }>('GET', '/subscribe', {
      app: 'cloud',
    });
    expect(groups.map(({ driver }) => driver).sort()).to.deep.equal(['boiler', 'press 1', 'press 2']);
    expect((await config('plan', '--vars', 'north')).stdout).to.equal('Nothing would change.\n');
    expect((await config('export', '--vars', 'north')).code).to.equal(0);
    for (const [path, content] of Object.entries(files)) expect(await text(path), path).to.equal(content);
    expect(await text('.schemas/vars.json')).to.include('from');
  });

  it('keeps its variables where the gateway is otherwise in something else, and a loop is not written', async () => {
    await client.ok('PUT', '/group', { node: 'boiler', group: 'slow', interval: 5000 });
    await client.ok('DELETE', '/subscribe', { app: 'cloud', driver: 'press 2', group: 'fast' });
    expect((await config('export', '--vars', 'north')).code).to.equal(0);
    expect(await text('drivers/boiler.yaml')).to.equal(
      files['drivers/boiler.yaml'].replace('interval: 10000', 'interval: 5000'),
    );
    expect(await text('apps/cloud.yaml'))
      .to.include('host: { var: host }')
      .and.to.include('driver: press 1')
      .and.not.to.include('each')
      .and.not.to.include('press 2');
    await client.ok('PUT', '/group', { node: 'press 1', group: 'fast', interval: 500 });
    const said =
      'drivers/presses.yaml makes the node "press 1" by a loop, and it is otherwise in the gateway.\n';
    const { code, stderr } = await config('export', '--vars', 'north');
    expect([code, stderr]).to.deep.equal([
      1,
      `${said}Nothing was written. Change the loop or its variables by hand, or the gateway.\n`,
    ]);
    const diff = await config('diff', '--vars', 'north');
    expect([diff.code, diff.stdout]).to.deep.equal([2, said]);
    expect(await text('drivers/presses.yaml')).to.equal(files['drivers/presses.yaml']);
  });
});
