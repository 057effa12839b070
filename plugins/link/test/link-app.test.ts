import {
  type AppContext,
  ErrorCode,
  Fault,
  LinkState,
  type MessageSource,
  RunningState,
  type TagWrite,
} from '@tagway/sdk';
import { contextFor, inputsFor, type InputSetting } from '@tagway/testkit';
import { expect } from 'chai';
import { LinkApp } from '../src/link-app.ts';
import type { Settings } from '../src/settings.ts';

const link = (from: string, to: string, options = ''): string =>
  `tag("plant/g/${from}"), tag("${to}")${options}`;

/** A node whose writes are answered when a test says so. */
class Stand implements AsyncDisposable {
  readonly app: LinkApp;
  source: MessageSource | undefined;
  readonly settings: Settings;
  readonly calls: {
    readonly writes: readonly TagWrite[];
    readonly answer: (faults?: (Fault | undefined)[]) => void;
  }[] = [];
  readonly #controller: AbortController;
  #waiting: (() => void)[] = [];

  constructor(links: readonly string[]) {
    this.settings = { links: links.join('\n'), watchdogs: '' };
    const { context, record } = contextFor<Settings>(this.settings);
    this.#controller = record.controller;
    const write: AppContext['write'] = (writes) => {
      const { promise, resolve } = Promise.withResolvers<readonly (Fault | undefined)[]>();
      this.calls.push({ writes, answer: (faults = writes.map(() => undefined)) => resolve(faults) });
      for (const wake of this.#waiting.splice(0)) wake();
      return promise;
    };
    const messages: AppContext['messages'] = (source) => {
      this.source = source;
      return { [Symbol.dispose]: () => undefined };
    };
    this.app = new LinkApp({ ...context, write, messages } as unknown as AppContext<Settings>);
  }

  static async open(links: readonly string[], writesMany = true): Promise<Stand> {
    const stand = new Stand(links);
    await stand.app.start();
    stand.state(LinkState.CONNECTED, writesMany);
    return stand;
  }

  state(linkState: LinkState, writesMany = true): void {
    const state = {
      running: RunningState.RUNNING,
      link: linkState,
      ...(writesMany && ({ writesMany } as const)),
    };
    this.app.driversChanged(['mixer', 'tank'].map((driver) => ({ driver, ...state })));
  }

  give(values: Readonly<Record<string, InputSetting>>): void {
    const given = Object.fromEntries(Object.entries(values).map(([tag, value]) => [`plant/g/${tag}`, value]));
    const points = Object.keys(given).map((text) => ({ address: `tag("${text}")` }));
    this.app.deliverInputs(inputsFor(points, given, { fresh: Object.keys(given) }));
  }

  /** The next call, as `tag=value` of each write; the test answers it with `answer`. */
  async next(): Promise<{
    readonly text: string;
    readonly answer: (faults?: (Fault | undefined)[]) => void;
  }> {
    while (this.calls.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const { writes, answer } = this.calls.shift()!;
    return { text: writes.map(({ tag, value }) => `${tag}=${String(value)}`).join(' '), answer };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    for (const { answer } of this.calls) answer();
    await this.app.stop();
  }
}

const refused = new Fault(ErrorCode.VALUE_OUT_OF_RANGE, 'It is out of range.');

describe('links', () => {
  it('write the newest value alone when the target was busy, all rows of a node in one call', async () => {
    await using stand = await Stand.open([
      link('a', 'mixer/g/a'),
      link('b', 'mixer/g/b'),
      link('a', 'tank/g/c'),
    ]);
    stand.give({ a: 1, b: 2 });
    const first = await stand.next();
    const other = await stand.next();
    expect([first.text, other.text]).to.deep.equal(['a=1 b=2', 'c=1']);
    for (const value of [3, 4, 5]) stand.give({ a: value });
    expect(stand.calls).to.have.length(0);
    first.answer();
    expect((await stand.next()).text).to.equal('a=5');
    other.answer();
    expect((await stand.next()).text).to.equal('c=5');
  });

  it('write one tag in a call where the driver takes one alone, each with its value of then', async () => {
    await using stand = await Stand.open([link('a', 'mixer/g/a'), link('b', 'mixer/g/b')], false);
    stand.give({ a: 1, b: 2 });
    const first = await stand.next();
    expect(first.text).to.equal('a=1');
    stand.give({ b: 3 });
    first.answer();
    expect((await stand.next()).text).to.equal('b=3');
  });

  it('try a row again that fails, with its newest value, and hold up no other row', async () => {
    await using stand = await Stand.open([link('a', 'mixer/g/a'), link('b', 'mixer/g/b')]);
    stand.give({ a: 1, b: 1 });
    (await stand.next()).answer([refused, undefined]);
    stand.give({ a: 2, b: 2 });
    const beside = await stand.next();
    expect(beside.text).to.equal('b=2');
    beside.answer();
    expect((await stand.next()).text).to.equal('a=2');
  });

  it('send nothing while the link is lost, and write everything again when it is back', async () => {
    await using stand = await Stand.open([
      link('a', 'mixer/g/a'),
      link('b', 'mixer/g/b', ' | start: wait'),
      link('c', 'mixer/g/c', ' | bad: nothing'),
    ]);
    stand.give({ a: 1, b: 1, c: 1 });
    (await stand.next()).answer();
    stand.state(LinkState.DISCONNECTED);
    stand.give({ a: 2 });
    stand.give({ a: 3 });
    stand.give({ c: new Fault(ErrorCode.DISCONNECTED) });
    expect(stand.calls).to.have.length(0);
    stand.state(LinkState.CONNECTED);
    // The row that waits for a change has nothing to write, and that without a source does nothing.
    expect((await stand.next()).text).to.equal('a=3');
  });

  it('keep to the deadband, round, and write what they are to while the source has no value', async () => {
    await using stand = await Stand.open([
      link('a', 'mixer/g/a', ' | scale: 0.5 | offset: 1 | decimals: 1 | deadband: 1 | bad: -1'),
    ]);
    stand.give({ a: 10.26 });
    const first = await stand.next();
    expect(first.text).to.equal('a=6.1');
    first.answer();
    stand.give({ a: 12 });
    stand.give({ a: 13 });
    const second = await stand.next();
    expect(second.text).to.equal('a=7.5');
    second.answer();
    stand.give({ a: new Fault(ErrorCode.DISCONNECTED) });
    expect((await stand.next()).text).to.equal('a=-1');
  });

  it('go on as they were when others come and go, and begin at once where the source was read before', async () => {
    await using stand = await Stand.open([link('a', 'mixer/g/a'), link('b', 'mixer/g/b')]);
    stand.give({ a: 1, b: 1 });
    (await stand.next()).answer();
    const links = [link('b', 'mixer/g/b'), link('a', 'mixer/g/c')].join('\n');
    expect(stand.app.settingsChanged({ ...stand.settings, links })).to.equal(true);
    const begun = await stand.next();
    expect(begun.text).to.equal('c=1');
    begun.answer();
    stand.give({ a: 2, b: 1 });
    expect((await stand.next()).text).to.equal('c=2');
  });

  it('show what was written and refused of each row, then each write with why it failed', async () => {
    const messages: { readonly topic: string; readonly text: string; readonly failure: string }[] = [];
    await using stand = await Stand.open([link('a', 'mixer/g/a')]);
    stand.source?.trace(({ topic, text = '', failure = '' }) => void messages.push({ topic, text, failure }));
    stand.give({ a: 7 });
    (await stand.next()).answer([refused]);
    (await stand.next()).answer();
    while (messages.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(messages.map(({ text }) => text.replace(/[\d.]+ s ago/, 'now'))).to.deep.equal([
      'row 1 of "links" from "plant/g/a": 0 written, 0 refused, the last confirmed never',
      '7 (row 1 of "links" from "plant/g/a": 0 written, 1 refused, the last confirmed never)',
      '7 (row 1 of "links" from "plant/g/a": 1 written, 1 refused, the last confirmed now)',
    ]);
    expect(messages.map(({ failure }) => failure)).to.deep.equal(['', 'It is out of range.', '']);
  });
});
