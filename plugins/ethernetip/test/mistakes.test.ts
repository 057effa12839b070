import { DataType, isFault } from '@tagway/sdk';
import { pointsOf, until } from '@tagway/testkit';
import { expect } from 'chai';
import { checkTag } from '../src/address.ts';
import { openFixture } from './fixture.ts';
import { structure, tag, textType } from './program.ts';
import type { Simulator } from './simulator.ts';
import type { Settings } from '../src/settings.ts';

const motor = structure('Motor', { On: 'BOOL', Speed: 'REAL' });

/** What people give as the address of a tag, and what they read then. */
const addresses: readonly (readonly [mistake: string, address: string, type: DataType, sentence: string])[] =
  [
    [
      'an address of a PLC-5 or SLC 500',
      'N7:0',
      DataType.INT16,
      'The address "N7:0" is one of a PLC-5, an SLC 500 or a MicroLogix, which this driver does not read. Examples: Level, Recipe[3].Setpoint and Program:Main.Speed.',
    ],
    ['a space', 'Oven Temp', DataType.INT16, 'The address "Oven Temp" has a space in it.'],
    ['a space at the end', 'Level ', DataType.INT16, 'The address "Level " begins or ends with a space.'],
    [
      'a program without a tag',
      'Program:Main',
      DataType.INT16,
      'The address "Program:Main" names a program and no tag of it, as in Program:Main.Speed.',
    ],
    [
      'a slash before a bit',
      'Word/5',
      DataType.BIT,
      'The address "Word/5" is not the name of a tag. Examples: Level, Recipe[3].Setpoint and Program:Main.Speed.',
    ],
    [
      'a bit of a number',
      'Word.5',
      DataType.INT16,
      'The address "Word.5" ends in the number of a bit, which only a BIT or BOOL tag has.',
    ],
    ['a bit above 63', 'Word.64', DataType.BIT, 'The address "Word.64" has a bit above 63.'],
    [
      'a negative index',
      'Few[-1]',
      DataType.INT16,
      'The address "Few[-1]" has a negative index: arrays of a controller begin at 0.',
    ],
    [
      'indices in brackets of their own',
      'Grid[1][2]',
      DataType.INT16,
      'The address "Grid[1][2]" has an index that is not a number such as [3] or [3,1].',
    ],
    [
      'no dot behind an index',
      'Motors[1]Speed',
      DataType.FLOAT,
      'The address "Motors[1]Speed" needs a dot behind the index of an element.',
    ],
    [
      'a number of elements for a number',
      'Few{3}',
      DataType.INT16,
      'The address "Few{3}" has a number of elements, which only a BYTES tag has: give an element a tag each.',
    ],
  ];

/** What is well formed and not in the controller. */
const reads: readonly (readonly [mistake: string, address: string, type: DataType, sentence: string])[] = [
  [
    'a name that is not there',
    'Levle',
    DataType.INT16,
    'The controller has no tag Levle. Check its spelling; a tag of a program is named Program:NAME.TAG.',
  ],
  [
    'a tag of a program without the program',
    'Step',
    DataType.INT32,
    'The controller has no tag Step. Check its spelling; a tag of a program is named Program:NAME.TAG.',
  ],
  [
    'a tag that the program does not have',
    'Program:Main.Level',
    DataType.INT16,
    'The program Main of the controller has no tag Level. Check its spelling and the name of the program.',
  ],
  [
    'a type of another size',
    'Level',
    DataType.INT32,
    'Level is of type INT in the controller; a tag of type INT32 needs an integer of 4 bytes.',
  ],
  [
    'an integer for a REAL',
    'Motors[0].Speed',
    DataType.INT32,
    'Motors[0].Speed is of type REAL in the controller; a tag of type INT32 needs an integer of 4 bytes.',
  ],
  [
    'a FLOAT for a DINT',
    'Word',
    DataType.FLOAT,
    'Word is of type DINT in the controller; a tag of type FLOAT needs a floating-point number of 4 bytes.',
  ],
  [
    'a BOOL for an integer',
    'Word',
    DataType.BOOL,
    'Word is of type DINT in the controller; a tag of type BOOL needs a BOOL, or a bit of an integer such as Tag.5.',
  ],
  [
    'a bit that the integer does not have',
    'Level.16',
    DataType.BIT,
    'Level is of type INT in the controller; a tag of type BIT needs a bit from 0 to 15.',
  ],
  [
    'a number for a text',
    'Title',
    DataType.INT32,
    'Title is of type Text in the controller; a tag of type INT32 needs an integer of 4 bytes.',
  ],
  [
    'a number for a structure',
    'Motors[1]',
    DataType.INT32,
    'Motors[1] is of type Motor in the controller; a tag of type INT32 needs an integer of 4 bytes.',
  ],
  [
    'a member that is not there',
    'Motors[1].Sped',
    DataType.FLOAT,
    'Motors[1] is of type Motor, which has no member Sped.',
  ],
  [
    'a member of an array without an index',
    'Motors.Speed',
    DataType.FLOAT,
    'Motors is an array of Motor: name one of its elements, from Motors[0] on.',
  ],
  [
    'an element behind the end',
    'Few[3]',
    DataType.INT16,
    'Few[3] is beyond the end: the array has elements 0 to 2.',
  ],
  [
    'an element of an array of BOOL behind the end',
    'Bits[64]',
    DataType.BOOL,
    'Bits[64] is beyond the end: the array has elements 0 to 63.',
  ],
  [
    'one index for two dimensions',
    'Grid[5]',
    DataType.INT16,
    'Grid[5] has 1 indices; the array has 2 dimensions.',
  ],
  [
    'an index where there is no array',
    'Level[0]',
    DataType.INT16,
    'Level[0] has an index, and Level is no array: it is of type INT.',
  ],
  [
    'a tag with external access none',
    'Hidden',
    DataType.INT16,
    'The tag Hidden is closed to access from outside (external access is none).',
  ],
];

/** How people set up a node, and the reason that its link gives. */
const settings: readonly (readonly [
  mistake: string,
  changes: Partial<Settings>,
  prepare: (device: Simulator) => void,
  reason: RegExp,
])[] = [
  [
    'another slot',
    { path: '3' },
    () => undefined,
    /nothing is reached through the path: the route names an address or a slot that is not there \(status 0x01\/0x0312\)/,
  ],
  [
    'the port of Ethernet for the backplane',
    { path: '2,0' },
    () => undefined,
    /nothing is reached through the path/,
  ],
  [
    'another kind of device',
    {},
    (device) => (device.answering = () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
    /no frame of this protocol/,
  ],
  [
    'a device that says nothing',
    {},
    (device) => (device.answering = () => undefined),
    /did not answer in the handshake; a controller does this when EtherNet\/IP is switched off, or when it has no session left/,
  ],
];

describe('mistakes that people make', () => {
  for (const [mistake, address, type, sentence] of addresses)
    it(`in an address: ${mistake}`, () => {
      const fault = checkTag({ name: 'tag', address, type, attribute: 1 });
      expect(fault?.message).to.equal(sentence);
    });

  it('in what is asked of a controller: each has its sentence', async () => {
    await using fixture = await openFixture((device) => {
      device.add(
        tag('Level', 'INT'),
        tag('Word', 'DINT'),
        tag('Few', 'INT[3]'),
        tag('Grid', 'INT[3,4]'),
        tag('Bits', 'BOOL[64]'),
      );
      device.add(
        tag('Motors', motor, { dimensions: [2] }),
        tag('Title', textType('Text', 10)),
        tag('Hidden', 'INT', { access: 3 }),
      );
      device.addTo('Main', tag('Step', 'DINT'));
    });
    const points = pointsOf(...reads.map(([, address, type]) => [address, type] as const));
    const said = (await fixture.read(points)).map((value) => (isFault(value) ? value.message : value));
    for (const [at, [mistake, , , sentence]] of reads.entries()) expect(said[at], mistake).to.equal(sentence);
  });

  for (const [mistake, changes, prepare, reason] of settings)
    it(`in the settings: ${mistake}`, async () => {
      await using fixture = await openFixture(prepare, changes);
      await until('the reason is reported', () => reason.test(fixture.reason));
    });
});
