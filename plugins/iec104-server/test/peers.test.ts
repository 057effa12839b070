import { DataType, ErrorCode } from '@tagway/sdk';
import { decodeWithScapy, hasScapy } from '@tagway/iec104/test';
import { Dissection, until, withTshark } from '@tagway/testkit';
import { expect } from 'chai';
import { Centre, U } from './kit/centre.ts';
import { Station, tagsOf } from './kit/station.ts';

const { BIT, UINT8, INT8, UINT32, FLOAT, INT16 } = DataType;

type Wire = Centre['wire'];

/** A connection on which everything is asked for, reported, commanded and refused that there is. */
async function everything(): Promise<Wire> {
  const tags = tagsOf(BIT, UINT8, INT8, UINT32, FLOAT, INT16, FLOAT, UINT32);
  const monitored = [1, 3, 5, 7, 9, 11, 13, 15].flatMap((plain, index) => [
    `t${index},${plain},${plain * 100}`,
    `t${index},${index + 30},${plain * 100 + 1}`,
  ]);
  const commanded = [45, 46, 47, 48, 49, 50, 51].map((type, index) =>
    type < 48 ? `t${index},${type},${type}` : `t${[4, 5, 6, 3][type - 48]},${type},${type}`,
  );
  const table = ['tag,type,object', ...monitored, ...commanded].join('\n');
  await using station = await Station.start(tags, table, { t1: 2, t2: 1, t3: 1, w: 2 });
  const deliver = (value: number): Promise<void> =>
    station.deliver(Object.fromEntries(tags.map(({ name }) => [name, { value, quality: value * 2 }])));
  await deliver(0);
  await using centre = await Centre.start(station.port);
  centre.control(U.TEST);
  await deliver(1);
  await station.deliver(
    Object.fromEntries(tags.map(({ name }) => [name, { fault: ErrorCode.DISCONNECTED }])),
  );
  const ends = async (type: number, element: readonly number[]): Promise<void> => {
    const from = centre.units.length;
    centre.send(type, 6, 0, element);
    await centre.next('its end', ({ cause }) => cause === 10, from);
  };
  await ends(100, [20]);
  await ends(100, [25]);
  await ends(101, [0x45]);
  await ends(101, [0x05]);
  const time = [0x8d, 0xe5, 0x3b, 0x17, 0x9d, 0x02, 0x18];
  await centre.ask(103, 6, 0, time);
  await centre.ask(107, 6, 0, [1, 2, ...time]);
  await centre.ask(105, 6, 0, [1]);
  await centre.ask(104, 6, 0, [0xaa, 0x55]);
  centre.send(102, 5, 1301, []);
  const elements = new Map([
    [45, [1]],
    [46, [2]],
    [47, [1]],
    [48, [0, 0xc0, 0]],
    [49, [1, 0, 0]],
    [50, [0, 0, 0x20, 0xc1, 0]],
    [51, [1, 0, 0, 0x80]],
  ]);
  for (const [type, element] of elements) {
    const from = centre.units.length;
    centre.send(type, 6, type, element);
    await centre.next('its end', ({ cause }) => cause === 10, from);
    await centre.ask(type, 3, type, element);
    await centre.ask(type, 6, 9999, element);
    await centre.ask(type, 6, type, element, 99);
    await centre.ask(type, 8, type, element);
    await centre.ask(type + 13, 6, type, [...element, ...time]);
  }
  await until('it was tested', () => centre.controls.includes(U.TEST));
  centre.control(U.STOPDT);
  await until('it has stopped', () => centre.controls.includes(U.STOPPED));
  expect(centre.fault).to.equal('');
  return centre.wire;
}

describe('every frame of a station', function () {
  this.timeout(60_000);
  let wire: Wire;

  before(async () => (wire = await everything()));

  it(`scapy decodes, and encodes again to the same bytes${hasScapy ? '' : ' (skipped: python3-scapy is not installed)'}`, function () {
    if (!hasScapy) this.skip();
    const frames = wire.filter(({ isOurs }) => !isOurs).map(({ bytes }) => bytes);
    const decoded = decodeWithScapy(frames);
    expect(decoded.map(({ encoded }) => encoded)).to.deep.equal(frames.map((frame) => frame.toString('hex')));
    for (const [index, { kind, objects, fields }] of decoded.entries()) {
      expect(kind, frames[index]!.toString('hex')).to.match(
        /^IEC104_(I_Message_SingleIOA|S_Message|U_Message)$/,
      );
      // Type 104 is of IEC 60870-5-101 alone, and is mirrored in its refusal.
      if (fields['type_id'] === 104) continue;
      for (const object of objects) expect(object.kind).to.match(/^IEC104_IO_[MC]_.._[NT][A-F]_1_IOA$/);
    }
  });

  withTshark('with those of the control centre', () => {
    it('passes its dissector without a fault', () => {
      const dissection = new Dissection(
        wire.map(({ isOurs, bytes }) => ({ fromClient: isOurs, bytes })),
        2404,
      );
      expect(dissection.malformed()).to.deep.equal([]);
      const names = ['typeid', 'causetx', 'nega'].map((name) => `iec60870_asdu.${name}`);
      const rows = dissection.fields(names, 'iec60870_asdu && tcp.srcport == 2404');
      const seen = new Set(rows.map(([type, cause]) => `${type}/${cause}`));
      const events = Array.from({ length: 7 }, (_, index) => [
        `${index + 30}/3`,
        `${2 * index + 1}/3`,
      ]).flat();
      const states = [1, 3, 5, 7, 9, 11, 13].map((type) => `${type}/20`);
      const answers = Array.from({ length: 7 }, (_, index) =>
        [7, 9, 10, 45, 46, 47].map((cause) => `${index + 45}/${cause}`),
      ).flat();
      const others = [
        '15/37',
        '37/37',
        '36/5',
        '70/4',
        '100/7',
        '100/10',
        '101/7',
        '101/10',
        '103/7',
        '105/7',
        '107/7',
        '104/44',
      ];
      expect([...seen]).to.include.members([...events, ...states, ...answers, ...others]);
    });
  });
});
