import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { inOrder, pasteOf, withMore } from '../src/settings/table/table-edits.ts';
import { fieldsOf, rowsOf, textOf } from '../src/settings/table/table-lines.ts';
import type { TableSpec } from '../src/settings/table/table-spec.ts';

interface Schema {
  readonly properties: Readonly<Record<string, { readonly 'x-table': TableSpec }>>;
}

const notify = JSON.parse(
  readFileSync(new URL('../../../plugins/notify/settings.schema.json', import.meta.url), 'utf8'),
) as Schema;
const tableOf = (setting: string): TableSpec => notify.properties[setting]!['x-table'];

const csv: TableSpec = {
  columns: [
    { name: 'from', title: 'From', type: 'reference' },
    { name: 'factor', title: 'Factor', default: '1' },
    { name: 'note', title: 'Note' },
  ],
};

describe('the text of a setting that is a table', () => {
  for (const [setting, line, cells] of [
    [
      'rules',
      'duty = duty@example.com, webhook | priority: high, low | repeat: 30',
      ['duty', 'duty@example.com, webhook', 'high, low', '', '30', '', '', ''],
    ],
    [
      'rules',
      'report = office@example.com | hours: mon-fri 06:00-22:00 | digest: 07:00',
      ['report', 'office@example.com', '', 'mon-fri 06:00-22:00', '', '', '', '07:00'],
    ],
    [
      'signals',
      'tag("boiler/fast/trip") high [duty, chief]: It has tripped: go',
      ['boiler/fast/trip', 'high', 'duty, chief', 'It has tripped: go'],
    ],
    ['signals', 'tag("door/slow/open"): The door is open', ['door/slow/open', '', '', 'The door is open']],
  ] as const)
    it(`is the same after it was cells: ${line}`, () => {
      const rows = rowsOf(`\n${line}\r\n`, tableOf(setting));
      expect(rows).to.deep.equal([{ cells }]);
      expect(textOf(rows, tableOf(setting))).to.equal(line);
    });

  it('has the options of a rule in any order, and keeps a line that is none as it is', () => {
    const [other, none] = rowsOf('a = x@y | digest: 07:00 | priority: low\nwhat is this', tableOf('rules'));
    expect(other?.cells).to.deep.equal(['a', 'x@y', 'low', '', '', '', '', '07:00']);
    expect(none?.line).to.equal('what is this');
    expect(textOf([none!], tableOf('rules'))).to.equal('what is this');
  });

  it('is CSV in which a name may have got a comma', () => {
    expect(fieldsOf(`tag('a, b/c/d'),"x ""y"" , z",`)).to.deep.equal([`tag('a, b/c/d')`, 'x "y" , z', '']);
    const text = `tag('a/b/c'),2\n"tag('a, b/c/d')",,"x ""y"", z"`;
    const rows = rowsOf(text, csv);
    expect(rows.map(({ cells }) => cells)).to.deep.equal([
      ['a/b/c', '2', ''],
      ['a, b/c/d', '', 'x "y", z'],
    ]);
    expect(textOf(rows, csv)).to.equal(text);
  });

  it('may begin with the names of its columns in any order', () => {
    const spec: TableSpec = { ...csv, titles: true };
    const rows = rowsOf(`note,from\nhere,tag("a/b/c")`, spec);
    expect(rows[0]?.cells).to.deep.equal(['a/b/c', '', 'here']);
    expect(textOf(rows, spec)).to.equal(`from,factor,note\ntag('a/b/c'),,here`);
  });

  it('takes tables of a file by their titles, or as they are', () => {
    const titled = inOrder(
      [
        ['Note', 'from'],
        ['here', "tag('a/b/c')"],
        ['', ''],
      ],
      csv,
    );
    expect(titled).to.deep.equal([['a/b/c', undefined, 'here']]);
    expect(inOrder([['a/b/c', '2']], csv)).to.deep.equal([['a/b/c', '2', undefined]]);
    const [row] = withMore([], titled, csv);
    expect(row?.cells).to.deep.equal(['a/b/c', '1', 'here']);
    const { start } = pasteOf([['factor'], ['3']], { row: 4, column: 2 }, csv);
    expect(start).to.deep.equal({ row: 4, column: 0 });
  });
});
