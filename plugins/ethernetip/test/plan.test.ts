import { DataType, ErrorCode, type Point } from '@tagway/sdk';
import { pointsOf } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture, type Fixture } from './fixture.ts';
import { structure, tag } from './program.ts';

const messages = ({ simulator }: Fixture): number =>
  simulator.frames.filter(({ fromClient, bytes }) => fromClient && bytes.readUInt16LE(0) >= 0x6f).length;

/** The messages of one cycle, once lists and structures are read. */
async function cycle(
  fixture: Fixture,
  points: readonly Point[],
): Promise<{ count: number; values: unknown[] }> {
  await fixture.readings(points);
  const before = messages(fixture);
  const values = await fixture.readings(points);
  return { count: messages(fixture) - before, values };
}

describe('requests of a cycle', function () {
  this.timeout(60_000);

  it('10 000 DINT in ten arrays: at most 25 with 4002 bytes', async () => {
    await using fixture = await openFixture((device) => {
      for (let array = 0; array < 10; array++) {
        const one = tag(`Counts${array}`, 'DINT[1000]');
        for (let at = 0; at < 1000; at++) one.value.writeInt32LE(array * 1000 + at, 4 * at);
        device.add(one);
      }
    });
    const points = pointsOf(
      ...Array.from(
        { length: 10_000 },
        (_, at) => [`Counts${Math.floor(at / 1000)}[${at % 1000}]`, DataType.INT32] as const,
      ),
    );
    const { count, values } = await cycle(fixture, points);
    expect(values).to.deep.equal(Array.from({ length: 10_000 }, (_, at) => at));
    expect(count).to.be.at.most(25);
  });

  it('10 000 single tags: at most 400 with 4002 bytes, and twice as few by numbers as by names', async () => {
    const counts: number[] = [];
    for (const tag_list of [true, false]) {
      await using fixture = await openFixture(
        (device) => {
          for (let at = 0; at < 10_000; at++) {
            const one = tag(`Line4_Station_Value_${String(at).padStart(5, '0')}`, 'DINT');
            one.value.writeInt32LE(at);
            device.add(one);
          }
        },
        { tag_list, timeout: 3000 },
      );
      const points = pointsOf(
        ...Array.from(
          { length: 10_000 },
          (_, at) => [`Line4_Station_Value_${String(at).padStart(5, '0')}`, DataType.INT32] as const,
        ),
      );
      const { count, values } = await cycle(fixture, points);
      expect(values).to.deep.equal(Array.from({ length: 10_000 }, (_, at) => at));
      counts.push(count);
    }
    expect(counts[0]).to.be.at.most(400);
    expect(counts[1]).to.be.at.most(400);
    expect(counts[1]! / counts[0]!).to.be.above(2);
  });

  it('a structure is read once when many of its members are asked for, and its members when few are', async () => {
    const big = structure('Big', {
      A: 'DINT',
      B: 'DINT',
      C: 'DINT',
      D: 'DINT',
      E: 'REAL',
      On: 'BOOL',
      Rest: 'DINT[200]',
    });
    const small = structure('Small', { A: 'DINT', B: 'DINT', C: 'DINT', D: 'DINT', E: 'REAL', On: 'BOOL' });
    await using fixture = await openFixture((device) => {
      device.add(tag('big', big), tag('small', small));
      for (const [at, name] of ['big', 'small'].entries()) {
        const { value } = device.tag(name);
        for (let word = 0; word < 4; word++) value.writeInt32LE(100 * at + word, 4 * word);
        value[20] = 1;
      }
    });
    const of = (name: string): Point[] => [
      ...pointsOf(...['A', 'B', 'C', 'D'].map((member) => [`${name}.${member}`, DataType.INT32] as const)),
      ...pointsOf([`${name}.On`, DataType.BOOL]),
    ];
    for (const [name, reads, first] of [
      ['big', 5, 0],
      ['small', 1, 100],
    ] as const) {
      const points = Object.freeze(of(name));
      await fixture.readings(points);
      const before = fixture.simulator.count(0x4c);
      expect(await fixture.readings(points)).to.deep.equal([first, first + 1, first + 2, first + 3, 1]);
      expect(fixture.simulator.count(0x4c) - before, name).to.equal(reads);
    }
  });

  it('elements of an array of structures are read together', async () => {
    const item = structure('Item', { Id: 'DINT', Weight: 'REAL' });
    await using fixture = await openFixture((device) => {
      device.add(tag('items', item, { dimensions: [500] }));
      for (let at = 0; at < 500; at++) device.tag('items').value.writeInt32LE(at, at * 8);
    });
    const points = pointsOf(
      ...Array.from({ length: 500 }, (_, at) => [`items[${at}].Id`, DataType.INT32] as const),
    );
    const { count, values } = await cycle(fixture, points);
    expect(values).to.deep.equal(Array.from({ length: 500 }, (_, at) => at));
    // Two parts of the array, and the look at the program.
    expect(count).to.equal(3);
  });

  it('reads values that are larger than a message in parts', async () => {
    const huge = structure('Huge', { Data: 'SINT[9000]', Last: 'DINT' });
    for (const connection_size of [4002, 504, 0]) {
      await using fixture = await openFixture(
        (device) => {
          device.add(tag('huge', huge), tag('words', 'INT[5000]'));
          for (let at = 0; at < 9000; at++) device.tag('huge').value[at] = at % 251;
          for (let at = 0; at < 5000; at++) device.tag('words').value.writeInt16LE(at, 2 * at);
        },
        { connection_size },
      );
      const [whole, words] = (await fixture.readings(
        pointsOf(['huge', DataType.BYTES], ['words{5000}', DataType.BYTES]),
      )) as [Uint8Array, Uint8Array];
      expect(Buffer.compare(whole, fixture.simulator.tag('huge').value)).to.equal(0);
      expect(Buffer.compare(words, fixture.simulator.tag('words').value)).to.equal(0);
      expect(fixture.simulator.count(0x52), String(connection_size)).to.be.above(0);
    }
  });

  it('takes apart what the controller refuses as a whole, and remembers it', async () => {
    const item = structure('Mixed', { A: 'DINT', B: 'DINT', C: 'DINT' });
    await using fixture = await openFixture((device) => {
      device.add(tag('mixed', item, { bytes: '010000000200000003000000' }));
      // Structures with a member that is closed are not given as a whole.
      device.answering = (frame, request) => {
        const isWhole =
          device.requests.at(-1)?.toString('hex') ===
          `4c03206b2500${device
            .tag('mixed')
            .instance.toString(16)
            .padStart(4, '0')
            .replace(/(..)(..)/, '$2$1')}0100`;
        if (!isWhole || request.readUInt16LE(0) !== 0x70) return frame;
        const refused = Buffer.concat([frame.subarray(0, 46), Buffer.from([0xcc, 0, 0x0f, 0])]);
        refused.writeUInt16LE(refused.length - 24, 2);
        refused.writeUInt16LE(6, 42);
        return refused;
      };
    });
    const points = pointsOf(...['A', 'B', 'C'].map((member) => [`mixed.${member}`, DataType.INT32] as const));
    expect(await fixture.readings(points)).to.deep.equal([1, 2, 3]);
    const before = fixture.simulator.requests.length;
    expect(await fixture.readings(points)).to.deep.equal([1, 2, 3]);
    expect(fixture.simulator.requests.slice(before).map(([service]) => service)).to.deep.equal([
      0x4c, 0x4c, 0x4c, 3,
    ]);
  });

  it('a refused tag is left out, and asked again after a pause', async () => {
    await using fixture = await openFixture((device) => {
      device.add(tag('a', 'INT', { bytes: '0100' }), tag('bad', 'INT'), tag('c', 'INT', { bytes: '0300' }));
      device.refusals.set('bad', [0x0f]);
    });
    const points = pointsOf('a', 'bad', 'c');
    const refused = [1, { fault: ErrorCode.READ_FAILED }, 3];
    expect(await fixture.readings(points)).to.deep.equal(refused);
    const before = fixture.simulator.count(0x4c);
    expect(await fixture.readings(points)).to.deep.equal(refused);
    expect(fixture.simulator.count(0x4c) - before).to.equal(2);
    fixture.simulator.refusals.clear();
    fixture.record.clockOffset += 11_000;
    expect(await fixture.readings(points)).to.deep.equal([1, 0, 3]);
  });

  it('keeps to controllers that take one request at a time, and to replies that are too large', async () => {
    for (const manners of [{ packets: false }, { overflow: 'refuse' }, { large: false }] as const) {
      await using fixture = await openFixture((device) => {
        Object.assign(device.manners, manners);
        for (let at = 0; at < 300; at++)
          device.add(tag(`t${at}`, 'DINT', { bytes: (at % 256).toString(16).padStart(2, '0') }));
      });
      const points = pointsOf(...Array.from({ length: 300 }, (_, at) => [`t${at}`, DataType.INT32] as const));
      expect(await fixture.readings(points)).to.deep.equal(Array.from({ length: 300 }, (_, at) => at % 256));
    }
  });
});
