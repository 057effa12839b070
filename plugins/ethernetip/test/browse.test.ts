import {
  DataType,
  ErrorCode,
  isFault,
  LinkState,
  type BrowsePage,
  type BrowseRequest,
  type Fault,
} from '@tagway/sdk';
import { callOf, pointsOf } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture, type Fixture } from './fixture.ts';
import { stringType, structure, tag, timerType } from './program.ts';
import type { Simulator } from './simulator.ts';

const motor = structure('Motor', { On: 'BOOL', Speed: 'REAL', Name: stringType, Bits: 'BOOL[32]' });

function program(device: Simulator): void {
  device.add(
    tag('Speed', 'REAL'),
    tag('Motors', motor, { dimensions: [2] }),
    tag('Grid', 'INT[2,2]'),
    tag('Flags', 'BOOL[64]'),
    tag('T1', timerType),
    tag('__hidden', 'DINT'),
    tag('Map:Local', 'DINT'),
    tag('Local:1:I', 'DINT'),
    tag('secret', 'DINT', { access: 3 }),
  );
  device.addTo('Main', tag('Step', 'DINT'));
}

const page = async (fixture: Fixture, request: BrowseRequest): Promise<BrowsePage> => {
  const answer = await fixture.driver.browse?.(request, callOf('demand'));
  if (answer === undefined) throw new Error('The driver cannot browse.');
  return answer;
};

const listed = async (fixture: Fixture, id: string): Promise<unknown[]> =>
  (await page(fixture, { id })).entries.map((entry) => [entry.id, entry.type, entry.description]);

describe('browsing', () => {
  it('lists programs, tags, members and elements with their types', async () => {
    await using fixture = await openFixture(program);
    expect(await listed(fixture, '')).to.deep.equal([
      ['Program:Main', 0, undefined],
      ['Speed', DataType.FLOAT, 'REAL'],
      ['Motors', DataType.BYTES, 'Motor[2]'],
      ['Grid', DataType.BYTES, 'INT[2,2]'],
      ['Flags', DataType.BYTES, 'BOOL[64]'],
      ['T1', DataType.BYTES, 'TIMER'],
      ['Local:1:I', DataType.INT32, 'DINT'],
    ]);
    expect(await listed(fixture, 'Program:Main')).to.deep.equal([
      ['Program:Main.Step', DataType.INT32, 'DINT'],
    ]);
    expect(await listed(fixture, 'Motors')).to.deep.equal(
      [0, 1].map((at) => [`Motors[${at}]`, DataType.BYTES, 'Motor']),
    );
    expect(await listed(fixture, 'Motors[1]')).to.deep.equal([
      ['Motors[1].On', DataType.BOOL, 'BOOL'],
      ['Motors[1].Speed', DataType.FLOAT, 'REAL'],
      ['Motors[1].Name', DataType.STRING, 'STRING'],
      ['Motors[1].Bits', DataType.BYTES, 'BOOL[32]'],
    ]);
    expect((await listed(fixture, 'Motors[1].Bits')).at(-1)).to.deep.equal([
      'Motors[1].Bits[31]',
      DataType.BOOL,
      'BOOL',
    ]);
    expect((await listed(fixture, 'Grid'))[3]).to.deep.equal(['Grid[1,1]', DataType.INT16, 'INT']);
    expect((await listed(fixture, 'T1')).map((entry) => (entry as string[])[0])).to.include('T1.ACC');
    expect(await listed(fixture, 'Speed')).to.deep.equal([]);
    expect((await page(fixture, { id: 'Grid' })).isArray).to.equal(true);
  });

  it('lists what can be read under the id of its entry', async () => {
    await using fixture = await openFixture(program);
    for (const id of ['', 'Program:Main', 'Motors', 'Motors[0]', 'Flags', 'T1']) {
      const entries = (await page(fixture, { id })).entries.filter(({ readable }) => readable);
      const points = pointsOf(...entries.map((entry) => [entry.id, entry.type as DataType] as const));
      const values = await fixture.read(points);
      expect(
        values.filter((value) => isFault(value)),
        id,
      ).to.deep.equal([]);
    }
  });

  it('gives 20 000 tags in pages, read from the controller once', async function () {
    this.timeout(60_000);
    await using fixture = await openFixture((device) =>
      device.add(...Array.from({ length: 20_000 }, (_, at) => tag(`Tag_${at}`, 'DINT'))),
    );
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const answer = await page(fixture, { id: '', ...(cursor !== undefined && { cursor }) });
      expect(answer.total).to.equal(20_000);
      names.push(...answer.entries.map(({ name }) => name));
      cursor = answer.cursor;
      pages++;
    } while (cursor !== undefined && pages < 100);
    expect(pages).to.equal(40);
    expect(names).to.deep.equal(Array.from({ length: 20_000 }, (_, at) => `Tag_${at}`));
    const lists = fixture.simulator.requests.filter((request) => request[0] === 0x55);
    expect(new Set(lists.map((request) => request.toString('hex'))).size).to.equal(lists.length);
  });

  it('lists the variables of an NJ or NX in pages, with what a read says of them', async () => {
    await using fixture = await openFixture((device) => {
      device.identity = { vendor: 0x2f, name: 'NJ501-1300' };
      device.route = undefined;
      device.add(
        tag('Länge', 'INT'),
        tag('Speed', 'LREAL'),
        tag('Motor', motor),
        tag('Closed', 'INT', { access: 3 }),
      );
      for (let at = 0; at < 150; at++) device.add(tag(`v${at}`, 'BOOL'));
    });
    const first = await page(fixture, { id: '' });
    expect(
      first.entries.slice(0, 4).map(({ id, type, description }) => [id, type, description]),
    ).to.deep.equal([
      ['Länge', DataType.INT16, 'INT'],
      ['Speed', DataType.DOUBLE, 'LREAL'],
      ['Motor', DataType.BYTES, 'structure'],
      [
        'Closed',
        0,
        'the privilege is missing: the tag may be read-only or a constant, or the access from outside is switched off (status 0x0F)',
      ],
    ]);
    const second = await page(fixture, { id: '', cursor: first.cursor as string });
    expect([first.entries.length, second.entries.length, second.cursor]).to.deep.equal([100, 54, undefined]);
    expect(second.entries.at(-1)).to.include({ id: 'v149', type: DataType.BOOL });
    expect(
      await fixture.readings(pointsOf(['Länge', DataType.INT16], ['v149', DataType.BOOL])),
    ).to.deep.equal([0, 0]);
  });

  it('opens structures of an NJ or NX, also within each other, and says why one is not described', async () => {
    await using fixture = await openFixture((device) => {
      device.identity = { vendor: 0x2f, name: 'NJ501-1300' };
      device.route = undefined;
      device.add(tag('Motor', motor), tag('Level', 'INT'), tag('Secret', motor), tag('Broken', motor));
      device.variables.set('Motor', variableObject(0xa2, 10));
      device.variables.set('Level', variableObject(0xc3, 0));
      device.variables.set('Broken', variableObject(0xa2, 99));
      device.types.set(10, typeObject({ type: 0xa2, name: 'MotorType', nested: 11 }));
      device.types.set(11, typeObject({ type: 0xcb, name: 'Speed', next: 12 }));
      device.types.set(
        12,
        typeObject({ type: 0xa3, element: 0xc4, sizes: [3, 4], name: 'Counts', next: 13 }),
      );
      device.types.set(13, typeObject({ type: 0xa2, name: 'Gear', next: 14, nested: 20 }));
      device.types.set(14, typeObject({ type: 0xd0, name: 'Länge' }));
      device.types.set(20, typeObject({ type: 0xc1, name: 'On' }));
      device.types.set(99, Buffer.alloc(9));
    });
    expect(await listed(fixture, 'Motor')).to.deep.equal([
      ['Motor.Speed', DataType.DOUBLE, 'LREAL'],
      ['Motor.Counts', DataType.BYTES, 'DINT[3,4]'],
      ['Motor.Gear', DataType.BYTES, 'structure'],
      ['Motor.Länge', DataType.STRING, 'STRING'],
    ]);
    expect(await listed(fixture, 'Motor.Gear')).to.deep.equal([['Motor.Gear.On', DataType.BOOL, 'BOOL']]);
    for (const id of ['Level', 'Motor.Speed', 'Motor.Counts'])
      expect((await page(fixture, { id })).entries, id).to.deep.equal([]);
    for (const id of ['Secret', 'Broken', 'Absent', 'Motor.Gone', 'Motor[1]']) {
      const fault = await page(fixture, { id }).catch((error: unknown) => error);
      expect((fault as Fault).code, id).to.equal(ErrorCode.READ_FAILED);
    }
    expect(fixture.link).to.equal(LinkState.CONNECTED);
    const many = fixture.simulator.types;
    for (let at = 1000; at < 1230; at++)
      many.set(at, typeObject({ type: 0xc3, name: `m${at}`, next: at === 1229 ? 0 : at + 1 }));
    many.set(10, typeObject({ type: 0xa2, name: 'MotorType', nested: 1000 }));
    const first = await page(fixture, { id: 'Motor' });
    const second = await page(fixture, { id: 'Motor', cursor: first.cursor as string });
    const third = await page(fixture, { id: 'Motor', cursor: second.cursor as string });
    expect([first, second, third].map(({ entries }) => entries.length)).to.deep.equal([100, 100, 30]);
    expect(third.cursor).to.equal(undefined);
    expect(third.entries.at(-1)?.id).to.equal('Motor.m1229');
  });

  it('shows another list when the program has changed', async () => {
    await using fixture = await openFixture(program);
    await listed(fixture, '');
    fixture.simulator.download(tag('Only', 'INT'));
    expect(await listed(fixture, '')).to.deep.equal([['Only', DataType.INT16, 'INT']]);
  });

  it('says that a controller lists nothing, and refuses a place that is not there', async () => {
    await using fixture = await openFixture(program);
    for (const id of [
      'Absent',
      'Motors[2]',
      'Motors.On',
      'Speed.x',
      'Program:None',
      'Motors[x]',
      '[',
      'secret',
    ]) {
      const error = await page(fixture, { id }).catch((reason: unknown) => reason);
      expect(isFault(error) && error.code, id).to.equal(ErrorCode.READ_FAILED);
    }
    fixture.simulator.manners.lists = false;
    fixture.simulator.download(tag('a', 'INT'));
    const error = await page(fixture, { id: '' }).catch((reason: unknown) => reason);
    expect((error as Error).message).to.match(/does not list its tags: give the names/);
  });
});

/** What an NJ or NX says of a variable (service 01 at its name). */
function variableObject(type: number, typeInstance: number): Buffer {
  const data = Buffer.alloc(12);
  data[4] = type;
  data.writeUInt32LE(typeInstance, 8);
  return data;
}

interface TypeParts {
  readonly type: number;
  readonly name: string;
  readonly element?: number;
  readonly sizes?: readonly number[];
  readonly next?: number;
  readonly nested?: number;
}

/** What it says of a type or of a member (service 01 at class 6C). */
function typeObject({ type, name, element = 0, sizes = [], next = 0, nested = 0 }: TypeParts): Buffer {
  const text = Buffer.from(name);
  const head = Buffer.alloc(16 + 4 * sizes.length);
  head.set([type, element, sizes.length], 5);
  sizes.forEach((size, index) => head.writeUInt32LE(size, 8 + 4 * index));
  const tail = Buffer.alloc(8 + 4 * sizes.length);
  tail.writeUInt32LE(next, 0);
  tail.writeUInt32LE(nested, 4);
  const pad = Buffer.alloc(text.length % 2 === 0 ? 1 : 0);
  return Buffer.concat([head, Buffer.of(text.length), text, pad, tail]);
}
