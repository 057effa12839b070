import { ErrorCode } from '@tagway/schemas';
import { machineTime, randomId, type SampleData } from '@tagway/sdk/internal';
import { expect } from 'chai';
import type { Group, Node } from '../../src/core/model.ts';
import type { SampleSpan } from '../../src/core/ports/telemetry.ts';
import { isFromRunner } from '../../src/runtime/process/message-check.ts';
import { SampleWays } from '../../src/runtime/samples/sample-ways.ts';

const node = { name: 'plant', plugin: { name: 'Modbus TCP' } } as unknown as Node;
const app = { name: 'north', plugin: { name: 'MQTT' } } as unknown as Node;
const group = { name: 'fast', node } as unknown as Group;

function sample(times: readonly number[], more: Partial<SampleData> = {}): SampleData {
  return {
    group: 1,
    version: 1,
    timestamp: 1,
    numbers: new Float64Array(2),
    integers: new BigInt64Array(0),
    objects: [],
    faults: new Int32Array(0),
    way: { id: randomId(16), parent: '', times },
    ...more,
  };
}

function spansOf(work: (ways: SampleWays) => void): SampleSpan[] {
  const spans: SampleSpan[] = [];
  work(new SampleWays({ oneIn: 1, take: (span) => void spans.push(span) }));
  return spans;
}

describe('the way of followed readings', () => {
  it('is of spans that follow each other, at times since the epoch', () => {
    const now = machineTime();
    const spans = spansOf((ways) => {
      const way = ways.received(group, sample([now - 30, now - 20, now - 10]));
      way?.passed();
      const { id = '', parent = '' } = way?.next ?? {};
      ways.delivered(app, group, {
        node: 2,
        group: 1,
        id,
        parent,
        arrived: now - 5,
        handed: now - 4,
        settled: now - 1,
      });
    });
    expect(spans.map(({ name }) => name)).to.deep.equal([
      'poll',
      'read',
      'gateway',
      'publish',
      'acknowledge',
    ]);
    const [poll, read, gateway, publish, acknowledge] = spans;
    expect(spans.map(({ traceId }) => traceId)).to.deep.equal(Array(5).fill(poll!.traceId));
    expect(spans.map(({ parentId }) => parentId)).to.deep.equal([
      undefined,
      poll!.spanId,
      poll!.spanId,
      gateway!.spanId,
      publish!.spanId,
    ]);
    expect(read!.end - read!.start).to.be.closeTo(10, 0.01);
    expect(acknowledge!.end - acknowledge!.start).to.be.closeTo(3, 0.01);
    expect(Math.abs(poll!.start - Date.now())).to.be.lessThan(5000);
  });

  it('says when the whole reading failed', () => {
    const now = machineTime();
    const code = ErrorCode.READ_FAILED;
    const failureOf = (faults: Int32Array): string | undefined =>
      spansOf((ways) => void ways.received(group, sample([now - 3, now - 2, now - 1], { faults })))[0]
        ?.failure;
    expect(failureOf(Int32Array.of(0, code))).to.equal(undefined);
    expect(failureOf(Int32Array.of(0, code, 1, code))).to.be.a('string');
  });

  it('has no times that a plugin has made up', () => {
    const now = machineTime();
    for (const times of [
      [now - 1, now - 2, now],
      [now - 1e9, now - 2, now - 1],
      [now, now, now + 1e6],
      [0, 0, 0],
    ])
      expect(spansOf((ways) => void ways.received(group, sample(times)))).to.deep.equal([]);
  });

  it('is refused from a runner where it is none', () => {
    const id = randomId(16);
    const good = { id, parent: '', times: [1, 2, 3] };
    const isTaken = (way: unknown): boolean =>
      isFromRunner({ op: 'sample', sample: { group: 1, version: 1, way } });
    expect(isTaken(undefined)).to.equal(true);
    expect(isTaken(good)).to.equal(true);
    for (const change of [
      { id: 'x' },
      { id: id.toUpperCase().replace(/\d/g, 'A') },
      { parent: 'b' },
      { times: [1, 2] },
      { times: [1, 2, NaN] },
    ])
      expect(isTaken({ ...good, ...change }), JSON.stringify(change)).to.equal(false);
    const delivered = { op: 'delivered', node: 1, group: 1, id, parent: randomId(8), arrived: 1, handed: 2 };
    expect(isFromRunner(delivered)).to.equal(true);
    expect(isFromRunner({ ...delivered, settled: 3, messages: 1, topic: 'a', failure: 'No.' })).to.equal(
      true,
    );
    for (const change of [
      { id: 5 },
      { parent: '' },
      { settled: 'x' },
      { messages: 0.5 },
      { topic: 5 },
      { node: 'north' },
    ])
      expect(isFromRunner({ ...delivered, ...change }), JSON.stringify(change)).to.equal(false);
  });
});
