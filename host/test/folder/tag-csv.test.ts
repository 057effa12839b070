import { Attribute, DataType, type TagInput } from '@tagway/schemas';
import { expect } from 'chai';
import { fileTagOf } from '../../src/folder/file-tags.ts';
import { csvOfTags, tagsOfCsv } from '../../src/folder/tag-csv.ts';

const { READ, WRITE, STATIC } = Attribute;
const tag = (more: Partial<TagInput>): TagInput => ({
  name: 'a',
  address: '1!400001',
  attribute: READ,
  type: DataType.INT16,
  ...more,
});

/** What a table says, and what is wrong with it. */
function read(text: string): { readonly tags: readonly TagInput[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const rows = tagsOfCsv(text, (row, problem) => void problems.push(`${row}: ${problem}`));
  return { tags: rows.map((row) => row.tag), problems };
}

describe('a table of tags', () => {
  it('gives back every tag that it was made of', () => {
    const tags = [
      tag({}),
      tag({ name: '=SUM(A1)', description: 'a, "b"\nc; d' }),
      tag({ name: "'quoted", attribute: READ | WRITE, decimal: 0.1, bias: -1, precision: 2 }),
      tag({ name: ' spaces ', unit: '°C', low: -5, high: 1e21, deadband: '2%' }),
      tag({ name: 'd', deadband: 0.5 }),
      tag({ name: 's', address: '', attribute: STATIC, type: DataType.STRING, value: '-1' }),
      tag({ name: 'e', address: '', attribute: STATIC, type: DataType.STRING, value: '' }),
      tag({ name: 'u', address: '', attribute: STATIC, type: DataType.UINT64, value: 18446744073709551615n }),
      tag({ name: 'i', address: '', attribute: STATIC, type: DataType.INT64, value: -9223372036854775808n }),
      tag({ name: 'o', address: '', attribute: STATIC | READ, type: DataType.BOOL, value: false }),
      tag({ name: 'y', address: '', attribute: STATIC, type: DataType.BYTES, value: [0, 171, 255] }),
      tag({ name: 'f', address: '', attribute: STATIC, type: DataType.DOUBLE, value: 1.5e-300 }),
    ];
    const { tags: found, problems } = read(csvOfTags([{ name: 'g', tags }]));
    expect(problems).to.deep.equal([]);
    expect(found.map(fileTagOf)).to.deep.equal(tags.map(fileTagOf));
  });

  it('is taken as spreadsheets write it', () => {
    const { tags, problems } = read(
      'GROUP;Name;address;type;decimal\r\ng;a;1!1;int16;0,5\r\n\r\ng;b;1!2;FLOAT;\r\n',
    );
    expect([problems, tags.map(({ name, decimal }) => [name, decimal])]).to.deep.equal([
      [],
      [
        ['a', 0.5],
        ['b', undefined],
      ],
    ]);
  });

  it('says what is wrong, with the line', () => {
    expect(read('group,name,adress,type\n').problems).to.deep.equal(['1: there is no column "adress"']);
    expect(read('group,name\n').problems).to.deep.equal(['1: the column "type" is missing']);
    const titles = 'group,name,attribute,type,decimal,value\n';
    const rows = [
      'g,a,Read,INT17,,',
      'g,b,Reed,INT16,,',
      'g,c,,INT16,x,',
      'g,d,Read,INT16,,1',
      'g,e,Static,INT8,,x',
    ];
    expect(read(titles + rows.join('\n')).problems).to.deep.equal([
      '2: there is no type "INT17"',
      '3: "Reed" is no attribute',
      '4: the decimal "x" is no number',
      '5: a tag with a value needs the attribute Static',
      '6: the value "x" is none of INT8',
    ]);
    expect(read('group,name,type,attribute,value\ng,a,BOOL,Static,constructor\n').problems).to.have.lengthOf(
      1,
    );
  });
});
