import { withTshark, Dissection } from '@tagway/testkit';
import { Quality } from '@tagway/sdk';
import { expect } from 'chai';
import {
  asduOf,
  commandAt,
  descriptorOf,
  elementOf,
  informationFrame,
  isCommandType,
  supervisoryFrame,
  UnitWriter,
  unnumberedFrame,
} from '../src/index.ts';
import { decodeWithScapy, hasScapy } from './kit/index.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** Thursday 29 February 2024, 23:59:58.765, and its octets after 7.2.6.18. */
const time = Date.UTC(2024, 1, 29, 23, 59, 58, 765);
const timeOctets = '8d e5 3b 17 9d 02 18';

/**
 * Elements after IEC 60870-5-101, 7.2.6 and 7.3.1: type without and with time, value, descriptor, octets, the field of tshark and what it shows.
 * A bit string is shown by tshark in the order of sending.
 */
const reports: readonly (readonly [
  plain: number,
  timed: number,
  value: number,
  descriptor: number,
  octets: string,
  field: string,
  shown: string,
])[] = [
  [1, 30, 1, 0xf0, 'f1', 'siq.spi', 'True'],
  [3, 31, 2, 0x80, '82', 'diq.dpi', '2'],
  [5, 32, -64, 0x01, '40 01', 'vti.v', '-64'],
  [7, 33, 0x8403_0201, 0x10, '01 02 03 84 10', 'bitstring', '0x01020384'],
  [9, 34, -0.5, 0x20, '00 c0 20', 'normval', '-0.5'],
  [9, 34, 1, 0, 'ff 7f 00', 'normval', '0.999969'],
  [11, 35, -1000, 0x40, '18 fc 40', 'scalval', '-1000'],
  [13, 36, -10, 0xf1, '00 00 20 c1 f1', 'float', '-10'],
  [15, 37, -2, 0xa3, 'fe ff ff ff a3', 'bcr.count', '-2'],
];

/** Elements of commands, after 7.2.6.15 and following: type without time, octets, value, selection, qualifier. */
const commands: readonly (readonly [
  type: number,
  octets: string,
  value: number,
  isSelection: boolean,
  qualifier: number,
])[] = [
  [45, '81', 1, true, 0],
  [45, '04', 0, false, 1],
  [46, '02', 2, false, 0],
  [46, '8d', 1, true, 3],
  [47, '0a', 2, false, 2],
  [48, '00 c0 00', -0.5, false, 0],
  [49, 'd4 fe 80', -300, true, 0],
  [50, '00 00 a2 41 05', 20.25, false, 5],
  [51, '01 00 00 80', 0x8000_0001, false, 0],
];

const causes = [1, 2, 3, 5, 11, 12, 20, 21, 36, 37, 41];

/** Units of every type of the table, with and without time, for one cause. */
function unitsFor(cause: number): Buffer[] {
  const units: Buffer[] = [];
  const writer = new UnitWriter(0, (asdu) => units.push(asdu));
  for (const [plain, timed, value, descriptor] of reports) {
    for (const type of [plain, timed]) {
      writer.add(type, cause, 0x1234, { object: 0x56789a, value, descriptor, time, isTimeInvalid: false });
      writer.flush();
    }
  }
  return units;
}

const framesOf = (units: readonly Buffer[]): Buffer[] =>
  units.map((unit, index) => informationFrame(index, index + 1, unit));

/** Every frame that a station or a control centre sends, beside the reports. */
const others = [
  ...[0x07, 0x0b, 0x13, 0x23, 0x43, 0x83].map(unnumberedFrame),
  supervisoryFrame(32_767),
  ...commands.flatMap(([type, octets]) =>
    [6, 7, 8, 9, 10, 0x47, 0x6c, 0x6f].flatMap((cause) => [
      informationFrame(0, 0, asduOf(type, 1, 5, hex(octets), cause)),
      informationFrame(0, 0, asduOf(type + 13, 1, 5, hex(`${octets} ${timeOctets}`), cause)),
    ]),
  ),
  ...(
    [
      [70, '00', 4],
      [100, '14', 6],
      [100, '14', 7],
      [100, '24', 10],
      [101, '45', 6],
      [102, '', 5],
      [103, timeOctets, 7],
      [105, '01', 0x47],
      [107, `34 12 ${timeOctets}`, 7],
    ] as const
  ).map(([type, octets, cause]) => informationFrame(0, 0, asduOf(type, 1, 0, hex(octets), cause))),
];

describe('units of data', () => {
  it('have the octets of the standard, for every type and cause', () => {
    for (const cause of causes) {
      const units = unitsFor(cause).values();
      for (const [plain, timed, , , octets] of reports) {
        const head = (type: number): Buffer => Buffer.from([type, 1, cause, 0, 0x34, 0x12, 0x9a, 0x78, 0x56]);
        expect(units.next().value, `${plain}`).to.deep.equal(Buffer.concat([head(plain), hex(octets)]));
        expect(units.next().value, `${timed}`).to.deep.equal(
          Buffer.concat([head(timed), hex(`${octets} ${timeOctets}`)]),
        );
      }
    }
  });

  it('are read as they were written', () => {
    for (const [plain, timed, value, , octets] of reports) {
      for (const type of [plain, timed]) {
        const element = elementOf(type);
        const bytes = hex(type === plain ? octets : `${octets} ${timeOctets}`);
        expect(element?.size, `${type}`).to.equal(bytes.length);
        expect(element?.valueAt(bytes, 0)).to.be.closeTo(value, 1 / 32_768);
      }
    }
  });

  it('have as many objects as fit and as their order allows', () => {
    const units: Buffer[] = [];
    const writer = new UnitWriter(0, (asdu) => units.push(asdu));
    const add = (type: number, cause: number, ca: number, object: number): void =>
      writer.add(type, cause, ca, { object, value: 0, descriptor: 0, time, isTimeInvalid: false });
    for (let object = 1; object <= 100; object++) add(1, 20, 1, object);
    for (let object = 1; object <= 20; object++) add(36, 3, 1, object);
    add(36, 11, 1, 1);
    add(36, 11, 2, 1);
    writer.flush();
    writer.flush();
    expect(units.map((unit) => [unit[0], unit[1], unit[2], unit[4]])).to.deep.equal([
      [1, 60, 20, 1],
      [1, 40, 20, 1],
      [36, 16, 3, 1],
      [36, 4, 3, 1],
      [36, 1, 11, 1],
      [36, 1, 11, 2],
    ]);
    for (const unit of units) expect(unit.length).to.be.lessThan(250);
  });

  it('mark a time as invalid that is not to be trusted, or that there is none of', () => {
    const units: Buffer[] = [];
    const writer = new UnitWriter(480, (asdu) => units.push(asdu));
    for (const [at, isTimeInvalid] of [
      [time, true],
      [NaN, false],
    ] as const) {
      writer.add(30, 3, 1, { object: 1, value: 0, descriptor: 0, time: at, isTimeInvalid });
      writer.flush();
    }
    expect(units[0]?.subarray(10)).to.deep.equal(hex('8d e5 bb 07 a1 03 18'));
    expect(units[1]![12]! & 0x80).to.equal(0x80);
  });

  it('have the quality of the standard', () => {
    expect(descriptorOf(0, false)).to.equal(0);
    expect(descriptorOf(0, true)).to.equal(0x80);
    const {
      STALE,
      SUBSTITUTED,
      BLOCKED,
      OVERFLOW,
      UNCERTAIN,
      OVERRIDDEN,
      OUT_OF_SERVICE,
      ALARM,
      TIME_INVALID,
    } = Quality;
    const octets = [
      STALE,
      SUBSTITUTED,
      BLOCKED,
      OVERFLOW,
      UNCERTAIN,
      OVERRIDDEN,
      OUT_OF_SERVICE,
      ALARM,
      TIME_INVALID,
    ];
    expect(octets.map((quality) => descriptorOf(quality, false))).to.deep.equal([
      0x40, 0x20, 0x10, 0x01, 0x40, 0x20, 0x10, 0, 0,
    ]);
  });

  it('of commands are understood, with time and without', () => {
    for (const [base, octets, value, isSelection, qualifier] of commands) {
      const element = hex(octets);
      const said = { base, value, isSelection, qualifier, timeAt: element.length };
      expect(commandAt(base, element, 0, element.length)).to.deep.equal({ ...said, hasTime: false });
      const timed = hex(`${octets} ${timeOctets}`);
      expect(commandAt(base + 13, timed, 0, timed.length)).to.deep.equal({ ...said, hasTime: true });
      expect(commandAt(base, timed, 0, timed.length), 'too long').to.equal(undefined);
      expect(commandAt(base + 13, element, 0, element.length), 'too short').to.equal(undefined);
    }
    const types = Array.from({ length: 256 }, (_, type) => type).filter(isCommandType);
    expect(types).to.deep.equal([45, 46, 47, 48, 49, 50, 51, 58, 59, 60, 61, 62, 63, 64]);
  });
});

describe(`scapy${hasScapy ? '' : ' (skipped: python3-scapy is not installed)'}`, function () {
  this.timeout(60_000);
  before(function () {
    if (!hasScapy) this.skip();
  });

  it('decodes every frame, and encodes it again to the same bytes', () => {
    const frames = [...causes.flatMap((cause) => framesOf(unitsFor(cause))), ...others];
    const decoded = decodeWithScapy(frames);
    expect(decoded.map(({ encoded }) => encoded)).to.deep.equal(frames.map((frame) => frame.toString('hex')));
    for (const [index, { kind, objects }] of decoded.entries()) {
      expect(kind, frames[index]!.toString('hex')).to.match(
        /^IEC104_(I_Message_SingleIOA|S_Message|U_Message)$/,
      );
      expect(objects.length).to.equal(kind === 'IEC104_I_Message_SingleIOA' ? 1 : 0);
      for (const object of objects) expect(object.kind).to.match(/^IEC104_IO_[MC]_.._[NT][A-F]_1_IOA$/);
    }
  });

  it('sees the causes, addresses and values that were meant', () => {
    const decoded = decodeWithScapy(framesOf(unitsFor(11)));
    const values = { 11: 'scaled_value', 13: 'scaled_value', 15: 'counter_value', 5: 'value' } as const;
    for (const [index, { fields, objects }] of decoded.entries()) {
      const [plain, timed, value] = reports[index >> 1]!;
      expect(fields).to.include({ type_id: index % 2 === 0 ? plain : timed, cot: 11, ack: 0, test: 0 });
      expect(fields).to.include({ common_asdu_address: 0x1234, tx_seq_num: index, rx_seq_num: index + 1 });
      expect(objects[0]?.fields).to.include({ information_object_address: 0x56789a });
      const name = values[plain as keyof typeof values];
      if (name !== undefined) expect(objects[0]?.fields[name], `${plain}`).to.equal(value);
      if (index % 2 === 1)
        expect(objects[0]?.fields).to.include({ sec_milli: 58_765, minutes: 59, hours: 23, year: 24 });
    }
  });
});

withTshark('tshark', () => {
  it('finds no fault in any frame, and sees the values that were meant', () => {
    const units = framesOf(unitsFor(3));
    const dissection = new Dissection(
      [...units, ...others].map((bytes) => ({ fromClient: false, bytes })),
      2404,
    );
    expect(dissection.malformed()).to.deep.equal([]);
    const fields = [...new Set(reports.map(([, , , , , field]) => `iec60870_asdu.${field}`))];
    const rows = dissection.fields(['iec60870_asdu.typeid', ...fields], 'iec60870_asdu.typeid < 45');
    for (const [index, [plain, timed, , , , field, shown]] of reports.entries()) {
      for (const [offset, type] of [plain, timed].entries()) {
        const row = rows[2 * index + offset]!;
        expect(row[0]).to.equal(String(type));
        const cell = row[1 + fields.indexOf(`iec60870_asdu.${field}`)];
        // A version of tshark shows what is true as 1.
        expect(field === 'siq.spi' ? cell?.replace('1', 'True') : cell, `${type}`).to.equal(shown);
      }
    }
  });
});
