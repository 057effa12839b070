import { stringifyJson } from '@tagway/sdk/json';
import { expect } from 'chai';
import { jsonPieces } from '../../src/http/body/long-json.ts';

async function piecesOf(value: unknown): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of jsonPieces(value)) pieces.push(piece);
  return pieces;
}

const tags = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `tag "${index}"`,
    value: index % 2 ? 1n : undefined,
  }));

describe('the JSON of a long value', () => {
  const long: Readonly<Record<string, unknown>> = {
    'a list': tags(2001),
    'a list in an object': { node: 'a', none: undefined, tags: tags(3000), 'and "more"': null },
    'lists in objects in a list': { nodes: [{ groups: [{ tags: tags(1200) }, { tags: [] }] }, null, {}] },
    'many short lists': Array.from({ length: 700 }, (_, index) => ({ at: index, tags: tags(3) })),
    'a list with gaps': [...new Array<undefined>(600), ...tags(600)],
  };
  for (const [what, value] of Object.entries(long)) {
    it(`is that of JSON.stringify, in pieces: ${what}`, async () => {
      const pieces = await piecesOf(value);
      expect(pieces.join('')).to.equal(stringifyJson(value));
      expect(pieces.length).to.be.greaterThan(2);
      expect(Math.max(...pieces.map(({ length }) => length))).to.be.lessThan(60_000);
    });
  }

  it('is one piece when the value is not long', async () => {
    const short = { tags: tags(100), values: { a: [1, 2, { b: 'c' }] } };
    expect(await piecesOf(short)).to.deep.equal([stringifyJson(short)]);
  });
});
