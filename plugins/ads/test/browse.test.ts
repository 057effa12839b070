import { DataType, ErrorCode, isFault, type BrowsePage, type BrowseRequest } from '@tagway/sdk';
import { expect } from 'chai';
import { callOf, pointsOf } from '@tagway/testkit';
import { IndexGroup } from '../src/protocol.ts';
import { member, variable } from './program.ts';
import { openFixture, type Fixture } from './fixture.ts';
import type { Simulator } from './simulator.ts';

/** A program with a structure, an array of structures, an alias and a global variable of TwinCAT 2. */
function program(device: Simulator): void {
  device.add(
    variable('MAIN.speed', 'LREAL', '0000000000000440', 'rpm'),
    variable('MAIN.title', 'STRING(10)', '48'),
    variable('MAIN.motors', 'ARRAY [1..2] OF ST_Motor', '010000000200000003000000'.repeat(1)),
    variable('MAIN.grid', 'ARRAY [0..1,-1..0] OF INT', '0100020003000400'),
    variable('GVL.deep.down', 'INT', '0500'),
    variable('.old', 'BOOL', '01'),
  );
  device.types.push(
    { name: 'INT', size: 2, dataType: 2 },
    { name: 'LREAL', size: 8, dataType: 5 },
    {
      name: 'ST_Motor',
      size: 6,
      dataType: 65,
      members: [member('on', 'BOOL', 0), member('current', 'REAL', 2)],
    },
    { name: 'ARRAY [1..2] OF ST_Motor', type: 'ST_Motor', size: 12, dataType: 65, dimensions: [[1, 2]] },
    {
      name: 'ARRAY [0..1,-1..0] OF INT',
      type: 'INT',
      size: 8,
      dataType: 2,
      dimensions: [
        [0, 2],
        [-1, 2],
      ],
    },
  );
}

const page = async (fixture: Fixture, request: BrowseRequest): Promise<BrowsePage> => {
  const answer = await fixture.driver.browse?.(request, callOf('demand'));
  if (answer === undefined) throw new Error('The driver cannot browse.');
  return answer;
};

const listed = async (fixture: Fixture, id: string): Promise<unknown[]> =>
  (await page(fixture, { id })).entries.map((entry) => [entry.id, entry.type]);

describe('browsing', () => {
  it('lists names by their parts, members of structures and elements of arrays', async () => {
    await using fixture = await openFixture(program);
    expect(await listed(fixture, '')).to.deep.equal([
      ['MAIN', 0],
      ['GVL', 0],
      ['.old', DataType.BOOL],
    ]);
    expect(await listed(fixture, 'MAIN')).to.deep.equal([
      ['MAIN.speed', DataType.DOUBLE],
      ['MAIN.title', DataType.STRING],
      ['MAIN.motors', DataType.BYTES],
      ['MAIN.grid', DataType.BYTES],
    ]);
    expect(await listed(fixture, 'MAIN.motors')).to.deep.equal([
      ['MAIN.motors[1]', DataType.BYTES],
      ['MAIN.motors[2]', DataType.BYTES],
    ]);
    expect(await listed(fixture, 'MAIN.motors[2]')).to.deep.equal([
      ['MAIN.motors[2].on', DataType.BOOL],
      ['MAIN.motors[2].current', DataType.FLOAT],
    ]);
    expect(await listed(fixture, 'MAIN.grid')).to.deep.equal(
      ['[0,-1]', '[0,0]', '[1,-1]', '[1,0]'].map((place) => [`MAIN.grid${place}`, DataType.INT16]),
    );
    expect(await listed(fixture, 'GVL')).to.deep.equal([['GVL.deep', 0]]);
    expect(await listed(fixture, 'MAIN.speed')).to.deep.equal([]);
    expect((await page(fixture, { id: 'MAIN.motors[1].current' })).type).to.equal(DataType.FLOAT);
    expect((await page(fixture, { id: 'MAIN.grid' })).isArray).to.equal(true);
    const [speed] = (await page(fixture, { id: 'MAIN' })).entries;
    expect(speed).to.include({ name: 'speed', readable: true, description: 'LREAL: rpm' });
    expect(fixture.simulator.requests(2, IndexGroup.SYMBOL_UPLOAD), 'uploads').to.have.lengthOf(1);
  });

  it('lists what can be read under the id of its entry', async () => {
    await using fixture = await openFixture(program);
    const { entries } = await page(fixture, { id: 'MAIN' });
    const points = pointsOf(...entries.map(({ id, type }) => [id, type as DataType] as const));
    const [speed, title, ...bytes] = await fixture.readings(points);
    expect([speed, title]).to.deep.equal([2.5, 'H']);
    expect(bytes.every((value) => value instanceof Uint8Array)).to.equal(true);
  });

  it('lists a program of TwinCAT 2, which tells of no types', async () => {
    await using fixture = await openFixture((device) => {
      program(device);
      device.errors.set(`${IndexGroup.SYMBOL_AND_TYPE_COUNT},0`, 0x701);
    });
    expect(await listed(fixture, 'GVL.deep')).to.deep.equal([['GVL.deep.down', DataType.INT16]]);
    expect(await listed(fixture, 'MAIN.motors')).to.deep.equal([]);
  });

  it('gives long lists in pages, and another list when the program has changed', async () => {
    await using fixture = await openFixture((device) =>
      device.add(...Array.from({ length: 1100 }, (_, i) => variable(`MAIN.v${i}`, 'INT', ''))),
    );
    const names: string[] = [];
    const cursors: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const answer = await page(fixture, { id: 'MAIN', ...(cursor !== undefined && { cursor }) });
      expect(answer.total).to.equal(1100);
      names.push(...answer.entries.map(({ name }) => name));
      cursors.push((cursor = answer.cursor));
    } while (cursor !== undefined && cursors.length < 5);
    expect(names).to.deep.equal(Array.from({ length: 1100 }, (_, i) => `v${i}`));
    expect(cursors).to.deep.equal(['500', '1000', undefined]);
    fixture.simulator.reload(variable('MAIN.only', 'INT', ''));
    expect(await listed(fixture, 'MAIN')).to.deep.equal([['MAIN.only', DataType.INT16]]);
  });

  it('refuses a place that is not there', async () => {
    await using fixture = await openFixture(program);
    for (const id of [
      'MAIN.absent',
      'MAIN.motors[3]',
      'MAIN.motors[x]',
      'MAIN.speed.x',
      'Nothing',
      '[',
      'MAIN.grid[0]',
    ]) {
      const error = await page(fixture, { id }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(isFault(error) && error.code, id).to.equal(ErrorCode.READ_FAILED);
    }
  });
});
