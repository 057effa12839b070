import { expect } from 'chai';
import { frameLength, memoryFrame, nodeRequest, nodesOf, endCodeOf, Service } from '../src/protocol.ts';
import { blameOf } from '@tagway/plc-words';
import { refusal } from '../src/faults.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const nodes = { client: 0xef, server: 0x0a };
const target = { network: 0, node: 0, unit: 0 };

describe('frames', () => {
  it('ask for node addresses as the manual has it', () => {
    expect(nodeRequest(0)).to.deep.equal(hex('46494E53 0000000C 00000000 00000000 00000000'));
    const reply = hex('46494E53 00000010 00000001 00000000 000000EF 0000000A');
    expect(nodesOf(reply)).to.deep.equal(nodes);
    expect(nodesOf(reply.subarray(0, 20))).to.equal(undefined);
  });

  it('read words as a capture has it that was dissected by others', () => {
    const request = { service: Service.READ, area: 0x82, start: 200, bit: 0, count: 3 };
    expect(memoryFrame(nodes, target, 2, request)).to.deep.equal(
      hex('46494E53 0000001A 00000002 00000000 80 00 02 00 0A 00 00 EF 00 02 0101 82 00C8 00 0003'),
    );
  });

  it('write bits with their word and their number, to another node as well', () => {
    const request = { service: Service.WRITE, area: 0x02, start: 10, bit: 5, count: 1, data: Buffer.of(1) };
    expect(memoryFrame(nodes, { network: 1, node: 7, unit: 0x10 }, 255, request)).to.deep.equal(
      hex('46494E53 0000001B 00000002 00000000 80 00 02 01 07 10 00 EF 00 FF 0102 02 000A 05 0001 01'),
    );
  });

  it('are found by their length, and nothing else is', () => {
    const frame = nodeRequest(0);
    for (let end = 1; end < 8; end++) expect(frameLength(frame, 0, end), `${end} bytes`).to.equal(0);
    expect(frameLength(frame, 0, 8)).to.equal(20);
    expect(frameLength(hex('46494E'), 0, 3)).to.equal(0);
    expect(frameLength(hex('47'), 0, 1)).to.equal(-1);
    expect(frameLength(hex('46494E53 00000007'), 0, 8), 'shorter than its header').to.equal(-1);
    expect(frameLength(hex('46494E53 00100000'), 0, 8), 'longer than any frame').to.equal(-1);
  });

  it('have end codes without the flags of the CPU unit', () => {
    const reply = (endCode: string): Buffer =>
      hex(`46494E53 00000016 00000002 00000000 C0 00 02 00 EF 00 00 0A 00 01 0101 ${endCode}`);
    expect(endCodeOf(reply('0000'))).to.equal(0);
    expect(endCodeOf(reply('00C0')), 'fatal and non-fatal error of the CPU unit').to.equal(0);
    expect(endCodeOf(reply('9143')), 'relayed').to.equal(0x1103);
  });

  it("have faults with the family's codes", () => {
    const codes: readonly (readonly [endCode: number, code: number])[] = [
      [0x0001, 10_501],
      [0x0101, 10_502],
      [0x0205, 10_503],
      [0x0301, 10_504],
      [0x0401, 10_505],
      [0x0501, 10_506],
      [0x1001, 10_507],
      [0x1103, 10_508],
      [0x2002, 10_509],
      [0x2101, 10_510],
      [0x2201, 10_511],
      [0x2301, 10_512],
      [0x2401, 10_513],
      [0x2502, 10_514],
      [0x2601, 10_515],
      [0x3001, 10_516],
      [0x4001, 10_517],
      [0x7701, 10_501],
    ];
    for (const [endCode, code] of codes) {
      expect(refusal(endCode).code, endCode.toString(16)).to.equal(code);
      expect(refusal(endCode)).to.equal(refusal(endCode));
    }
    expect(blameOf(refusal(0x110b))).to.equal('size');
    expect(blameOf(refusal(0x1103))).to.equal('place');
    expect(blameOf(refusal(0x0205)), 'no single place is to blame').to.equal(undefined);
  });
});
