import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FolderFiles } from '../../src/folder/folder-files.ts';
import { type FolderContent, readFolder } from '../../src/folder/read-folder.ts';
import { Variables } from '../../src/folder/variables.ts';

const presses = `each: presses
name: { var: name }
plugin: Modbus TCP
settings: { host: { var: host }, port: { var: port } }
groups:
  - name: fast
    interval: 100
    tags: [{ name: a, address: 1!400001, type: INT16, unit: { var: unit } }]
`;
const good = {
  'gateway.yaml': 'format: 1\n',
  'vars/plant.yaml': 'port: 502\nunit: °C\nbroker: { secret: broker }\n',
  'vars/north.yaml':
    'from: plant\nunit: bar\nfirst: 10.0.0.1\npresses:\n  - { name: press 1, host: { var: first } }\n  - { name: press 2, host: 10.0.0.2, port: 503 }\n',
  'vars/south.yaml': 'from: plant\npresses: []\n',
  'drivers/presses.yaml': presses,
  'drivers/presses.tags.csv': 'group,name,address,type\nfast,b,1!400002,INT16\n',
  'apps/cloud.yaml':
    'plugin: MQTT\nsettings: { password: { var: broker }, each: 1 }\nsubscriptions:\n  - { each: presses, driver: { var: name }, group: fast }\n',
};

describe('variables and loops of a configuration folder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-variables-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function read(files: Readonly<Record<string, string>>, vars?: string): Promise<FolderContent> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return readFolder(await FolderFiles.open(folder), vars);
  }

  it('make a node for each item of a list, with what files of variables take over from others', async () => {
    const { body, problems, loops } = await read(good, 'north');
    expect(problems).to.deep.equal([]);
    expect([...loops]).to.deep.equal(['drivers/presses.yaml']);
    expect(body.nodes.map(({ name }) => name)).to.deep.equal(['press 1', 'press 2', 'cloud']);
    expect(body.settings.map(({ params }) => params)).to.deep.equal([
      { host: '10.0.0.1', port: 502 },
      { host: '10.0.0.2', port: 503 },
      { password: { secret: 'broker' }, each: 1 },
    ]);
    expect(
      body.tags.map(({ driver, tags }) => [driver, tags.map(({ name, unit }) => [name, unit])]),
    ).to.deep.equal(
      ['press 1', 'press 2'].map((name) => [
        name,
        [
          ['a', 'bar'],
          ['b', undefined],
        ],
      ]),
    );
    expect(body.subscriptions.map(({ driver }) => driver)).to.deep.equal(['press 1', 'press 2']);
    expect(await Variables.names(await FolderFiles.open(folder))).to.deep.equal(['north', 'south']);
  });

  it('make nothing of a list that is empty', async () => {
    const { body, problems } = await read(good, 'south');
    expect(problems).to.deep.equal([]);
    expect(body.nodes.map(({ name }) => name)).to.deep.equal(['cloud']);
    expect(body.subscriptions).to.deep.equal([]);
  });

  const wrong: readonly (readonly [what: string, files: Readonly<Record<string, string>>, says: string])[] = [
    [
      'a variable that is not there',
      { 'apps/cloud.yaml': 'plugin: { var: nothing }\n' },
      'apps/cloud.yaml: there is no variable "nothing" in vars/north.yaml.',
    ],
    [
      'a circle',
      { 'vars/north.yaml': 'a: { var: b }\nb: [{ x: { var: a } }]\n' },
      'vars/north.yaml: the variable "a" refers to itself: a, b, a.',
    ],
    [
      'files that take over in a circle',
      { 'vars/plant.yaml': 'from: north\n' },
      'vars/north.yaml: files of variables take over from one another without an end: north, plant, north.',
    ],
    [
      'a file that is not there',
      { 'vars/north.yaml': 'from: nowhere\n' },
      'vars/north.yaml: there is no file vars/nowhere.yaml to take over from.',
    ],
    [
      'a loop through what is no list',
      { 'vars/north.yaml': 'from: plant\npresses: [1]\n' },
      'drivers/presses.yaml: the variable "presses" is to be a list whose items have fields, such as { name: press 1 }, because a loop goes through it.',
    ],
    [
      'a loop without names',
      { 'drivers/presses.yaml': 'each: presses\nplugin: Modbus TCP\n' },
      'drivers/presses.yaml: two items of its loop make the node "presses". Its name has to be a variable of the items, such as name: { var: name }.',
    ],
    [
      'a value that does not fit',
      { 'drivers/presses.yaml': `${presses}  - { name: { var: port }, interval: 1 }\n` },
      'drivers/presses.yaml, item 1: ',
    ],
    [
      'variables that grow',
      {
        'vars/north.yaml': `presses: []\na0: [1,1,1,1,1,1,1,1]\n${[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `a${at}: [${`{ var: a${at - 1} },`.repeat(8)}]\n`).join('')}`,
      },
      'vars/north.yaml: its variables have more than 1000000 values.',
    ],
    [
      'loops in loops',
      {
        'vars/north.yaml': `presses:\n${Array.from({ length: 2000 }, (_, at) => `  - { name: p${at} }\n`).join('')}`,
        'drivers/presses.yaml':
          'each: presses\nname: { var: name }\nplugin: x\ngroups:\n  - { each: presses, name: { var: name }, interval: 1 }\n',
      },
      'drivers/presses.yaml: variables and loops put more than 1000000 values into the files of the folder.',
    ],
  ];
  for (const [what, files, says] of wrong)
    it(`are refused in sentences: ${what}`, async () => {
      const found = await read({ ...good, ...files }, 'north').then(
        ({ problems }) => problems,
        (error: unknown) => [(error as Error).message],
      );
      expect(
        found.find((problem) => problem.startsWith(says)),
        found.slice(0, 3).join('\n'),
      ).to.be.a('string');
    });

  it('say that no file of variables is chosen, or that there is none', async () => {
    const { problems } = await read(good);
    expect(problems).to.include(
      'drivers/presses.yaml: there is no variable "presses": no file of the folder vars is chosen, see --vars.',
    );
    const missing = await read(good, 'elsewhere').catch((error: unknown) => (error as Error).message);
    expect(missing).to.equal('There is no file vars/elsewhere.yaml with the variables of "elsewhere".');
  });
});
