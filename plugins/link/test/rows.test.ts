import { expect } from 'chai';
import { checkSettings, tableOf } from '../src/rows.ts';

const row = 'tag("a/b/c"), tag("d/e/f")';

const refusal = (links: string, watchdogs = ''): string | undefined =>
  checkSettings({ links, watchdogs })?.message;

describe('the table of links', () => {
  it('has defaults, options in any order, and names with any character', () => {
    const [plain, full] = tableOf({
      links: `\n${row}\n tag('a,|: x/b%2F/c') ,tag("g/h/i") |bad:last| scale: 0.5|every: 100 | start: wait | decimals: 0 | circle: meant | offset: -1e3 | deadband: 2\n`,
      watchdogs: '',
    }).links;
    expect(plain).to.include({ number: 2, scale: 1, offset: 0, decimals: undefined, deadband: 0 });
    expect(plain).to.include({ every: 0, bad: 'nothing', writesFirst: true });
    expect(full?.source).to.deep.equal({ node: 'a,|: x', group: 'b/', tag: 'c' });
    expect(full).to.include({ number: 3, scale: 0.5, offset: -1000, decimals: 0, deadband: 2 });
    expect(full).to.include({ every: 100, bad: 'last', writesFirst: false });
  });

  it('has watchdogs, once a second unless they say another time', () => {
    const { watchdogs } = tableOf({ links: '', watchdogs: 'tag("a/b/c")\ntag("a/b/d") | every: 250' });
    expect(watchdogs.map(({ every }) => every)).to.deep.equal([1000, 250]);
  });

  const refused: readonly (readonly [string, string, string?])[] = [
    ['tag("a/b/c")', 'Line 1 of "links" is no link'],
    [`${row}, tag("g/h/i")`, 'Line 1 of "links" is no link'],
    ['tag("a/b"), tag("d/e/f")', 'Line 1 of "links" has "a/b", which names no tag'],
    [`${row} 5`, 'has something beside its tags'],
    ['5 + tag("a/b/c"), tag("d/e/f")', 'has something beside its tags'],
    [`${row} | scale 2`, 'has the option "scale 2": an option is such as "scale: 0.1".'],
    [`${row} | scale: x`, 'has "scale: x": write a number.'],
    [`${row} | deadband: -1`, 'has "deadband: -1": write a number from 0 on.'],
    [`${row} | every: 1`, 'has "every: 1": write a whole number from 50 to 86400000.'],
    [`${row} | bad: zero`, 'has "bad: zero": write "nothing", "last" or a number.'],
    [`${row} | start: now`, 'has "start: now": write "write" or "wait".'],
    [`${row} | circle: no`, 'has "circle: no": write "meant".'],
    [`${row} | speed: 1`, 'has the option "speed", which there is not.'],
    [`${row} | scale: 1 | scale: 1`, 'has the option "scale" twice.'],
    [`${row}\n\ntag("a/b/x"), tag("d/e/f")`, 'Line 3 of "links" writes "d/e/f", as line 1 of "links" does'],
    [row, 'Line 1 of "watchdogs" writes "d/e/f", as line 1 of "links" does', 'tag("d/e/f")'],
    ['', 'Line 1 of "watchdogs" is no watchdog', row],
    ['', 'Line 1 of "watchdogs" has the option "scale", which there is not.', 'tag("a/b/c") | scale: 1'],
  ];
  for (const [links, message, watchdogs] of refused)
    it(`is refused: ${(links || watchdogs) ?? ''}`, () =>
      expect(refusal(links, watchdogs)).to.include(message));
});
