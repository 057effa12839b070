import { expect } from 'chai';
import {
  formatReference,
  inputsOf,
  parseReference,
  type Reference,
  referencesIn,
  shownAlarm,
  withReferences,
  withShownAlarm,
} from '@tagway/schemas';

const reference = (node: string, group: string, tag: string): Reference => ({ node, group, tag });

describe('references', () => {
  const texts: readonly (readonly [Reference, string])[] = [
    [reference('boiler', 'fast', 'temperature'), 'boiler/fast/temperature'],
    [reference('plant 1', '1/s', 'T'), 'plant 1/1%2Fs/T'],
    [reference('mixer', '50 %', 'the "set" bit'), 'mixer/50 %25/the %22set%22 bit'],
    [reference('锅炉', "it's", 'a\\b`c'), '锅炉/it%27s/a%5Cb%60c'],
    [reference('tab\t', 'line\n', 'nul\0'), 'tab%09/line%0A/nul%00'],
    [reference('🔥', ')', ' '), '🔥/)/ '],
  ];

  for (const [names, text] of texts)
    it(`writes and reads ${text}`, () => {
      expect(formatReference(names)).to.equal(text);
      expect(parseReference(text)).to.deep.equal(names);
      for (const quote of ['"', "'"]) {
        const address = `1 + tag( ${quote}${text}${quote} ) * 2`;
        const [found, ...more] = referencesIn(address);
        expect(more).to.deep.equal([]);
        expect(found?.reference).to.deep.equal(names);
        expect(address.slice(found?.start, found?.end)).to.equal(text);
      }
    });

  it('reads what is encoded without need, and writes it without', () => {
    const names = parseReference('%62oiler/%E9%94%85/%2d');
    expect(names).to.deep.equal(reference('boiler', '锅', '-'));
    expect(names && formatReference(names)).to.equal('boiler/锅/-');
  });

  it('refuses what is no reference', () => {
    for (const text of ['', 'a', 'a/b', 'a/b/', '/b/c', 'a//c', 'a/b/c/d', 'a/b/%', 'a/b/%zz', 'a/b/%ff'])
      expect(parseReference(text), text).to.equal(undefined);
  });

  it('finds calls of "tag" with one literal, and nothing else', () => {
    const found = (address: string): string[] => referencesIn(address).map(({ text }) => text);
    expect(found('tag("a/b/c")+tag(\'d/e/f\') - tag ( "a/b/c" )')).to.deep.equal(['a/b/c', 'd/e/f', 'a/b/c']);
    expect(found('tag("")')).to.deep.equal(['']);
    for (const address of [
      'stag("a/b/c")',
      'x.tag("a/b/c")',
      'tag(a/b/c)',
      'tag("a/b/c"',
      'tag("a/b/c" + "d")',
      'tag("a/b\\/c")',
      'tag("a/b/c\')',
      '"tag(\\"a/b/c\\")"',
      'tag(r"a/b/c")',
    ])
      expect(found(address), address).to.deep.equal([]);
  });

  it('takes time in proportion to the length of an address', () => {
    const begin = performance.now();
    for (const piece of ['tag(', 'tag ( ', 'tag("', 'tag( "x" ', ' '.repeat(50)])
      referencesIn(piece.repeat(4096 / piece.length));
    referencesIn(`tag${' '.repeat(4000)}`);
    expect(performance.now() - begin).to.be.lessThan(200);
  });

  it('lists inputs once, in the order of their first appearance', () => {
    const points = [
      { address: 'tag("b/b/b") + tag("a/a/a")' },
      { address: 'tag("%61/a/a") + tag("nothing")' },
      { address: 'tag("c/c/c")' },
    ];
    expect(inputsOf(points).map(formatReference)).to.deep.equal(['b/b/b', 'a/a/a', 'c/c/c']);
  });

  it('puts other references in the place of some, and leaves the rest of an address', () => {
    const renamed = withReferences(
      'tag("a/b/c") /* tag */ > tag( \'%61/b/x\' ) ? "a/b/c" : tag("d/e/f")',
      (one) => (one.node === 'a' ? { ...one, node: 'a/"b"' } : undefined),
    );
    expect(renamed).to.equal(
      'tag("a%2F%22b%22/b/c") /* tag */ > tag( \'a%2F%22b%22/b/x\' ) ? "a/b/c" : tag("d/e/f")',
    );
  });

  it('finds the name in an address that shows an alarm, and puts another one in its place', () => {
    for (const name of ['too hot', '50 %', 'a/b', 'the "set" bit', "it's", 'a\\b', '锅炉']) {
      const address = withShownAlarm(' alarm( "x" ) ', name);
      expect(shownAlarm(address), address).to.equal(name);
      expect(address.startsWith(' alarm( "') && address.endsWith('" ) '), address).to.equal(true);
      expect(shownAlarm(address.replaceAll('"', "'"))).to.equal(name);
    }
    for (const address of [
      'alarm("")',
      'alarm("a/b")',
      'alarm("50 %")',
      'alarm("a") + 1',
      'x.alarm("a")',
      '"alarm("a")"',
      'alarm(a)',
    ]) {
      expect(shownAlarm(address), address).to.equal(undefined);
    }
    expect(withShownAlarm('high(tag("a/b/c"), 5)', 'x')).to.equal('high(tag("a/b/c"), 5)');
  });
});
