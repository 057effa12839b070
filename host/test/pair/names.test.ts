import { expect } from 'chai';
import { decodeName, encodeName } from '../../src/pair/etcd/names.ts';

/** Texts of up to twelve code units from everywhere, with many signs that keys give a meaning and many halves of surrogate pairs. */
function* texts(count: number): Generator<string> {
  let state = 20_261_128;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const units = [
    () => below(0x80),
    () => '/%u .D8'.charCodeAt(below(7)),
    () => 0xd800 + below(0x800),
    () => below(0x1_0000),
  ];
  for (let i = 0; i < count; i++)
    yield Array.from({ length: below(13) }, () => String.fromCharCode(units[below(4)]!())).join('');
}

describe('the name of a gateway in a key of etcd', () => {
  it('comes back as it was, whatever it is', () => {
    for (const name of ['Hall 3', 'West/1', '西', '%uD800', '\ud800', '\udc00\ud800', '', ...texts(20_000)]) {
      const part = encodeName(name);
      expect(part).to.match(/^[\w!~*'().%-]*$/);
      expect(decodeName(part)).to.equal(name);
    }
  });

  it('is the only one of its key', () => {
    const names = new Set(texts(20_000));
    expect(new Set(Array.from(names, encodeName)).size).to.equal(names.size);
  });

  it('is none where no gateway has written the key', () => {
    for (const part of [
      '%',
      '%zz',
      '%ff',
      '%41',
      '%uD800%uDC00',
      '%ud800',
      '%u0041',
      'a b',
      'a/b',
      '%E8%A5%Bf',
    ])
      expect(decodeName(part), part).to.equal(undefined);
    for (const part of texts(20_000)) {
      const name = decodeName(part);
      if (name !== undefined) expect(encodeName(name)).to.equal(part);
    }
  });
});
