import { ErrorCode } from '@tagway/schemas';
import { parseJson } from '@tagway/sdk/json';
import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { parseBody } from '../../src/http/body/json-body.ts';
import { codeOf } from '../core/harness.ts';

const parse = (text: string): Promise<unknown> => parseBody(Buffer.from(text), parseJson);
const filler = 'x'.repeat(50_000);
const long = 'y'.repeat(200_000);
const list = (count: number): string => Array.from({ length: count }, (_, index) => `${index}`).join(',');

describe('a long body', () => {
  const good: readonly (readonly [name: string, text: string])[] = [
    ['a list', `[${list(100_000)}]`],
    ['a list with white space', ` [ ${list(100_000).replaceAll(',', ' ,\n\t')} ]\r\n`],
    ['lists in a list', `[[1,2],[${list(50_000)}],[],[[${list(50_000)}]],{"a":1}]`],
    ['an object with a list', `{"node":"a","tags":[${list(50_000)}],"group":"b"}`],
    ['a list that comes last, and again', `{"1":{"a":[${list(50_000)}]},"0":[${list(50_000)}],"1":[]}`],
    [
      'tags',
      JSON.stringify({ tags: Array.from({ length: 5000 }, (_, i) => ({ name: `n${i}"],[{\\`, type: 9 })) }),
    ],
    ['text with what looks like structure', JSON.stringify([`],[{"\\${long}`, { a: `\\",${long}` }])],
    ['one text', JSON.stringify(long)],
    ['an empty list in very much space', `[${' '.repeat(200_000)}]`],
    ['a member of the name __proto__', `{"__proto__":[${list(50_000)}],"b":{"__proto__":["${long}"]}}`],
    ['wide integers', `{"a":[${'1234567890123456789,'.repeat(9000)}1],"b":12345678901234567890}`],
    ['surrogate pairs', `["\\ud83d\\ude00${long}","${'\\ud83d\\ude00'.repeat(20_000)}"]`],
    ['deep lists', `${'['.repeat(500)}"${long}"${']'.repeat(500)}`],
  ];
  for (const [name, text] of good) {
    it(`is read as JSON.parse does: ${name}`, async () => {
      const value = await parse(text);
      expect(value).to.deep.equal(parseJson(text));
      expect(Object.keys(value as object)).to.deep.equal(Object.keys(parseJson(text) as object));
    });
  }

  const bad: readonly (readonly [name: string, text: string])[] = [
    ['no end', `[${list(50_000)}`],
    ['another bracket at its end', `[${list(50_000)}}`],
    ['more after its end', `[${list(50_000)}] 1`],
    ['a bracket too many', `[${list(50_000)}]]`],
    ['a comma before its end', `[${list(50_000)},]`],
    ['a comma before its end, after a long list', `[[${list(50_000)}],]`],
    ['a comma at its beginning', `[,${list(50_000)}]`],
    ['two commas', `[[${list(50_000)}],,1]`],
    ['no comma after a long list', `[[${list(50_000)}]1]`],
    ['no comma before a long list', `[1[${list(50_000)}]]`],
    ['no comma between two long lists', `[[${list(50_000)}][${list(50_000)}]]`],
    ['no name before a long list', `{"a":1,[${list(50_000)}]}`],
    ['no colon before a long list', `{"a"[${list(50_000)}]}`],
    ['no value', `{"a":[${list(50_000)}],"b":}`],
    ['a text without end', `["${long}]`],
    ['half of a surrogate pair', `["${filler}${filler}${filler}","\\ud83d"]`],
    ['half of a surrogate pair in a long text', `{"a":"${long}\\ude00"}`],
    ['half of a surrogate pair in a name', `[{"a\\ude00":"${long}"},[${list(50_000)}]]`],
    ['very deep lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['nothing but a bracket', `${' '.repeat(100_000)}]`],
  ];
  for (const [name, text] of bad) {
    it(`is 1002 with ${name}`, async () => {
      expect(await codeOf(parse(text))).to.equal(ErrorCode.BODY_INVALID);
    });
  }

  it('is 1017 with millions of values or very many members of an object', async () => {
    expect(await codeOf(parse(`[${'0,'.repeat(2_000_000)}0]`))).to.equal(ErrorCode.BODY_TOO_BIG);
    const members = Array.from({ length: 20_000 }, (_, index) => `"key${index}":0`).join(',');
    expect(await codeOf(parse(`{${members}}`))).to.equal(ErrorCode.BODY_TOO_BIG);
  });

  it('leaves the event loop to others again and again, also together with others', async () => {
    const tag = {
      name: 'temperature',
      address: '1!400001',
      type: 9,
      attribute: 1,
      description: filler.slice(0, 50),
    };
    const body = JSON.stringify({ node: 'a', group: 'b', tags: Array(100_000).fill(tag) });
    let turns = 0;
    let isDone = false;
    const counting = (async (): Promise<void> => {
      while (!isDone) {
        turns++;
        await turn();
      }
    })();
    await Promise.all([parse(body), parse(body), parse(body)]);
    isDone = true;
    await counting;
    // 36 MB, of which no more is parsed in one turn than in a few milliseconds.
    expect(turns).to.be.greaterThan(30);
  });
});
