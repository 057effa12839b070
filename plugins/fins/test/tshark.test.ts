import { expect } from 'chai';
import { Attribute, DataType } from '@tagway/sdk';
import { Dissection, hasTshark, pointsOf, readings, written } from '@tagway/testkit';
import { openFixture } from './fixture.ts';

/** The port by which tshark knows FINS. */
const port = 9600;

const dissectionOf = (frames: readonly Buffer[], fromClient: boolean): Dissection =>
  new Dissection(
    frames.map((bytes) => ({ fromClient, bytes })),
    port,
  );

const title = hasTshark
  ? 'finds nothing malformed in any frame, and in each what was meant'
  : 'finds nothing malformed in any frame (skipped: tshark is not installed)';

describe('tshark', function () {
  this.timeout(30_000);

  (hasTshark ? it : it.skip)(title, async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    const areas = ['CIO', 'W', 'H', 'A', 'D', 'P', ...'0123456789ABC'.split('').map((bank) => `EM${bank}W`)];
    await readings(driver, pointsOf(...areas.map((area) => `${area}7`), ['F3', DataType.UINT8]));
    const write = (address: string, type: DataType, value: number) => ({
      point: { name: 'tag', address, type, attribute: Attribute.WRITE },
      value,
    });
    await written(driver, [
      write('D200', DataType.FLOAT, 1.5),
      write('D300.5', DataType.BIT, 1),
      write('W300.5', DataType.BIT, 1),
    ]);
    const { requests, answers } = simulator;
    expect(requests).to.have.length(areas.length + 5);
    for (const frames of [requests, answers]) {
      const dissection = dissectionOf(frames, frames === requests);
      expect(dissection.malformed()).to.deep.equal([]);
      const fields = dissection.fields(['omron.tcp.magic', 'omron.tcp.command', 'omron.command']);
      expect(fields).to.have.length(frames.length);
      expect(fields[0]?.slice(0, 2), 'the handshake').to.deep.equal([
        '0x46494e53',
        frames === requests ? '0x00000000' : '0x00000001',
      ]);
      expect(new Set(fields.slice(1).map(([, command]) => command))).to.deep.equal(new Set(['0x00000002']));
    }
    const dissected = dissectionOf(requests, true).fields([
      'omron.command',
      'omron.da1',
      'omron.sa1',
      'omron.memory.area.read',
      'omron.memory.address',
      'omron.memory.address.bits',
      'omron.memory.numitems',
    ]);
    expect(dissected.slice(1).map(([command]) => command)).to.deep.equal([
      ...Array.from({ length: areas.length + 1 }, () => '0x0101'),
      ...['0x0102', '0x0102', '0x0102'],
    ]);
    for (const [, server, client] of dissected.slice(1))
      expect([server, client]).to.deep.equal(['0x0a', '0xef']);
    const places = dissected.slice(1).map((fields) => fields.slice(3).join(' '));
    const banks = Array.from({ length: 13 }, (_, bank) => `0x${(0xa0 + bank).toString(16)}`);
    const codes = ['0x82', '0x89', ...banks, '0xb0', '0xb1', '0xb2', '0xb3'];
    expect(places.slice(0, -3), 'a flag, then words').to.deep.equal([
      '0x09 0x0003 0x00 1',
      ...codes.map((code) => `${code} 0x0007 0x00 1`),
    ]);
    expect(places.slice(-3), 'a word code and two bit codes').to.deep.equal([
      '0x82 0x00c8 0x00 2',
      '0x02 0x012c 0x05 1',
      '0x31 0x012c 0x05 1',
    ]);
  });
});
