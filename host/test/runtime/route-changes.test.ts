import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Group, Node } from '../../src/core/model.ts';
import { RouteChanges } from '../../src/runtime/samples/route-changes.ts';

const app = (name: string): Node => ({ name }) as Node;
const group = (name: string): Group => ({ name }) as Group;

describe('changes of subscriptions', () => {
  const mqtt = app('mqtt');
  const other = app('other');
  const one = group('one');
  const two = group('two');
  let said: string[];
  let changes: RouteChanges;

  beforeEach(() => {
    said = [];
    changes = new RouteChanges(({ name }, fresh) =>
      said.push(`${name}: ${Array.from(fresh, (each) => each.name).join(' ')}`),
    );
  });
  afterEach(() => changes.close());

  /** Waits until something was sent, and some more, in which nothing else may be sent. */
  const pause = async (): Promise<void> => {
    for (let turns = 0; said.length === 0 && turns < 400; turns++) await sleep(5);
    await sleep(100);
  };

  it('are told together, once for each app', async () => {
    changes.add(mqtt, [one]);
    changes.add(other, []);
    changes.add(mqtt, [two, one]);
    expect(said).to.deep.equal([]);
    await pause();
    expect(said).to.deep.equal(['mqtt: one two', 'other: ']);
  });

  it('are told before a sample of a group that is new to an app, and not again', async () => {
    changes.add(mqtt, [one]);
    changes.settle(two);
    expect(said).to.deep.equal([]);
    changes.settle(one);
    expect(said).to.deep.equal(['mqtt: one']);
    changes.settle(one);
    await pause();
    expect(said).to.deep.equal(['mqtt: one']);
    changes.add(mqtt, [two]);
    changes.settle(one);
    expect(said).to.have.length(1);
    changes.settle(two);
    expect(said.at(-1)).to.equal('mqtt: two');
  });

  it('are sent at once with what else is sent of an app, and not again', async () => {
    changes.add(mqtt, [one]);
    changes.add(other, [two]);
    changes.sendNow(mqtt);
    expect(said).to.deep.equal(['mqtt: one']);
    changes.sendNow(mqtt);
    expect(said).to.deep.equal(['mqtt: one', 'mqtt: ']);
    changes.settle(two);
    expect(said.at(-1)).to.equal('other: two');
    await pause();
    expect(said).to.have.length(3);
  });

  it('are not told any more at the end', async () => {
    changes.add(mqtt, [one]);
    changes.close();
    changes.settle(one);
    await sleep(100);
    expect(said).to.deep.equal([]);
  });
});
