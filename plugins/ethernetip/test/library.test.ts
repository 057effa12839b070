import { Library } from '@tagway/testkit';
import { expect } from 'chai';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const short = { host: '192.168.1.20' };

const library = new Library<Settings>(plugin, manifest, schema);

const problemOf = (settings: object): string | undefined =>
  library.definition.checkSettings?.(library.settings({ ...short, ...settings }) as Settings)?.message;

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
    expect(manifest).to.include({ id: 'ethernetip', name: 'EtherNet/IP' });
  });

  it('needs the host alone, and fills in the rest', () => {
    expect(library.settings(short)).to.deep.equal({
      ...short,
      port: 44_818,
      controller: 0,
      path: '',
      connection_size: 4002,
      tag_list: true,
      timeout: 3000,
    });
  });

  it('refuses settings out of range', () => {
    const wrong = [
      ...[{ host: '' }, { port: 0 }, { controller: 4 }, { connection_size: 100 }, { timeout: 10 }],
      ...[{ tag_list: 1 }, { path: 0 }, { path: '1'.repeat(201) }],
    ];
    library.expectRefused(short, wrong);
  });

  it('takes slots and routes, and says what is wrong with others', () => {
    for (const path of [
      '',
      '0',
      '16',
      '1,0',
      '1,0,2,10.0.0.5,1,0',
      '1, 3, 18, 10.0.0.12, 1, 0',
      '2,plc-1.example',
    ])
      expect(problemOf({ path }), path).to.equal(undefined);
    for (const path of ['1,0,2', 'a', '0,0', '15,1', '1,256', '1,-1', '1;0', '1/0', '192.168.0.1,2'])
      expect(problemOf({ path }), path).to.match(
        /^The setting path is ".*", which is no way to a controller\. It is a slot such as 0/,
      );
    expect(problemOf({ host: '192.168.1.20:44818' })).to.match(/^The setting host is "192.168.1.20:44818"/);
  });

  it('has patterns that agree with the check', () => {
    const addresses = [
      ...[
        'Level',
        'level_2',
        '_x',
        'Tag[3]',
        'Tag[1,2]',
        'Tag[1,2,3]',
        'Tag[1,2,3,4]',
        'Tag[-1]',
        'Tag[]',
        'Tag[a]',
      ],
      ...[
        'A.B.C',
        'A[1].B[2].C',
        'A.B.',
        '.A',
        'A..B',
        'A[1]B',
        'A[1][2]',
        'Program:Main.A',
        'PROGRAM:Main.A[3].B',
      ],
      ...[
        'Local:1:I.Data',
        'Local:1:I',
        'Bahnhöfe.Länge',
        '变量',
        '1a',
        'a b',
        'a-b',
        '',
        'A{3}',
        'A[0]{100}',
        'A{0}',
        'A{}',
      ],
      ...[
        'A.5',
        'A.63',
        'A.64',
        'A.100',
        'A[3].31',
        'A.5{2}',
        'A.5.B',
        'Program:Main.A.5',
        'N7:0',
        'Program:Main',
        'Program',
      ],
    ];
    // What has the form and is refused all the same is said in a sentence.
    const { differences, accepted } = library.compare(addresses, (_type, address) =>
      /\.6[4-9]$|\{0\}$|^Program(?::Main)?$|^N7:0$|\.5\{2\}$/.test(address),
    );
    expect(differences).to.deep.equal([]);
    expect(accepted).to.be.above(100);
  });
});
