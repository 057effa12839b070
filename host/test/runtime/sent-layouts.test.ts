import { Attribute, DataType } from '@tagway/schemas';
import { layoutOf } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { SentLayouts } from '../../src/runtime/samples/sent-layouts.ts';

let version = 0;

function layout(group: number) {
  const tag = {
    name: 'a',
    address: '',
    type: DataType.INT16,
    attribute: Attribute.READ,
    precision: 0,
    decimal: 0,
    bias: 0,
  };
  const names = { driver: 'plant', group: `group ${group}`, interval: 100 };
  return { group, layout: layoutOf(++version, names, [tag]) };
}

describe('layouts that were sent to a runner', () => {
  it('are sent once for all its apps, and again when they change', () => {
    const said = new SentLayouts();
    const one = layout(1);
    const two = layout(2);
    expect(said.takeUnsent(1, [one, two])).to.deep.equal([one, two]);
    expect(said.takeUnsent(2, [two])).to.deep.equal([]);
    const changed = layout(2);
    expect([said.knows(2), said.knows(3)]).to.deep.equal([true, false]);
    expect(said.has(2, changed.layout.version)).to.equal(false);
    expect(said.takeUnsent(2, [changed])).to.deep.equal([changed]);
    expect(said.has(2, changed.layout.version)).to.equal(true);
    expect(said.has(2, two.layout.version)).to.equal(false);
  });

  it('are forgotten with the last app that subscribes', () => {
    const said = new SentLayouts();
    const one = layout(1);
    const two = layout(2);
    said.takeUnsent(1, [one, two]);
    said.takeUnsent(2, [one]);
    said.takeUnsent(1, []);
    expect([said.has(1, one.layout.version), said.has(2, two.layout.version)]).to.deep.equal([true, false]);
    said.forget(2);
    said.takeUnsent(1, []);
    expect(said.has(1, one.layout.version)).to.equal(false);
    expect(said.takeUnsent(1, [one])).to.deep.equal([one]);
  });

  it('do not add up over a thousand changes of the configuration', () => {
    const said = new SentLayouts();
    const all: ReturnType<typeof layout>[] = [];
    for (let change = 0; change < 1000; change++) {
      const subscribed = layout(change);
      all.push(subscribed);
      said.takeUnsent(change, [subscribed]);
      said.forget(change);
    }
    said.takeUnsent(-1, []);
    expect(all.filter(({ group, layout: { version: of } }) => said.has(group, of))).to.deep.equal([]);
  });
});
