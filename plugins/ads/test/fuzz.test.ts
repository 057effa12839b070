import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { DataType } from '@tagway/sdk';
import { FrameSplitter } from '@tagway/sdk/link';
import { expect } from 'chai';
import { mutate, pointsOf, randomOf, until } from '@tagway/testkit';
import { Command, frameLength, headerSize, maxFrame, parseResponse } from '../src/protocol.ts';
import { symbolEntryAt } from '../src/symbol-entry.ts';
import { parseSymbols, parseTypes } from '../src/symbol-list.ts';
import { member, symbolEntry, typeEntry, variable } from './program.ts';
import { openFixture, route } from './fixture.ts';

/** Answers of the simulated controller to real requests, one of each kind. */
async function realFrames(): Promise<Buffer[]> {
  await using fixture = await openFixture((device) =>
    device.add(variable('MAIN.a', 'INT', '0100'), variable('MAIN.t', 'STRING(5)', '41')),
  );
  const points = pointsOf(
    ['MAIN.a', DataType.INT16],
    ['MAIN.t', DataType.STRING],
    ['0x4020,0', DataType.DOUBLE],
    ['0x9999,0', DataType.INT16],
  );
  await fixture.readings(points);
  await fixture.written(points.slice(0, 1), [1]);
  return fixture.simulator.frames.filter((frame) => ((frame[24] as number) & 1) === 1);
}

describe('hostile bytes', () => {
  it('throw nothing in the framing: 4000 random and 4000 mutated frames, cut at random', async () => {
    const random = randomOf(20_250_101);
    const real = await realFrames();
    let frames = 0;
    const sink = {
      frame: (data: Buffer, at: number, end: number) => {
        frames++;
        expect(end - at).to.be.within(headerSize, maxFrame);
        parseResponse(route, data, at, end);
      },
      skipped: () => undefined,
      invalid: () => undefined,
    };
    for (let round = 0; round < 8000; round++) {
      const splitter = new FrameSplitter({ length: frameLength, most: maxFrame }, sink);
      const bytes =
        round < 4000
          ? Buffer.from(Array.from({ length: 1 + random(120) }, () => random(256)))
          : mutate(real[random(real.length)] as Buffer, random);
      if (round < 4000 && round % 2 === 0) bytes.fill(0, 0, Math.min(2, bytes.length));
      for (let at = 0; at < bytes.length;) {
        const size = 1 + random(bytes.length - at);
        const piece = Buffer.from(bytes.subarray(at, at + size));
        splitter.take(piece, piece.length);
        at += size;
      }
    }
    expect(frames).to.be.greaterThan(1000);
  });

  it('throw nothing in lists of symbols and types', () => {
    const random = randomOf(7);
    const symbols = Buffer.concat(
      [variable('MAIN.a', 'INT', '01'), variable('B', 'LREAL', '', 'c')].map(symbolEntry),
    );
    const types = typeEntry({
      name: 'ST',
      size: 3,
      dataType: 65,
      dimensions: [[1, 2]],
      members: [member('a', 'INT', 0)],
    });
    expect(parseSymbols(symbols)).to.have.lengthOf(2);
    expect(parseTypes(types)).to.have.lengthOf(1);
    for (let round = 0; round < 4000; round++) {
      const list = mutate(symbols, random);
      expect(parseSymbols(list).length).to.be.at.most(list.length / 30);
      symbolEntryAt(list, random(list.length + 1), list.length);
      parseTypes(mutate(types, random));
    }
  });

  it('harm no driver that polls: it recovers, and keeps nothing of them', async function () {
    this.timeout(30_000);
    const random = randomOf(99);
    const real = await realFrames();
    await using fixture = await openFixture((device) => device.add(variable('MAIN.a', 'INT', '0100')), {
      timeout: 500,
    });
    const points = pointsOf(['MAIN.a', DataType.INT16], ['0x4020,0', DataType.UINT16]);
    expect(await fixture.readings(points)).to.deep.equal([1, 0]);
    let answers = 0;
    let hurt = 0;
    fixture.simulator.answering = (answer, request) => {
      // Good answers between the bad ones have the driver come back at once.
      if (request.readUInt16LE(22) === Command.READ_STATE || answers++ % 4 < 3) return answer;
      hurt++;
      const bytes =
        hurt % 2 === 0
          ? Buffer.from(Array.from({ length: 1 + random(120) }, () => random(256)))
          : mutate(real[random(real.length)] as Buffer, random);
      return Buffer.concat([bytes, answer]);
    };
    await until('it was hurt often', async () => {
      await fixture.readings(points);
      return hurt >= 20;
    });
    fixture.simulator.answering = (answer) => answer;
    await until('values come', async () => (await fixture.readings(points))[0] === 1);
  });

  it('are kept no longer than the largest frame', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      // A frame that claims to be larger than any.
      socket.write(Buffer.from('0000ffffffff', 'hex'));
      socket.write(Buffer.alloc(100_000, 1));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await using fixture = await openFixture(undefined, { port: (server.address() as AddressInfo).port });
    await until('the driver hangs up', () => (fixture.record.counts.get('malformed_frames') ?? 0) > 0);
    server.close();
  });
});
