import { Attribute, DataType } from '@tagway/schemas';
import { layoutOf } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { ToldLayouts } from '../../src/runtime/told-layouts.ts';

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

describe('layouts that a runner was told of', () => {
  it('are told once for all its apps, and again when they change', () => {
    const told = new ToldLayouts();
    const [one, two] = [layout(1), layout(2)];
    expect(told.toTell(1, [one, two])).to.deep.equal([one, two]);
    expect(told.toTell(2, [two])).to.deep.equal([]);
    const changed = layout(2);
    expect([told.knows(2), told.knows(3)]).to.deep.equal([true, false]);
    expect(told.has(2, changed.layout.version)).to.equal(false);
    expect(told.toTell(2, [changed])).to.deep.equal([changed]);
    expect(told.has(2, changed.layout.version)).to.equal(true);
    expect(told.has(2, two.layout.version)).to.equal(false);
  });

  it('are forgotten with the last app that subscribes', () => {
    const told = new ToldLayouts();
    const [one, two] = [layout(1), layout(2)];
    told.toTell(1, [one, two]);
    told.toTell(2, [one]);
    told.toTell(1, []);
    expect([told.has(1, one.layout.version), told.has(2, two.layout.version)]).to.deep.equal([true, false]);
    told.forget(2);
    told.toTell(1, []);
    expect(told.has(1, one.layout.version)).to.equal(false);
    expect(told.toTell(1, [one])).to.deep.equal([one]);
  });

  it('do not add up over a thousand changes of the configuration', () => {
    const told = new ToldLayouts();
    const all: ReturnType<typeof layout>[] = [];
    for (let change = 0; change < 1000; change++) {
      const subscribed = layout(change);
      all.push(subscribed);
      told.toTell(change, [subscribed]);
      told.forget(change);
    }
    told.toTell(-1, []);
    expect(all.filter(({ group, layout: { version: of } }) => told.has(group, of))).to.deep.equal([]);
  });
});
