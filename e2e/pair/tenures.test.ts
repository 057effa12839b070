import { expect } from 'chai';
import { handoversOf, longestPause, overlapsOf, type Poll, tenuresOf } from './tenures.ts';

/** Requests every 100 ms, the first and the last given. */
const polls = (from: string, begin: number, end: number, connection = 1): Poll[] =>
  Array.from({ length: (end - begin) / 100 + 1 }, (_, index) => ({
    from,
    connection,
    at: begin + index * 100,
  }));

const log = (...parts: Poll[][]): Poll[] => parts.flat().sort((one, other) => one.at - other.at);

describe('the log of the field device', () => {
  it('tells the gap from the last request of one gateway to the first of the other', () => {
    const seen = log(polls('west', 0, 5000), polls('east', 5700, 9000), polls('west', 10_000, 12_000));
    expect(handoversOf(seen)).to.deep.equal([
      { from: 'west', to: 'east', gap: 700, at: 5700 },
      { from: 'east', to: 'west', gap: 1000, at: 10_000 },
    ]);
    expect(overlapsOf(seen)).to.deep.equal([]);
  });

  it('takes a gateway that is silent for a while and goes on as the same one', () => {
    const seen = log(polls('west', 0, 1000), polls('west', 8000, 9000));
    expect(tenuresOf(seen)).to.have.length(2);
    expect(handoversOf(seen)).to.deep.equal([]);
  });

  it('takes two switches in short order as such', () => {
    const seen = log(polls('west', 0, 1000), polls('east', 1100, 2700, 2), polls('west', 2800, 4000, 3));
    expect(overlapsOf(seen)).to.deep.equal([]);
    expect(handoversOf(seen).map(({ to, gap }) => [to, gap])).to.deep.equal([
      ['east', 100],
      ['west', 100],
    ]);
  });

  it('finds a gateway that goes on with the connection that it had', () => {
    const seen = log(polls('west', 0, 1000), polls('east', 1100, 2700, 2), polls('west', 2700, 4000));
    expect(overlapsOf(seen)).to.deep.equal([{ late: 'east', requests: 17, lasted: 1600 }]);
  });

  it('tells how many requests came after the other gateway had begun', () => {
    const seen = log(polls('west', 0, 5000), polls('east', 4750, 9050));
    expect(overlapsOf(seen)).to.deep.equal([{ late: 'west', requests: 3, lasted: 250 }]);
    expect(handoversOf(seen)).to.deep.equal([{ from: 'west', to: 'east', gap: -250, at: 4750 }]);
  });

  it('finds a single late request in the midst of the tenure of the other', () => {
    const seen = log(polls('west', 0, 1000), polls('east', 6050, 20_050), polls('west', 12_000, 12_000));
    expect(overlapsOf(seen)).to.deep.equal([{ late: 'west', requests: 1, lasted: 0 }]);
    expect(handoversOf(seen)).to.deep.equal([{ from: 'west', to: 'east', gap: 5050, at: 6050 }]);
  });

  it('tells the longest pause, also before the first and after the last request', () => {
    const seen = log(polls('west', 1000, 2000), polls('west', 2600, 3000));
    expect(longestPause(seen, 900, 3100)).to.equal(600);
    expect(longestPause(seen, 0, 3100)).to.equal(1000);
    expect(longestPause(seen, 900, 5000)).to.equal(2000);
    expect(longestPause([], 0, 500)).to.equal(500);
  });
});
