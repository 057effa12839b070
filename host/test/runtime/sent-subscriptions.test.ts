import { LinkState, RunningState } from '@tagway/schemas';
import type { DriverState } from '@tagway/sdk';
import { KnownSubscriptions, type SubscriptionData, type SubscriptionsData } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { SentSubscriptions } from '../../src/runtime/samples/sent-subscriptions.ts';

const app = 7;

const subscription = (group: number, id = group, topic = 'up'): SubscriptionData => ({
  id,
  group,
  params: { topic },
});

const driver = (name: string, link: LinkState = LinkState.CONNECTED, reason?: string): DriverState => ({
  driver: name,
  running: RunningState.RUNNING,
  link,
  ...(reason !== undefined && { reason }),
});

/** A host, and the runner that gets its messages. */
class Pair {
  readonly #sent = new SentSubscriptions();
  readonly #known = new KnownSubscriptions();
  /** The message before as it was sent. */
  latest: SubscriptionsData | undefined;

  start(subscriptions: readonly SubscriptionData[], drivers: readonly DriverState[]): SubscriptionsData {
    this.#sent.all(app, { subscriptions, drivers });
    return this.#taken({ subscriptions, drivers, layouts: [] });
  }

  change(subscriptions: readonly SubscriptionData[], drivers: readonly DriverState[]): SubscriptionsData {
    return this.#taken({ layouts: [], ...this.#sent.changes(app, { subscriptions, drivers }) });
  }

  end(): void {
    this.#sent.forget(app);
    this.#known.forget(app);
  }

  #taken(message: SubscriptionsData): SubscriptionsData {
    this.latest = structuredClone(message);
    return this.#known.take(app, this.latest);
  }
}

describe('subscriptions that were sent to a runner', () => {
  it('are sent as what has changed, and the runner knows all of them', () => {
    const pair = new Pair();
    const one = subscription(1);
    const two = subscription(2);
    const drivers = [driver('a'), driver('b')];
    expect(pair.start([one, two], drivers)).to.deep.include({ subscriptions: [one, two], drivers });
    const three = subscription(3);
    const more = [...drivers, driver('c')];
    expect(pair.change([one, two, three], more)).to.deep.include({
      subscriptions: [one, two, three],
      drivers: more,
    });
    expect(pair.latest).to.deep.include({ subscriptions: [three], drivers: [driver('c')] });
    const other = subscription(2, 2, 'elsewhere');
    const lost = [driver('a', LinkState.DISCONNECTED, 'It is gone.'), driver('c')];
    expect(pair.change([one, other], lost)).to.deep.include({ subscriptions: [one, other], drivers: lost });
    expect(pair.latest).to.deep.include({ subscriptions: [other], drivers: [lost[0]] });
    expect(pair.change([one, other], lost)).to.deep.include({ subscriptions: [one, other], drivers: lost });
    expect(pair.latest).to.deep.include({ subscriptions: [], drivers: [] });
    expect(pair.change([], [])).to.deep.include({ subscriptions: [], drivers: [] });
  });

  it('stand behind the others when they were deleted and made anew', () => {
    const pair = new Pair();
    const one = subscription(1);
    const two = subscription(2);
    pair.start([one, two], []);
    const anew = subscription(1, 9);
    expect(pair.change([two, anew], []).subscriptions).to.deep.equal([two, anew]);
  });

  it('are sent as a whole to a run that begins', () => {
    const pair = new Pair();
    const all = [subscription(1), subscription(2)];
    pair.start(all, [driver('a')]);
    pair.end();
    expect(pair.change(all.slice(1), [])).to.deep.include({ subscriptions: all.slice(1), drivers: [] });
    expect(pair.latest).not.to.have.property('gone');
    expect(pair.start(all, [driver('b')])).to.deep.include({ subscriptions: all, drivers: [driver('b')] });
  });

  it('are the same at both ends whatever changes', () => {
    const pair = new Pair();
    let subscriptions = [subscription(0)];
    pair.start(subscriptions, []);
    for (let round = 1; round < 500; round++) {
      const at = (round * 7919) % 20;
      const kept = subscriptions.filter(({ group }) => group !== at);
      subscriptions = round % 3 === 0 ? kept : [...kept, subscription(at, round)];
      const drivers = subscriptions
        .map(({ group }) =>
          driver(`d${group}`, (group + round) % 4 === 0 ? LinkState.DISCONNECTED : undefined),
        )
        .slice(round % 2);
      const known = pair.change(subscriptions, drivers);
      expect(known.subscriptions).to.deep.equal(subscriptions);
      expect(known.drivers).to.have.deep.members(drivers);
    }
  });
});
