import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { TagRules } from '../src/api/tag-rules.ts';
import { bulkRows, noChange } from '../src/tags/bulk-change.ts';
import {
  blockOf,
  gridColumns,
  noRows,
  problemsOf,
  withBlock,
  withCell,
  withoutRow,
} from '../src/tags/grid-rows.ts';
import { csvOf, readText } from '../src/tags/spreadsheets.ts';
import { columns, linesOf, tableOf } from '../src/tags/tag-file.ts';
import { tagProblems } from '../src/tags/tag-problems.ts';
import {
  attributeFrom,
  attributeText,
  numberFrom,
  tagFrom,
  textOf,
  type TagText,
} from '../src/tags/tag-text.ts';

const rules: TagRules = {
  isPending: false,
  refersToTags: false,
  addresses: new Map([[DataType.INT16, /^1![0-9]+$/u]]),
  examples: new Map(),
  longestAddress: 127,
};

const tag = {
  name: 'a',
  address: '1!400001',
  attribute: 3,
  type: DataType.INT16,
  description: '',
  precision: 0,
  decimal: 0,
  bias: 0,
} as const;
const text = textOf(tag);

describe('the texts of a tag', () => {
  it('read back as the tag they were made of', () => {
    expect(tagFrom(text)).to.deep.equal({ tag, problems: [] });
    const fixed = {
      ...tag,
      attribute: Attribute.STATIC,
      type: DataType.UINT64,
      value: 18446744073709551615n,
    };
    expect(tagFrom(textOf(fixed)).tag).to.deep.equal(fixed);
  });

  it('name the fields that cannot be read, and only those', () => {
    const { problems } = tagFrom({ ...text, type: 'WORD', attribute: '', bias: 'x' });
    expect(problems.map(({ field, rule }) => `${field} ${rule}`)).to.deep.equal([
      'type type',
      'attribute missing',
      'bias number',
    ]);
  });

  it('have attributes as words in any order, or as a number', () => {
    expect(attributeFrom('write, READ')).to.equal(3);
    expect(attributeFrom('12')).to.equal(12);
    expect(attributeFrom('16')).to.equal(undefined);
    expect(attributeFrom('fast')).to.equal(undefined);
    expect(attributeText(15)).to.equal('Read Write Subscribe Static');
  });

  it('have numbers with a point or a comma', () => {
    expect(numberFrom('1,5')).to.equal(1.5);
    expect(numberFrom('')).to.equal(0);
    expect(numberFrom('1.000,5')).to.equal(undefined);
  });
});

describe('the problems of a tag', () => {
  const span = { low: 0, high: 10 };
  const found = (more: object): string[] =>
    tagProblems({ ...tag, ...more }, { ...rules, addresses: undefined }).map(
      ({ field, rule }) => `${field} ${rule}`,
    );

  it('are none where the gateway has none', () => {
    for (const more of [{ deadband: 0 }, { deadband: 0.5, unit: 'Cel' }, { ...span, deadband: '100%' }, span])
      expect(found(more), JSON.stringify(more)).to.deep.equal([]);
  });

  for (const [more, problem] of [
    [{ deadband: -1 }, 'deadband deadband'],
    [{ deadband: 'two' }, 'deadband deadband'],
    [{ deadband: '2%' }, 'deadband deadband'],
    [{ ...span, deadband: '101%' }, 'deadband deadband'],
    [{ deadband: 1, type: DataType.STRING }, 'deadband deadband'],
    [{ deadband: 1, type: DataType.BOOL }, 'deadband deadband'],
    [{ deadband: 1, attribute: Attribute.STATIC, value: 1 }, 'deadband deadband'],
    [{ low: 1 }, 'high span'],
    [{ high: 1 }, 'low span'],
    [{ low: 1, high: 1 }, 'low span'],
    [{ low: -1e308, high: 1e308 }, 'low span'],
    [{ ...span, type: DataType.STRING }, 'low span'],
    [{ unit: '°'.repeat(17) }, 'unit long'],
  ] as const)
    it(`are those that the gateway has, too: ${JSON.stringify(more)}`, () =>
      expect(found(more)).to.deep.equal([problem]));
});

describe('a file of tags', () => {
  it('reads back as the groups that it was written from', async () => {
    const whole = { ...tag, description: '=1+1', deadband: '2.5%', unit: '°C', low: -40, high: 125.5 };
    const table = tableOf([{ name: 'fast', interval: 500, tags: [whole] }]);
    const csv = await (await csvOf(table)).text();
    expect(csv, 'no spreadsheet takes it for a formula').to.include("'=1+1");
    const [line, ...others] = await linesOf(await readText(csv), 'other', rules);
    expect(others).to.deep.equal([]);
    expect(line).to.deep.include({ row: 2, group: 'fast', interval: 500, problems: [] });
    expect(line?.tag).to.deep.equal(whole);
  });

  it('has the pace of the groups, which goes with the rows', async () => {
    const pace = { report: 'change', min_interval: 1000, max_interval: 60_000 } as const;
    const table = tableOf([
      { name: 'fast', interval: 500, ...pace, tags: [tag] },
      { name: 'slow', interval: 500, tags: [tag] },
    ]);
    const lines = await linesOf(await readText(await (await csvOf(table)).text()), 'other', rules);
    expect(lines.map((line) => [line.group, line.pace, line.problems])).to.deep.equal([
      ['fast', pace, []],
      ['slow', {}, []],
    ]);
    const wrong = [
      ['name', 'address', 'type', 'attribute', 'report', 'min_interval', 'max_interval'],
      ['a', '1!1', 'INT16', 'Read', 'sometimes', '-1', 'x'],
    ];
    const [line] = await linesOf(wrong, 'fast', rules);
    expect(line?.problems.map(({ field, rule }) => `${field} ${rule}`)).to.deep.equal([
      'report report',
      'min_interval pace',
      'max_interval pace',
    ]);
  });

  it('may have no titles, semicolons, and lines without a text', async () => {
    const cells = await readText('a;1!1;Read;INT16\n;;;\nb;1!2;Read;INT16\n');
    const lines = await linesOf(cells, 'fast', rules);
    expect(lines.map(({ row, group, tag: { name } }) => [row, group, name])).to.deep.equal([
      [1, 'fast', 'a'],
      [3, 'fast', 'b'],
    ]);
  });

  it('names the row and the field of what is wrong', async () => {
    const rows = [
      [...columns],
      ['fast', '50', 'a', '1!1', 'Read', 'INT16'],
      ['fast', '', 'a', '2!1', 'Read', 'INT16'],
      ['fast', '', '', '1!1', 'Read', 'FLOAT'],
    ];
    const lines = await linesOf(rows, 'fast', rules);
    const found = lines.flatMap(({ row, problems }) => problems.map(({ field, rule }) => [row, field, rule]));
    expect(found).to.deep.equal([
      [2, 'interval', 'interval'],
      [3, 'address', 'address'],
      [3, 'name', 'double'],
      [4, 'name', 'missing'],
      [4, 'type', 'typeUnsupported'],
    ]);
  });
});

describe('the grid of tags', () => {
  it('gives a row that is begun the type and attribute of the one above', () => {
    let rows = withCell(noRows, { row: 0, column: 0 }, 'a');
    rows = withCell(rows, { row: 0, column: 2 }, 'FLOAT');
    rows = withCell(rows, { row: 1, column: 0 }, 'b');
    expect(rows[0]).to.include({ name: 'a', type: 'FLOAT', attribute: 'Read' });
    expect(rows[1]).to.include({ name: 'b', type: 'FLOAT', attribute: 'Read' });
  });

  it('takes a block from a spreadsheet by its titles, with quoted cells, and grows', () => {
    const { cells, isTitled } = blockOf('Type\tName\r\nINT16\t"a\n""b"""\r\nBOOL\tc\r\n');
    expect(isTitled).to.equal(true);
    const rows = withBlock(noRows, { row: 11, column: 0 }, cells);
    expect(rows[11]).to.include({ name: 'a "b"', type: 'INT16' });
    expect(rows[12]).to.include({ name: 'c', type: 'BOOL' });
    expect(rows).to.have.length(16);
    expect(withoutRow(rows, 11)[11]).to.include({ name: 'c' });
  });

  it('takes a block without titles as it stands', () => {
    const { cells, isTitled } = blockOf('a\t1!1\nb\t1!2');
    expect(isTitled).to.equal(false);
    expect(cells).to.deep.equal([
      ['a', '1!1'],
      ['b', '1!2'],
    ]);
    expect(gridColumns.slice(0, 2)).to.deep.equal(['name', 'address']);
  });

  it('says what is wrong with each row, and nothing of empty ones', () => {
    const rows: TagText[] = [text, { ...text }, { ...text, name: 'taken' }, noRows[0] as TagText];
    const problems = problemsOf(rows, rules, new Set(['taken']));
    expect(problems.map((some) => some.map(({ rule, limit }) => `${rule} ${limit}`.trim()))).to.deep.equal([
      [],
      ['double 1'],
      ['taken'],
      [],
    ]);
  });
});

describe('a change of many tags', () => {
  const tags = new Map([
    ['a', text],
    ['b', { ...text, name: 'b', address: '1!400002' }],
  ]);

  it('shows what becomes of each, and leaves out what stays as it is', () => {
    const change = {
      ...noChange,
      fields: { bias: '1,50' },
      prefix: 'x.',
      findInAddress: '1!',
      replaceInAddress: '1!',
    };
    const rows = bulkRows(tags, change, new Set(), rules);
    expect(
      rows.map(({ name, after, fields, problem }) => [name, after.name, after.bias, fields, problem]),
    ).to.deep.equal([
      ['a', 'x.a', '1.5', ['name', 'bias'], undefined],
      ['b', 'x.b', '1.5', ['name', 'bias'], undefined],
    ]);
    expect(bulkRows(tags, noChange, new Set(), rules)).to.deep.equal([]);
  });

  it('gives and takes deadband, unit and span', () => {
    const span = { deadband: '2%', unit: 'Cel', low: '-40', high: '125,5' };
    const given = bulkRows(tags, { ...noChange, fields: span }, new Set(), rules);
    const whole = { deadband: '2%', unit: 'Cel', low: -40, high: 125.5 };
    expect(given.map(({ problem }) => problem)).to.deep.equal([undefined, undefined]);
    for (const { tag: after } of given) expect(after).to.include(whole);
    const described = new Map(given.map(({ name, after }) => [name, after]));
    const none = { deadband: '', unit: '', low: ' ', high: '' };
    for (const { tag: after } of bulkRows(described, { ...noChange, fields: none }, new Set(), rules))
      expect(after).to.not.have.any.keys('deadband', 'unit', 'low', 'high');
    const [half] = bulkRows(tags, { ...noChange, fields: { low: '1' } }, new Set(), rules);
    expect(half?.problem).to.include({ field: 'high', rule: 'span' });
  });

  it('names the tag whose name another one has, and the address that does not fit', () => {
    const same = bulkRows(tags, { ...noChange, findInName: 'b', replaceInName: 'a' }, new Set(), rules);
    expect(same.map(({ name, problem }) => [name, problem?.rule])).to.deep.equal([['b', 'taken']]);
    const moved = bulkRows(
      tags,
      { ...noChange, findInAddress: '1!', replaceInAddress: '2!' },
      new Set(),
      rules,
    );
    expect(moved.map(({ problem }) => problem?.rule)).to.deep.equal(['address', 'address']);
  });
});
