import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

const { INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, FLOAT, DOUBLE, BIT, BOOL, STRING } =
  DataType;

describe('reading an OPC UA server', function () {
  this.timeout(30_000);
  let server: Server;
  let fixture: Fixture;

  before(async () => {
    server = await Server.start({ counting: 250, limit: 7 });
    fixture = await Fixture.connected({ url: server.url });
  });
  after(async () => {
    await fixture?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('gives every scalar type in the form of its tag, 64 bits exactly', async () => {
    const points = pointsOf(
      ['1!SByte', INT8],
      ['1!Byte', UINT8],
      ['1!Int16', INT16],
      ['1!UInt16', UINT16],
      ['1!Int32', INT32],
      ['1!UInt32', UINT32],
      ['1!Int64', INT64],
      ['1!UInt64', UINT64],
      ['1!Float', FLOAT],
      ['1!Double', DOUBLE],
      ['1!Boolean', BOOL],
      ['1!Boolean', BIT],
      ['1!String', STRING],
      ['1!LocalizedText', STRING],
      ['1!DateTime', UINT32],
    );
    const min = -0x8000_0000_0000_0000n;
    const max = 0xffff_ffff_ffff_ffffn;
    expect(await fixture.read(points)).to.deep.equal([
      ...[-128, 255, -32_768, 65_535, -2_147_483_648, 4_294_967_295, min, max, 1.5, 0.1],
      ...[1, 1, 'zwölf', 'valve', 1_700_000_000],
    ]);
    await server.set('Int64', [0x7fff_ffff, 0xffff_ffff]);
    expect(await fixture.read(pointsOf(['1!Int64', INT64]))).to.deep.equal([0x7fff_ffff_ffff_ffffn]);
    await server.set('Int64', [0xffff_ffff, 0xffff_ffff]);
    expect(await fixture.read(pointsOf(['1!Int64', INT64]))).to.deep.equal([-1n]);
  });

  it('finds nodes by number, by text and by GUID, and the server by namespace 0', async () => {
    const points = pointsOf(
      ['1!1001', INT32],
      ['1!0F3A0E4C-9B1D-4C3E-8A55-0123456789AB', INT32],
      ['1!0f3a0e4c-9b1d-4c3e-8a55-0123456789ab', INT32],
      ['0!2259', INT32],
    );
    expect(await fixture.read(points)).to.deep.equal([7, 8, 8, 0]);
  });

  it('takes one element of an array or a matrix by its index', async () => {
    const points = pointsOf(
      ['1[0]!Int32Array', INT32],
      ['1[2]!Int32Array', INT32],
      ['1[1]!StringArray', STRING],
      ['1[1]!UInt64Array', UINT64],
      ['1[1,2]!Matrix', DOUBLE],
      ['1[0,1]!Matrix', DOUBLE],
    );
    expect(await fixture.read(points)).to.deep.equal([10, 30, 'b', 0xffff_ffff_ffff_fffen, 12, 1]);
  });

  it('costs a point that fails that point alone: 3000 for a bad status, 3007 for another type', async () => {
    const points = pointsOf(
      ['1!Int32', INT16],
      ['1!UInt32', INT32],
      ['1!Int32', BIT],
      ['1!Int32Array', INT32],
      ['1[0]!Int32Array', UINT32],
      ['1!ByteString', STRING],
      ['1!Early', UINT32],
      ['1!Missing', INT32],
      ['9!Missing', INT32],
      ['1!Broken', INT32],
      ['1[9]!Int32Array', INT32],
      ['1!Machines', INT32],
      ['1!Int32', INT32],
    );
    expect(await fixture.read(points)).to.deep.equal([
      ...[3007, 3007, 3007, 3007, 3007, 3007, 3020],
      ...[3000, 3000, 3000, 3000, 3000, -2_147_483_648],
    ]);
  });

  it('keeps to the number of nodes that the server takes at once', async () => {
    const points = pointsOf(
      ...Array.from({ length: 249 }, (_, index) => [`1!tag${index + 1}`, INT16] as const),
    );
    expect(await fixture.read(points)).to.deep.equal(Array.from({ length: 249 }, (_, index) => index + 1));
  });

  it('reads one point of a test read, and nothing of none', async () => {
    expect(await fixture.read(pointsOf(['1!Double', DOUBLE]))).to.deep.equal([0.1]);
    expect(await fixture.read(pointsOf())).to.deep.equal([]);
  });
});
