import { expect } from 'chai';
import type { App, MessageOrigin, MessageTrace, Subscription } from '@tagway/sdk';
import { type SampleWay, sampleOf } from '@tagway/sdk/internal';
import { noMessages } from '../../src/internal/runner/frame-tracer.ts';
import { AppFixture } from './fixture.ts';
import { group, tag } from './harness.ts';

const config = group(1, 100, [tag('a', '')]);
const other = group(2, 100, [tag('a', '')]);
const way: SampleWay = { id: '0af7651916cd43dd8448eb211c80319c', parent: 'b7ad6b7169203331', times: [] };

/** An app with messages that a test settles, and as many of them for each sample as `messages` says. */
class Sender {
  readonly fixture: AppFixture;
  readonly waiting: { readonly of: MessageOrigin; readonly isSeen: boolean }[] = [];
  messages = 1;
  /** Whether somebody looks at messages. */
  isTraced = false;
  #trace: MessageTrace | undefined;
  #made: ((of: MessageOrigin) => void) | undefined;

  constructor({ shows = true, announces = true } = {}) {
    const app: Partial<App> = {
      start: async () => {
        if (!shows) return;
        this.fixture.context.messages?.({
          peer: () => 'broker:1883',
          trace: (trace, made) => {
            this.isTraced = trace !== undefined;
            this.#trace = trace;
            this.#made = announces ? made : undefined;
          },
        });
      },
      deliver: (_sample, subscription) => {
        for (let message = 0; message < this.messages; message++) this.make(subscription);
      },
    };
    this.fixture = new AppFixture(app);
  }

  async begin(): Promise<void> {
    const groups = [config, other];
    const subscriptions = groups.map(({ group: id }) => ({ id, group: id, params: undefined }));
    this.fixture.node.subscribe(
      { subscriptions, layouts: [], drivers: [] },
      {
        get: (id) => groups.find(({ group: one }) => one === id)?.layout,
        readsOf: () => ({ layouts: new Map(), present: new Map() }),
      },
    );
    await this.fixture.node.start();
  }

  make(of: Subscription | MessageOrigin): void {
    // As an app does: of messages that were made before there was a trace it keeps nothing.
    this.waiting.push({ of, isSeen: this.#trace !== undefined });
    this.#made?.(of);
  }

  settle(failure?: string): void {
    const { of, isSeen } = this.waiting.shift()!;
    const data = Buffer.from('1');
    this.#trace?.({
      direction: 'sent',
      topic: 'a',
      data,
      ...(isSeen && { of }),
      ...(failure && { failure }),
    });
  }

  deliver(followed?: SampleWay, { group: id, layout } = config): void {
    const data = { group: id, version: layout.version, timestamp: 1, numbers: Float64Array.of(1) };
    const none = { integers: new BigInt64Array(0), objects: [], faults: new Int32Array(0) };
    this.fixture.node.deliver(sampleOf({ ...data, ...none }, layout), id, followed);
  }

  /** What was said of followed samples since the last time. */
  said(): { readonly settled?: number; readonly messages?: number; readonly failure?: string }[] {
    return this.fixture.sent.splice(0).flatMap((message) => (message.op === 'delivered' ? [message] : []));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fixture[Symbol.asyncDispose]();
  }
}

describe('samples of followed readings at an app', () => {
  it('are acknowledged with the last of their own messages, not with those of others', async () => {
    await using sender = new Sender();
    await sender.begin();
    sender.messages = 2;
    sender.deliver();
    sender.deliver(way);
    expect(sender.isTraced).to.equal(true);
    sender.deliver();
    sender.deliver(undefined, other);
    // Those of the sample before it, and the first of its own.
    for (let message = 0; message < 3; message++) sender.settle();
    expect(sender.said()).to.deep.equal([]);
    sender.settle();
    const [said, ...more] = sender.said();
    expect(more).to.deep.equal([]);
    expect(said).to.include({ node: 1, group: 1, id: way.id, parent: way.parent, messages: 2, topic: 'a' });
    expect(said?.settled).to.be.a('number');
    // Between followed samples a message costs nothing.
    expect(sender.isTraced).to.equal(false);
    sender.settle();
    expect(sender.said()).to.deep.equal([]);
  });

  it('say why their messages were given up', async () => {
    await using sender = new Sender();
    await sender.begin();
    sender.deliver(way);
    sender.settle('The broker refused it.');
    expect(sender.said()).to.have.length(1);
    sender.deliver(way);
    sender.settle('The broker refused it.');
    expect(sender.said()[0]).to.include({ failure: 'The broker refused it.' });
  });

  it('end with the delivery where there are no messages to wait for', async () => {
    await using silent = new Sender({ shows: false });
    await silent.begin();
    silent.deliver(way);
    await using older = new Sender({ announces: false });
    await older.begin();
    older.deliver(way);
    await using none = new Sender();
    await none.begin();
    none.messages = 0;
    none.deliver(way);
    for (const sender of [silent, older, none]) {
      const [said, ...more] = sender.said();
      expect(more).to.deep.equal([]);
      expect(said).to.include({ group: 1 }).and.not.have.property('settled');
      expect(sender.isTraced).to.equal(false);
    }
  });

  it('are waited for one at a time, for ten seconds, and not while people look', async () => {
    await using sender = new Sender();
    await sender.begin();
    sender.deliver(way);
    sender.deliver(way, other);
    expect(sender.said()).to.have.length(1);
    await sender.fixture.pass(10_000);
    expect(sender.isTraced).to.equal(false);
    const [late, ...more] = sender.said();
    expect(more).to.deep.equal([]);
    expect(late).to.not.have.property('settled');
    sender.deliver(way);
    const limits = { id: 1, connection: 1, frames: 10, bytes: 1000 };
    sender.fixture.node.context.frames.begin(limits, noMessages);
    expect(sender.said()).to.have.length(1);
    sender.deliver(way);
    expect(sender.said().filter((said) => 'settled' in said)).to.deep.equal([]);
    expect(sender.isTraced).to.equal(true);
  });

  it('are given up when the node stops', async () => {
    await using sender = new Sender();
    await sender.begin();
    sender.deliver(way);
    await sender.fixture.node.stop();
    expect(sender.isTraced).to.equal(false);
    expect(sender.said()).to.have.length(1);
  });
});
