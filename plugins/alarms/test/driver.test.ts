import { expect } from 'chai';
import fc from 'fast-check';
import { DataType, Fault, type Context, type TransitionOf } from '@tagway/sdk';
import { fakeStore } from '@tagway/testkit';
import { Alarms } from './fixture.ts';

const { BIT, BOOL, INT64, STRING, UINT8, UINT32 } = DataType;
const x = 'tag("n/g/x")';
const high = `high(${x}, 90)`;

/** A store that a test holds back or lets fail. */
class HeldStore {
  readonly inner = fakeStore();
  readonly journal: TransitionOf[] = [];
  writes = 0;
  fails = false;
  /** Writes wait for it. */
  held: Promise<void> | undefined;

  readonly store: Context['store'] = {
    read: () => this.inner.read(),
    write: async (entries, transitions = []) => {
      this.writes++;
      await this.held;
      if (this.fails) throw new Error('The disk is full.');
      await this.inner.write(entries);
      this.journal.push(...transitions);
    },
  };
}

describe('The driver', () => {
  it('shows an alarm in every type, and takes commands by each tag that is a text', async () => {
    const alarms = (await Alarms.start()).group(
      ['alarm("tag3")', BIT],
      ['alarm("tag3")', UINT8],
      [high, STRING],
      ['alarm("tag3")', INT64],
      ['alarm("tag3")', BOOL],
      ['alarm("tag3")', STRING],
      ['alarm("tag3")', UINT32],
    );
    await alarms.arrive({ 'n/g/x': 95 });
    expect(await alarms.tick()).to.deep.equal([1, 1, 'unacknowledged', 1n, 1, 'unacknowledged', 1]);
    expect(await alarms.writeTo([5, 'acknowledge'])).to.deep.equal(['done']);
    expect(await alarms.tick()).to.deep.equal([1, 2, 'acknowledged', 2n, 1, 'acknowledged', 2]);
    expect(await alarms.writeTo([2, 'shelve 60: the sensor is being exchanged'])).to.deep.equal(['done']);
    expect(await alarms.tick()).to.deep.equal([0, 6, 'shelved', 6n, 0, 'shelved', 6]);
  });

  it('a tag that shows nothing has a fault of its own', async () => {
    const alarms = (await Alarms.start()).group(high, 'alarm("nothing")', 'alarm("tag2")');
    alarms.inputs['n/g/x'] = 5;
    const [first, second, third] = await alarms.tick();
    expect(first).to.equal('normal');
    expect(second).to.include('There is no tag "nothing" in this group that defines an alarm');
    expect(third).to.include('There is no tag "tag2" in this group that defines an alarm');
    expect((await alarms.writeTo([1, 'acknowledge']))[0]).to.include('There is no tag "nothing"');
  });

  it('stores only what new values are about', async () => {
    const alarms = (await Alarms.start()).group(high, 'high(tag("n/g/y"), 5)');
    alarms.inputs['n/g/y'] = 1;
    await alarms.arrive({ 'n/g/x': 5 });
    expect([...alarms.last.outcomes.keys()]).to.deep.equal([0]);
  });

  const refused: readonly (readonly [command: string, sentence: string])[] = [
    ['', 'This is no command.'],
    ['acknowledged', 'This is no command.'],
    ['acknowledge:without a space', 'This is no command.'],
    ['shelve', 'This is no command.'],
    ['shelve 0', 'An alarm of this node can be shelved for 1 to 28800 seconds.'],
    ['shelve 28801', 'An alarm of this node can be shelved for 1 to 28800 seconds.'],
    ['shelve 1.5', 'This is no command.'],
    [`acknowledge: ${'a'.repeat(501)}`, 'The comment is too long: 500 characters are the most.'],
    ['reset', 'The alarm is normal: there is nothing to reset.'],
    ['unshelve', 'The alarm is normal: there is no shelf to end.'],
  ];
  for (const [command, sentence] of refused)
    it(`refuses "${command.slice(0, 30)}" and changes nothing`, async () => {
      const alarms = (await Alarms.start()).group(high);
      await alarms.arrive({ 'n/g/x': 5 });
      expect((await alarms.write(command))[0]).to.include(sentence);
      expect(await alarms.tick()).to.deep.equal(['normal']);
    });

  it('a command before the group was read is refused', async () => {
    const alarms = (await Alarms.start()).group(high);
    expect((await alarms.write('acknowledge'))[0]).to.include('was not read yet');
  });

  it('several commands of one call happen in their order', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90, latching: true)`);
    await alarms.arrive({ 'n/g/x': 95 });
    await alarms.arrive({ 'n/g/x': 5 });
    expect(await alarms.write('acknowledge', 'reset', 'reset')).to.deep.equal([
      'done',
      'done',
      'The alarm is normal: there is nothing to reset.',
    ]);
  });

  it('a shelf ends at its time, and one for once when the condition returns', async () => {
    const alarms = (await Alarms.start()).group(high);
    await alarms.arrive({ 'n/g/x': 95 });
    await alarms.write('shelve 60');
    expect(await alarms.tick(59.9)).to.deep.equal(['shelved']);
    expect(await alarms.tick(0.1)).to.deep.equal(['unacknowledged']);
    await alarms.write('shelve once');
    expect(await alarms.arrive({ 'n/g/x': 95 })).to.equal('shelved');
    expect(await alarms.arrive({ 'n/g/x': 5 })).to.equal('returned');
  });

  it('a test read shows what a new alarm would be, and leaves the running ones as they are', async () => {
    const alarms = (await Alarms.start()).group(high);
    await alarms.arrive({ 'n/g/x': 95 });
    await alarms.write('acknowledge');
    expect(await alarms.test(high)).to.equal('unacknowledged');
    expect(await alarms.test('alarm("tag1")')).to.include('once the tag is added');
    expect(await alarms.tick()).to.deep.equal(['acknowledged']);
  });

  it('states, shelves and occurrences go on in the next run; delays begin anew', async () => {
    const { store } = new HeldStore();
    const tags = [high, `high(${x}, 90, on: 5)`, `low(${x}, 90)`];
    const first = (await Alarms.start({ store })).group(...tags);
    await first.arrive({ 'n/g/x': 95 });
    await first.tick(4);
    await first.write('acknowledge');
    await first.writeTo([2, 'shelve 600']);
    await first.driver.stop();
    const second = (await Alarms.start({ store })).group(...tags);
    second.now = first.now + 1000;
    const [acknowledged, unknown, shelved] = await second.tick();
    expect([acknowledged, shelved]).to.deep.equal(['acknowledged', 'shelved']);
    expect(unknown).to.include('There is no tag "n/g/x"');
    await second.arrive({ 'n/g/x': 95 });
    expect(await second.tick(4)).to.deep.equal(['acknowledged', 'normal', 'shelved']);
    expect(await second.tick(1)).to.deep.equal(['acknowledged', 'unacknowledged', 'shelved']);
    expect(await second.tick(600)).to.deep.equal(['acknowledged', 'unacknowledged', 'normal']);
  });

  it('a command is done only when its state is stored', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(high);
    await alarms.arrive({ 'n/g/x': 95 });
    const { promise, resolve } = Promise.withResolvers<void>();
    held.held = promise;
    let isDone = false;
    const written = alarms.write('acknowledge').then((results) => {
      isDone = true;
      return results;
    });
    expect(await alarms.tick()).to.deep.equal(['unacknowledged']);
    expect(isDone).to.equal(false);
    resolve();
    expect(await written).to.deep.equal(['done']);
    expect(await alarms.tick()).to.deep.equal(['acknowledged']);
  });

  it('a command that cannot be stored is refused and changes nothing; conditions go on, and are stored later', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(high, `low(${x}, 10)`);
    await alarms.arrive({ 'n/g/x': 95 });
    held.fails = true;
    expect((await alarms.write('acknowledge'))[0]).to.include('could not be stored');
    expect(await alarms.arrive({ 'n/g/x': 5 })).to.equal('returned');
    await alarms.tick();
    await alarms.write('acknowledge');
    expect(alarms.logs.filter((line) => line.includes('could not be stored'))).to.have.length(1);
    held.fails = false;
    await alarms.tick();
    await alarms.driver.stop();
    const next = (await Alarms.start({ store: held.store })).group(high, `low(${x}, 10)`);
    next.inputs['n/g/x'] = 5;
    expect(await next.tick()).to.deep.equal(['returned', 'unacknowledged']);
  });

  it('a condition that changes while a command is stored is not lost, and neither is the command', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(high);
    await alarms.arrive({ 'n/g/x': 95 });
    const { promise, resolve } = Promise.withResolvers<void>();
    held.held = promise;
    const written = alarms.write('acknowledge');
    await new Promise(setImmediate);
    expect(await alarms.arrive({ 'n/g/x': 5 })).to.equal('unacknowledged');
    resolve();
    expect(await written).to.deep.equal(['done']);
    expect(await alarms.tick()).to.deep.equal(['normal']);
    await alarms.driver.stop();
    expect(
      [...(await held.inner.read()).values()].map((text) => (JSON.parse(text) as number[])[0]),
    ).to.deep.equal([0]);
  });

  it('an acknowledgement that is stored while a new occurrence begins is not counted for that', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(high);
    await alarms.arrive({ 'n/g/x': 95 });
    const { promise, resolve } = Promise.withResolvers<void>();
    held.held = promise;
    const written = alarms.write('acknowledge');
    await new Promise(setImmediate);
    await alarms.arrive({ 'n/g/x': 5 });
    await alarms.arrive({ 'n/g/x': 95 });
    resolve();
    expect(await written).to.deep.equal(['done']);
    expect(await alarms.tick()).to.deep.equal(['unacknowledged']);
    expect(held.journal.map(({ to }) => to)).to.deep.equal([
      'unacknowledged',
      'acknowledged',
      'normal',
      'unacknowledged',
    ]);
  });

  it('each transition is recorded once, in order, with what was known at its time', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(
      `high(${x}, 90, priority: high, text: "x is " + fixed(${x}, 1))`,
    );
    await alarms.arrive({ 'n/g/x': 95 });
    const begun = alarms.now;
    await alarms.write('acknowledge: seen');
    await alarms.arrive({ 'n/g/x': 80 });
    await alarms.driver.stop();
    const [point] = alarms.points;
    const common = { point, limit: 90, priority: 'high' };
    expect(held.journal).to.deep.equal([
      {
        ...common,
        time: begun,
        from: 'normal',
        to: 'unacknowledged',
        cause: 'condition',
        value: 95,
        text: 'x is 95.0',
      },
      {
        ...common,
        time: begun,
        from: 'unacknowledged',
        to: 'acknowledged',
        cause: 'acknowledge',
        value: 95,
        text: 'x is 95.0',
        by: { kind: 'user', name: 'eva' },
        comment: 'seen',
      },
      {
        ...common,
        time: begun + 1000,
        from: 'acknowledged',
        to: 'normal',
        cause: 'condition',
        value: 80,
        text: 'x is 80.0',
      },
    ]);
  });

  it('what happens beneath a shelf is not recorded, but that the shelf ends', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(high);
    await alarms.arrive({ 'n/g/x': 5 });
    await alarms.write('shelve 60');
    await alarms.arrive({ 'n/g/x': 95 });
    await alarms.arrive({ 'n/g/x': 5 });
    await alarms.tick(60);
    await alarms.driver.stop();
    expect(held.journal.map(({ cause, from, to }) => [cause, from, to])).to.deep.equal([
      ['shelve', 'normal', 'shelved'],
      ['end of shelf', 'shelved', 'returned'],
    ]);
  });

  it('a comment is recorded and changes nothing, and a shelf with its end', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(high);
    await alarms.arrive({ 'n/g/x': 95 });
    await alarms.write('comment: a pump: again');
    await alarms.write('shelve once');
    await alarms.write('comment: until Monday');
    expect((await alarms.write('comment'))[0]).to.include('A comment has a text');
    await alarms.driver.stop();
    expect(
      held.journal.map(({ cause, from, to, comment, shelf }) => [cause, from, to, comment, shelf?.once]),
    ).to.deep.equal([
      ['condition', 'normal', 'unacknowledged', undefined, undefined],
      ['comment', 'unacknowledged', 'unacknowledged', 'a pump: again', undefined],
      ['shelve', 'unacknowledged', 'shelved', undefined, true],
      ['comment', 'shelved', 'shelved', 'until Monday', true],
    ]);
    expect(held.journal[2]?.shelf?.until).to.equal(held.journal[3]?.shelf?.until);
  });

  it('a text that cannot be calculated says why', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(
      `high(${x}, 90, text: "y is " + fixed(tag("n/g/y"), 1))`,
    );
    const lost = new Fault(3002, '"n/g/y" has no value: the device is gone.');
    await alarms.arrive({ 'n/g/x': 95, 'n/g/y': lost });
    await alarms.driver.stop();
    expect(held.journal.map(({ text }) => text)).to.deep.equal(['"n/g/y" has no value: the device is gone.']);
  });

  it('while nothing can be stored, what waits has a bound: the oldest is not recorded, and counted', async () => {
    const held = new HeldStore();
    const counts = new Map<string, number>();
    const count = (name: string, add: number): void => void counts.set(name, (counts.get(name) ?? 0) + add);
    const alarms = (await Alarms.start({ store: held.store, count })).group(
      ...Array.from({ length: 1000 }, (_, index) => `high(${x}, ${index + 1}, acknowledge: false)`),
    );
    held.fails = true;
    for (let round = 0; round < 51; round++) await alarms.arrive({ 'n/g/x': round % 2 === 0 ? 2000 : 0 });
    expect(counts.get('lost_transitions_total')).to.equal(1000);
    expect(alarms.logs.filter((line) => line.includes('will not be in the journal'))).to.have.length(1);
    held.fails = false;
    await alarms.tick();
    await alarms.driver.stop();
    expect(held.journal).to.have.length(50_000);
    expect(held.journal[0]).to.include({ from: 'acknowledged', to: 'normal' });
    const next = (await Alarms.start({ store: held.store })).group(high);
    expect(await next.tick()).to.deep.equal(['acknowledged']);
  });

  it('gathers transitions: one write an evaluation, and up to a thousand while one is under way', async () => {
    const held = new HeldStore();
    const alarms = (await Alarms.start({ store: held.store })).group(
      ...Array.from({ length: 500 }, (_, index) => `high(${x}, ${index})`),
    );
    await alarms.arrive({ 'n/g/x': 1000 });
    await new Promise(setImmediate);
    expect(held.writes).to.equal(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    held.held = promise;
    for (let round = 0; round < 100; round++) await alarms.arrive({ 'n/g/x': round % 2 === 0 ? -1 : 1000 });
    resolve();
    await alarms.driver.stop();
    expect(held.writes).to.be.at.most(53);
  });

  it('random samples and commands with a kill at any moment: what was done is there, nothing twice', async () => {
    const step = fc.oneof(
      fc.record({ sample: fc.constantFrom(5, 95) }),
      fc.record({
        command: fc.constantFrom(
          'acknowledge',
          'reset',
          'shelve 60',
          'unshelve',
          'out of service',
          'in service',
        ),
      }),
      fc.record({ kill: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 30 }), async (isLatching, steps) => {
        const { store } = new HeldStore();
        const definition = `high(${x}, 90, latching: ${isLatching})`;
        let alarms = (await Alarms.start({ store })).group(definition);
        const stored = async (): Promise<readonly number[]> =>
          JSON.parse([...(await store.read()).values()][0] ?? '[0,0,0,0,0]') as number[];
        let sample = 5;
        await alarms.arrive({ 'n/g/x': sample });
        for (const one of steps) {
          const [, , occurrence] = await stored();
          if ('sample' in one) await alarms.arrive({ 'n/g/x': (sample = one.sample) });
          else if ('command' in one) {
            const [result] = await alarms.write(one.command);
            const shown = await alarms.tick(0);
            if (result === 'done' && one.command === 'out of service')
              expect(shown).to.deep.equal(['out of service']);
          } else {
            await new Promise(setImmediate);
            const before = await alarms.tick(0);
            // No stop: what was in memory alone is gone.
            const { now } = alarms;
            alarms = (await Alarms.start({ store })).group(definition);
            alarms.now = now;
            alarms.inputs['n/g/x'] = sample;
            expect(await alarms.tick(0)).to.deep.equal(before);
          }
          await new Promise(setImmediate);
          expect((await stored())[2]! - occurrence!).to.be.within(0, 1);
        }
      }),
      { numRuns: 100 },
    );
  });
});
