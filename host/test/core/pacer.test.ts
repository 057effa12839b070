import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Pacer } from '../../src/core/system/pacer.ts';

/** Milliseconds of work. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('Pacer', function () {
  // A busy machine may take the processor away between two lines.
  this.retries(3);

  // Each in a turn of its own, and not in what is left of the one in which mocha has begun it.
  beforeEach(async () => {
    await turn();
    await turn();
  });

  it('lets work go on at once while a turn is young', () => {
    expect(new Pacer().isDue).to.equal(false);
  });

  it('counts all works that follow each other in one turn of the event loop', async () => {
    const first = new Pacer();
    work(3);
    expect(first.isDue).to.equal(true);

    const second = new Pacer();
    work(1);
    expect(second.isDue).to.equal(true);

    await second.rest();
    expect(second.isDue, 'after a rest').to.equal(false);
  });

  it('gives each of many works a share of a turn, so that all of them come to an end', () => {
    const greedy = new Pacer();
    work(3);
    expect(greedy.isDue).to.equal(true);
    expect(new Pacer().isDue).to.equal(false);
  });

  it('knows whether work is long', async () => {
    const pace = new Pacer();
    expect(pace.hasRested).to.equal(false);
    await pace.rest();
    expect(pace.hasRested).to.equal(true);
  });
});
