import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Group, Node } from '../../src/core/model.ts';
import { RouteChanges } from '../../src/runtime/route-changes.ts';

const app = (name: string): Node => ({ name }) as Node;
const group = (name: string): Group => ({ name }) as Group;

describe('changes of subscriptions', () => {
  const [mqtt, other] = [app('mqtt'), app('other')];
  const [one, two] = [group('one'), group('two')];
  let told: string[];
  let changes: RouteChanges;

  beforeEach(() => {
    told = [];
    changes = new RouteChanges(({ name }, fresh) =>
      told.push(`${name}: ${Array.from(fresh, (each) => each.name).join(' ')}`),
    );
  });
  afterEach(() => changes.close());

  /** Waits for something to be told, and some more, in which nothing else may be. */
  const pause = async (): Promise<void> => {
    for (let turns = 0; told.length === 0 && turns < 400; turns++) await sleep(5);
    await sleep(100);
  };

  it('are told together, once for each app', async () => {
    changes.add(mqtt, [one]);
    changes.add(other, []);
    changes.add(mqtt, [two, one]);
    expect(told).to.deep.equal([]);
    await pause();
    expect(told).to.deep.equal(['mqtt: one two', 'other: ']);
  });

  it('are told before a sample of a group that is new to an app, and not again', async () => {
    changes.add(mqtt, [one]);
    changes.settle(two);
    expect(told).to.deep.equal([]);
    changes.settle(one);
    expect(told).to.deep.equal(['mqtt: one']);
    changes.settle(one);
    await pause();
    expect(told).to.deep.equal(['mqtt: one']);
    changes.add(mqtt, [two]);
    changes.settle(one);
    expect(told).to.have.length(1);
    changes.settle(two);
    expect(told.at(-1)).to.equal('mqtt: two');
  });

  it('are not told any more at the end', async () => {
    changes.add(mqtt, [one]);
    changes.close();
    changes.settle(one);
    await sleep(100);
    expect(told).to.deep.equal([]);
  });
});
