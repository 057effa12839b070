import { Attribute, DataType, ErrorCode, LinkState } from '@tagway/schemas';
import { Fault, type Driver, type Value, type Write } from '@tagway/sdk';
import type { RunnerTag, SampleData } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { meterRow, MeterRows } from '../../src/internal/meters/meter-table.ts';
import { DriverFixture, Script, shown } from './fixture.ts';
import { group, settled, tag } from './harness.ts';

const plain = [tag('a', '1'), tag('b', '2'), tag('c', '3')];
const confirms: Driver['write'] = async (writes, into) => {
  for (const index of writes.keys()) into.done(index);
};
const writeTo = ({ name, address, type, attribute }: RunnerTag, value: Value): Write => ({
  point: { name, address, type, attribute },
  value,
});

/** Since the last time: what was sent for the cache alone, and what apps get too. */
function sent(fixture: DriverFixture): { forCache: SampleData[]; forAll: string[] } {
  const forCache = fixture.sent.flatMap((message) =>
    message.op === 'sample' && message.sample.forCache === true ? [message.sample] : [],
  );
  const forAll = fixture.samples().flatMap((sample) => (sample.rows === undefined ? [shown(sample)] : []));
  return { forCache, forAll };
}

/** Answers the latest read, from the first point on. */
function answer(script: Script, ...values: number[]): void {
  const { into, resolve } = script.reads.at(-1)!;
  values.forEach((value, index) => into.number(index, value));
  resolve();
}

describe('a value that a device has confirmed', () => {
  it('is on its way to the cache before the write is answered, also while a long reading is under way', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of({ ...script.polling, write: confirms }, [
      group(1, 1000, plain),
    ]);
    await fixture.pass(1000);
    fixture.samples();
    expect(await fixture.node.write([writeTo(plain[1]!, 20)])).to.deep.equal([]);
    const { forCache, forAll } = sent(fixture);
    expect(forAll).to.deep.equal([]);
    const [written] = forCache;
    expect(forCache).to.have.length(1);
    expect([...(written?.rows ?? [])]).to.deep.equal([1]);
    expect([...(written?.numbers ?? [])]).to.deep.equal([20]);
    expect([...(written?.timestamps ?? [])]).to.deep.equal([fixture.clock.now()]);
    expect(written?.qualities).to.equal(undefined);
  });

  it('wins over a reading that began before it, and a reading that began later wins over it', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of({ ...script.polling, write: confirms }, [
      group(1, 1000, plain),
    ]);
    await fixture.pass(1000);
    await fixture.node.write([writeTo(plain[1]!, 20)]);
    answer(script, 1, 2, 3);
    await fixture.pass(1000);
    expect(sent(fixture).forAll).to.deep.equal(['1 20 3']);
    answer(script, 1, 2, 3);
    await fixture.pass(1000);
    expect(sent(fixture).forAll).to.deep.equal(['1 2 3']);
  });

  it('is not confirmed before the device says so: a reading that begins while the write is under way counts as older', async () => {
    const script = new Script();
    const { promise, resolve } = Promise.withResolvers<void>();
    const write: Driver['write'] = async (_writes, into) => {
      await promise;
      into.done(0);
      into.fault(1, new Fault(ErrorCode.WRITE_FAILED));
    };
    await using fixture = await DriverFixture.of({ ...script.polling, write }, [group(1, 1000, plain)]);
    const writing = fixture.node.write([writeTo(plain[0]!, 10), writeTo(plain[1]!, 20)]);
    await fixture.pass(1000);
    resolve();
    await writing;
    answer(script, 1, 2, 3);
    await settled();
    expect(sent(fixture).forAll, 'the write that failed changes nothing').to.deep.equal(['10 2 3']);
  });

  it('is that of every tag with this address, as each shows it', async () => {
    const writeOnly = tag('command', '1', { attribute: Attribute.WRITE });
    const scaled = tag('scaled', '1', { decimal: 0.1, bias: 5, precision: 1 });
    const other = tag('other', '1', { type: DataType.UINT32 });
    const script = new Script();
    await using fixture = await DriverFixture.of({ ...script.polling, write: confirms }, [
      group(1, 1000, [plain[0]!, scaled, other]),
      group(2, 1000, [tag('beside', '1')]),
    ]);
    await fixture.node.write([writeTo(writeOnly, 7)]);
    const numbers = sent(fixture).forCache.map((sample) => [...sample.numbers]);
    expect(numbers).to.deep.equal([[7, 5.7], [7]]);
  });

  it('may be of any type', async () => {
    const tags = [
      tag('bool', '1', { type: DataType.BOOL }),
      tag('long', '2', { type: DataType.UINT64 }),
      tag('text', '3', { type: DataType.STRING }),
      tag('bytes', '4', { type: DataType.BYTES }),
    ];
    const script = new Script();
    await using fixture = await DriverFixture.of({ ...script.polling, write: confirms }, [
      group(1, 1000, tags),
    ]);
    await fixture.pass(1000);
    const values = [true, 2n ** 63n, 'on', Uint8Array.of(1, 2)];
    await fixture.node.write(tags.map((one, index) => writeTo(one, values[index]!)));
    script.reads[0]?.resolve();
    await settled();
    expect(sent(fixture).forAll).to.deep.equal(['true 9223372036854775808 on 1,2']);
  });

  it('does not survive the loss of the link', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of({ ...script.polling, write: confirms }, [
      group(1, 1000, plain),
    ]);
    fixture.link(LinkState.CONNECTED);
    await fixture.pass(1000);
    await fixture.node.write([writeTo(plain[1]!, 20)]);
    fixture.link(LinkState.DISCONNECTED, { reason: 'The cable is cut.' });
    script.reads[0]?.reject(new Fault(ErrorCode.DISCONNECTED));
    await settled();
    expect(sent(fixture).forAll).to.deep.equal(['!3002 !3002 !3002', '!3002 !3002 !3002']);
  });

  it('is read back where the device pushes: a device need not take what was written', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of({ ...script.pushing, write: confirms }, [
      group(1, 1_000_000, plain),
    ]);
    script.push(1, 2, 3);
    const writing = fixture.node.write([writeTo(plain[1]!, 20)]);
    await settled();
    expect(script.reads.map(({ points }) => points.map(({ name }) => name))).to.deep.equal([['b']]);
    answer(script, 19);
    await writing;
    expect(sent(fixture).forCache.map(({ rows, numbers }) => [rows?.[0], numbers[0]])).to.deep.equal([
      [1, 19],
    ]);
    const writes = [plain[0]!, plain[2]!].map((one) => fixture.node.write([writeTo(one, 5)]));
    await settled();
    expect(script.reads, 'writes at the same time share a reading').to.have.length(2);
    const later = fixture.node.write([writeTo(plain[1]!, 6)]);
    answer(script, 5, 5);
    await Promise.all(writes);
    await settled();
    expect(script.reads.map(({ points }) => points.map(({ name }) => name).join())).to.deep.equal([
      ...['b', 'a,c', 'b'],
    ]);
    answer(script, 6);
    await later;
    const asked = fixture.node.poll(1);
    await settled();
    script.reads.at(-1)?.resolve();
    await asked;
    expect(sent(fixture).forAll, 'the rest of what was pushed stays').to.deep.equal(['5 6 5']);
  });

  it('is not waited for longer than a second where the device pushes and answers no read', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of({ ...script.pushing, write: confirms }, [
      group(1, 1_000_000, plain),
    ]);
    script.push(1, 2, 3);
    let isAnswered = false;
    const writing = fixture.node.write([writeTo(plain[1]!, 20)]).then(() => (isAnswered = true));
    await fixture.pass(900);
    expect(isAnswered).to.equal(false);
    await fixture.pass(200);
    expect(isAnswered).to.equal(true);
    script.push(1, 20);
    answer(script, 2);
    await writing;
    await settled();
    expect(
      sent(fixture).forCache.map(({ numbers }) => numbers[0]),
      'a push is newer',
    ).to.deep.equal([20]);
  });

  it('of a tag that the driver polls beside what it pushes is there at once', async () => {
    const script = new Script();
    script.polled = [1];
    await using fixture = await DriverFixture.of({ ...script.pushing, write: confirms }, [
      group(1, 1000, plain),
    ]);
    script.push(1, 0, 3);
    await fixture.pass(1000);
    await fixture.node.write([writeTo(plain[1]!, 20)]);
    expect(script.reads).to.have.length(1);
    expect(sent(fixture).forCache.map(({ numbers }) => numbers[0])).to.deep.equal([20]);
    answer(script, 2);
    await settled();
    expect(sent(fixture).forAll).to.deep.equal(['1 20 3']);
  });
});

describe('a group that cannot keep its interval', () => {
  it('says so once in the log, and in its state until it keeps it again', async () => {
    let takes = 250;
    const fixture: DriverFixture = new DriverFixture({ read: () => fixture.clock.sleep(takes) });
    await using _fixture = fixture;
    await fixture.node.start();
    fixture.set(group(1, 100, plain));
    const state = (): unknown => {
      const table = new MeterRows();
      fixture.node.context.takeMeters(table);
      const index = table.table?.names.findIndex(({ name }) => name === 'group_slow') ?? -1;
      const rows = table.table?.rows ?? [];
      for (let at = 0; at < rows.length; at += meterRow.length)
        if (rows[at + meterRow.name] === index) return rows[at + meterRow.value];
      return undefined;
    };
    const lines = (): string[] => fixture.logged.filter((line) => line.includes('interval'));
    await fixture.pass(700, 10);
    expect(lines(), 'two slow readings may be a hiccup').to.deep.equal([]);
    expect(state()).to.equal(0);
    await fixture.pass(5000, 10);
    expect(lines()).to.have.length(1);
    expect(lines()[0]).to.match(
      /^The group "group 1" cannot keep its interval of 100 ms: .* 3 tags takes 2[0-9]+ ms\./,
    );
    expect(state()).to.equal(1);
    takes = 10;
    await fixture.pass(2000, 10);
    expect(state()).to.equal(0);
    takes = 250;
    await fixture.pass(5000, 10);
    expect(state()).to.equal(1);
    expect(lines()).to.have.length(1);
    fixture.set(group(1, 200, plain));
    await fixture.pass(5000, 10);
    expect(lines(), 'another interval is another matter').to.have.length(2);
  });
});
