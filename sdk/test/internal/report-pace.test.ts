import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { type GroupConfig, SampleBuilder, type SampleData } from '@tagway/sdk/internal';
import { expect } from 'chai';
import type { ValueOrFault } from '../../src/internal/samples/column-values.ts';
import { group, tag } from './harness.ts';
import { DriverFixture, Script } from './fixture.ts';

const onChange = { attribute: Attribute.SUBSCRIBE };
const tags = [tag('plain', ''), tag('on change', '', onChange), tag('deadband', '', { threshold: 2 })];

/** A reading that has these values. */
function filled(builder: SampleBuilder, values: readonly ValueOrFault[]): ReturnType<SampleBuilder['draft']> {
  const draft = builder.draft();
  values.forEach((value, column) => draft.values.set(column, value));
  return draft;
}

/** What apps get of readings at these times: 1 for each tag that is due, `-` where it is nothing. */
function reports(
  pace: GroupConfig['pace'],
  ...readings: readonly (readonly [time: number, ...values: ValueOrFault[]])[]
): string[] {
  const builder = new SampleBuilder(group(1, 100, tags, pace));
  return readings.map(([time, ...values]) => {
    const { due, forCache } = builder.finish(filled(builder, values).values, time);
    return forCache === true ? '-' : (due?.join('') ?? 'all');
  });
}

describe('the pace of a group', () => {
  it('leaves it to the tags by default', () => {
    for (const pace of [undefined, {}])
      expect(reports(pace, [0, 1, 1, 1], [100, 1, 1, 1], [200, 1, 2, 4])).to.deep.equal([
        'all',
        '100',
        '111',
      ]);
  });

  it('of change is for all tags: what has changed, by the deadband where there is one, and errors', () => {
    const bad = new Fault(ErrorCode.NO_RESPONSE);
    expect(
      reports({ report: 'change' }, [0, 1, 1, 1], [1, 1, 1, 3], [2, 2, 1, 4], [3, bad, 1, 4], [4, 2, 1, 4]),
    ).to.deep.equal(['all', '000', '101', '100', '100']);
  });

  it('of always is for all tags, whatever has changed', () => {
    const always = reports({ report: 'always' }, [0, 1, 1, 1], [1, 1, 1, 1], [2, 1, 2, 1]);
    expect(always).to.deep.equal(['all', 'all', 'all']);
  });

  it('has a least distance between reports, after which the latest is compared with the last report', () => {
    const readings = [0, 100, 200, 299, 400, 500].map((time): [number, ...number[]] => [time, 1, time, 1]);
    // The clock is 1 ms early, which is no reason to wait for another interval.
    expect(reports({ min_interval: 300 }, ...readings)).to.deep.equal(['all', '-', '-', '110', '-', '-']);
    // A change that is gone again is none.
    expect(
      reports(
        { report: 'change', min_interval: 200 },
        [0, 1, 1, 1],
        [100, 2, 1, 1],
        [200, 1, 1, 1],
        [300, 3, 1, 1],
      ),
    ).to.deep.equal(['all', '-', '000', '100']);
  });

  it('has a greatest distance between reports of a tag, also of one that does not change', () => {
    const readings = [0, 100, 200, 300, 400, 500, 600].map((time): [number, ...number[]] => [time, 1, 1, 1]);
    expect(reports({ report: 'change', max_interval: 300 }, ...readings)).to.deep.equal([
      'all',
      '000',
      '000',
      'all',
      '000',
      '000',
      'all',
    ]);
  });

  it('lets news of tags with the SUBSCRIBE attribute alone out of whole samples between two ticks', () => {
    const bad = new Fault(ErrorCode.NO_RESPONSE);
    const between = (
      pace: GroupConfig['pace'],
      ...readings: readonly (readonly [time: number, ...values: ValueOrFault[]])[]
    ): string[] => {
      const builder = new SampleBuilder(group(1, 100, tags, pace));
      builder.finish(filled(builder, [1, 1, 1]).values, 0);
      return readings.map(([time, ...values]) => {
        const { due, forCache } = builder.image(filled(builder, values).values, time);
        return forCache === true ? '-' : (due?.join('') ?? 'all');
      });
    };
    expect(
      between(undefined, [1, 2, 1, 9], [2, 2, 2, 9], [3, 3, 2, 9], [4, 3, bad, 9], [5, 3, bad, 9]),
    ).to.deep.equal(['-', '010', '-', '010', '-']);
    expect(between({ min_interval: 1000 }, [500, 1, 2, 1], [1000, 1, 3, 1], [1500, 1, 4, 1])).to.deep.equal([
      '-',
      '010',
      '-',
    ]);
  });

  it('does not wait for a clock that was set back', () => {
    expect(
      reports({ min_interval: 1000, max_interval: 5000 }, [9000, 1, 1, 1], [100, 1, 2, 1], [200, 1, 3, 1]),
    ).to.deep.equal(['all', 'all', '-']);
  });

  it('keeps events from apps, not from reads and inputs, and the tick has the latest', async () => {
    const script = new Script();
    const points = [tag('a', '', onChange), tag('b', '', onChange)];
    await using fixture = await DriverFixture.of(script.pushing, [
      group(1, 1000, points, { min_interval: 500 }),
    ]);
    const sent = (): SampleData[] =>
      fixture.sent.splice(0).flatMap((one) => (one.op === 'sample' ? [one.sample] : []));
    script.push(0, 0);
    await fixture.pass(20, 5);
    expect(sent().map(({ rows, forCache }) => [rows, forCache])).to.deep.equal([[undefined, undefined]]);
    // The second value is what apps have, and the first one may not stay in the cache.
    script.push(1);
    script.push(0);
    await fixture.pass(20, 5);
    const [held] = sent();
    expect([held?.forCache, [...(held?.numbers ?? [])]]).to.deep.equal([true, [1, 0]]);
    await fixture.pass(480, 10);
    script.push(2, 2);
    script.push(3);
    await fixture.pass(20, 5);
    const [free] = sent();
    expect([free?.forCache, free?.due, [...(free?.numbers ?? [])]]).to.deep.equal([
      undefined,
      undefined,
      [2, 2, 3],
    ]);
    script.push(4);
    await fixture.pass(20, 5);
    expect(sent().map(({ forCache }) => forCache)).to.deep.equal([true]);
    script.push(5);
    await fixture.pass(1500, 10);
    const due = sent().filter(({ forCache }) => forCache !== true);
    expect(due.map((one) => [one.rows, [...one.numbers], [...(one.due ?? [])]])).to.deep.equal([
      [undefined, [5, 2], [1, 0]],
    ]);
  });

  it('counts whole samples of unsigned and text columns as any other', () => {
    const builder = new SampleBuilder(
      group(1, 100, [tag('u', '', { type: DataType.UINT64 }), tag('t', '', { type: DataType.STRING })], {
        report: 'change',
      }),
    );
    const dueOf = (number: bigint, text: string): string => {
      const draft = builder.draft();
      draft.integer(0, number);
      draft.text(1, text);
      return builder.finish(draft.values, 0).due?.join('') ?? 'all';
    };
    expect([dueOf(1n, 'a'), dueOf(2n ** 64n - 1n, 'a'), dueOf(2n ** 64n - 1n, 'b')]).to.deep.equal([
      'all',
      '10',
      '01',
    ]);
  });
});
