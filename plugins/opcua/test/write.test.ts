import { expect } from 'chai';
import { DataType, type Write } from '@tagway/sdk';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

const { INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, FLOAT, DOUBLE, BIT, BOOL, STRING } =
  DataType;

describe('writing to an OPC UA server', function () {
  this.timeout(30_000);
  let server: Server;
  let fixture: Fixture;

  before(async () => {
    server = await Server.start({ limit: 5 });
    fixture = await Fixture.connected({ url: server.url });
  });
  after(async () => {
    await fixture?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const write = async (
    ...rows: readonly (readonly [string, DataType, Write['value']])[]
  ): Promise<unknown> => {
    const points = pointsOf(...rows.map(([address, type]) => [address, type] as const));
    const writes = rows.map(([, , value], index) => ({ point: points[index]!, value }));
    return fixture.write(writes.map(({ point, value }) => [point, value] as const));
  };

  it('sends every type as the server has it, several in one call, in more requests than one', async () => {
    const result = await write(
      ['1!SByte', INT8, 127],
      ['1!Byte', UINT8, 1],
      ['1!Int16', INT16, 32_767],
      ['1!UInt16', UINT16, 2],
      ['1!Int32', INT32, -3],
      ['1!UInt32', UINT32, 4_000_000_000],
      ['1!Int64', INT64, -2n],
      ['1!UInt64', UINT64, 0xffff_ffff_0000_0001n],
      ['1!Float', FLOAT, 0.25],
      ['1!Double', DOUBLE, 1e300],
      ['1!Boolean', BOOL, false],
      ['1!String', STRING, 'ß'],
      ['1!DateTime', UINT32, 1_800_000_000],
    );
    expect(result).to.deep.equal(new Array(13).fill(0));
    const names = [
      'SByte',
      'Byte',
      'Int16',
      'UInt16',
      'Int32',
      'UInt32',
      'Int64',
      'UInt64',
      'Float',
      'Double',
    ];
    expect(await Promise.all(names.map((name) => server.get(name)))).to.deep.equal([
      ...[127, 1, 32_767, 2, -3, 4_000_000_000, [0xffff_ffff, 0xffff_fffe], [0xffff_ffff, 1], 0.25, 1e300],
    ]);
    expect([await server.get('Boolean'), await server.get('String')]).to.deep.equal([false, 'ß']);
    expect(await server.get('DateTime')).to.deep.equal(new Date(1_800_000_000_000));
    expect(await write(['1!Boolean', BIT, 1])).to.deep.equal([0]);
    expect(await server.get('Boolean')).to.equal(true);
  });

  it('writes one element of an array or a matrix and leaves the others', async () => {
    const result = await write(
      ['1[1]!Int32Array', INT32, 21],
      ['1[0]!StringArray', STRING, 'A'],
      ['1[0]!UInt64Array', UINT64, 0xffff_ffff_ffff_ffffn],
    );
    expect(result).to.deep.equal([0, 0, 0]);
    expect([...((await server.get('Int32Array')) as number[])]).to.deep.equal([10, 21, 30]);
    expect(await server.get('StringArray')).to.deep.equal(['A', 'b']);
    const [first] = (await server.get('UInt64Array')) as [unknown];
    expect(first).to.deep.equal([0xffff_ffff, 0xffff_ffff]);
  });

  it('says of each write alone what is wrong with it', async () => {
    const result = await write(
      ['1!Int32', INT16, 1],
      ['1!Int32', UINT32, 1],
      ['1!Int32', STRING, '1'],
      ['1!LocalizedText', STRING, 'no'],
      ['1!ReadOnly', INT32, 1],
      ['1!Missing', INT32, 1],
      ['1[7]!Int32Array', INT32, 1],
      ['1!Int32', INT32, 44],
    );
    expect(result).to.deep.equal([3007, 3007, 3007, 3004, 3004, 3001, 3001, 0]);
    expect(await server.get('Int32')).to.equal(44);
  });
});
