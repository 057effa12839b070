import { expect } from 'chai';
import {
  Command,
  frameLength,
  IndexGroup,
  netIdOf,
  parseResponse,
  readData,
  readWriteData,
  requestFrame,
  writeData,
  type Route,
} from '../src/protocol.ts';

const route: Route = {
  target: { netId: netIdOf('5.23.91.10.1.1'), port: 851 },
  source: { netId: netIdOf('192.168.1.10.1.1'), port: 32_905 },
};
const hex = (data: Buffer): string => data.toString('hex');
const ends = '05175b0a01015303' + 'c0a8010a01018980';

describe('frames', () => {
  it('are built as AMS over TCP lays them out, the low byte first', () => {
    expect(hex(requestFrame(route, Command.READ_STATE, 1, Buffer.alloc(0)))).to.equal(
      `000020000000${ends}0400040000000000` + '0000000001000000',
    );
    expect(hex(requestFrame(route, Command.READ, 0x0102, readData(0x4020, 500, 4)))).to.equal(
      `00002c000000${ends}020004000c0000000000000002010000` + '20400000f401000004000000',
    );
    expect(hex(writeData(0x4020, 1, Buffer.from('abcd', 'hex')))).to.equal('204000000100000002000000abcd');
    expect(hex(readWriteData(IndexGroup.HANDLE_BY_NAME, 0, 4, Buffer.from('A\0')))).to.equal(
      '03f000000000000004000000020000004100',
    );
  });

  it('have a length as soon as it can be known', () => {
    const frame = requestFrame(route, Command.READ, 7, readData(1, 2, 3));
    for (let end = 1; end < 6; end++) expect(frameLength(frame, 0, end), `${end} bytes`).to.equal(0);
    for (let end = 6; end <= frame.length; end++) expect(frameLength(frame, 0, end)).to.equal(frame.length);
    for (const bytes of ['01', '0010', '0000ffffffff', '00001f000000'])
      expect(frameLength(Buffer.from(bytes, 'hex'), 0, bytes.length / 2), bytes).to.equal(-1);
  });

  it('are told from those of others, and from those that contradict themselves', () => {
    const answer = Buffer.from(
      `000024000000c0a8010a0101898005175b0a01015303` + '0300050004000000' + '0000000007000000' + '00000000',
      'hex',
    );
    expect(parseResponse(route, answer, 0, answer.length)).to.deep.equal({ id: 7, command: 3, error: 0 });
    const change = (at: number, value: number): ReturnType<typeof parseResponse> => {
      const other = Buffer.from(answer);
      other[at] = value;
      return parseResponse(route, other, 0, other.length);
    };
    for (const [at, value] of [
      [6, 1],
      [12, 1],
      [24, 4],
    ] as const)
      expect(change(at, value), `byte ${at}`).to.equal('foreign');
    expect(change(26, 5)).to.equal(undefined);
    expect(change(30, 7)).to.deep.equal({ id: 7, command: 3, error: 7 });
  });
});
