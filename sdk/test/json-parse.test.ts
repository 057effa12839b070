import { expect } from 'chai';
import { parseJson, stringifyJson } from '../src/json/index.ts';

describe('parseJson', () => {
  it('keeps integers exact at every size', () => {
    const text =
      '{"a":9007199254740991,"b":9007199254740993,"c":[-9223372036854775808,18446744073709551615],"d":1}';
    expect(parseJson(text)).to.deep.equal({
      a: 9007199254740991,
      b: 9007199254740993n,
      c: [-9223372036854775808n, 18446744073709551615n],
      d: 1,
    });
  });

  it('leaves reals, texts and integers beyond 64 bits alone', () => {
    expect(parseJson('[9007199254740993.0,1e20,0.1234567890123456789,"9007199254740993"]')).to.deep.equal([
      9007199254740992,
      1e20,
      0.12345678901234568,
      '9007199254740993',
    ]);
    expect(parseJson(`[${'9'.repeat(400)}, 123456789012345678901]`)).to.deep.equal([
      Infinity,
      123456789012345680000,
    ]);
  });

  it('parses plain documents as JSON.parse does', () => {
    for (const text of ['null', '"x"', '[]', '{"a":{"b":[1,2.5,true]}}'])
      expect(parseJson(text)).to.deep.equal(JSON.parse(text));
    expect(() => parseJson('{"a":')).to.throw(SyntaxError);
    expect(() => parseJson('{"a":9007199254740993')).to.throw(SyntaxError);
  });

  it('treats __proto__ as a key like others', () => {
    for (const text of ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":9007199254740993}}']) {
      const value = parseJson(text) as object;
      expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
      expect(Object.keys(value)).to.deep.equal(['__proto__']);
    }
    expect('polluted' in {}).to.equal(false);
  });

  it('survives deep nesting', () => {
    const depth = 200_000;
    const nested = `${'['.repeat(depth)}9007199254740993${']'.repeat(depth)}`;
    expect(() => parseJson(nested)).to.throw(SyntaxError);
  });
});

describe('stringifyJson', () => {
  it('prints bigints as digits and the rest as JSON.stringify does', () => {
    const value = { a: [18446744073709551615n, -1n], b: 'x', c: { d: 1.5, e: null } };
    expect(stringifyJson(value)).to.equal('{"a":[18446744073709551615,-1],"b":"x","c":{"d":1.5,"e":null}}');
    expect(stringifyJson({ a: 1 })).to.equal('{"a":1}');
    expect(parseJson(stringifyJson({ n: 9223372036854775807n }))).to.deep.equal({ n: 9223372036854775807n });
  });

  it('throws on circular structures', () => {
    const circle: Record<string, unknown> = { n: 1n };
    circle['self'] = circle;
    expect(() => stringifyJson(circle)).to.throw(TypeError);
  });
});
