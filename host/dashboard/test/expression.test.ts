import { expect } from 'chai';
import { functionCompletions, nameCompletions, placeIn, unfinishedAt } from '../src/expression/completion.ts';

/** What stands unfinished where the bar is. */
function unfinished(marked: string): unknown {
  const cursor = marked.indexOf('|');
  return unfinishedAt(marked.replace('|', ''), cursor);
}

describe('The editor of expressions', () => {
  it('knows what is begun at the cursor', () => {
    expect(unfinished('1 + tag("|')).to.deep.equal({ kind: 'reference', from: 9, names: [], begun: '' });
    expect(unfinished('tag("boi|')).to.include({ kind: 'reference', from: 5, begun: 'boi' });
    expect(unfinished('tag("plant 1/1%2Fs/T|") + 2')).to.deep.equal({
      kind: 'reference',
      from: 19,
      names: ['plant 1', '1/s'],
      begun: 'T',
    });
    expect(unfinished("tag('a/b/c/d|")).to.equal(undefined);
    expect(unfinished('2 * to|')).to.deep.equal({ kind: 'word', from: 4, begun: 'to' });
    expect(unfinished('math.a|')).to.deep.equal({ kind: 'word', from: 0, begun: 'math.a' });
    expect(unfinished('tag("a/b/c").con|')).to.deep.equal({ kind: 'word', from: 12, begun: '.con' });
    expect(unfinished('"in a text to|')).to.equal(undefined);
    expect(unfinished('"a" + to|')).to.deep.equal({ kind: 'word', from: 6, begun: 'to' });
    expect(unfinished('1 + |')).to.equal(undefined);
  });

  it('completes functions, and names as they stand in a reference', () => {
    expect(functionCompletions('tot')).to.deep.equal([{ label: 'total(x, reset)', text: 'total(' }]);
    expect(functionCompletions('math.at').map(({ text }) => text)).to.deep.equal([
      'math.atan(',
      'math.atan2(',
    ]);
    expect(functionCompletions('.con')).to.deep.equal([
      { label: 'text.contains(piece)', text: '.contains(' },
    ]);
    expect(nameCompletions(['1/s', 'slow'], 's', false)).to.deep.equal([
      { label: '1/s', text: '1%2Fs/' },
      { label: 'slow', text: 'slow/' },
    ]);
    expect(nameCompletions(['50 %'], '', true)).to.deep.equal([{ label: '50 %', text: '50 %25' }]);
  });

  it('finds the place that a refusal names', () => {
    expect(placeIn('1 + x', 'Character 5: There is no "x".')).to.equal(4);
    expect(placeIn('1 +\n 2 + x', 'The tag "a": Line 2, character 6: There is no "x".')).to.equal(9);
    expect(placeIn('"𝄞" + x', 'Character 7: There is no "x".')).to.equal(7);
    expect(placeIn('1 + x', 'The device is gone.')).to.equal(undefined);
  });
});
