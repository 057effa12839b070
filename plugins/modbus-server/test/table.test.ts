import { Attribute, DataType } from '@tagway/sdk';
import { layoutOf } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { proposal } from '../src/table/proposal.ts';
import { rowsOf } from '../src/table/table.ts';

const settings = { unit: 1, address_base: 1, endianess: 1, endianess_64: 1 };
const head = 'tag,unit,table,address,type,order,scale,access,quality';

function problemOf(...lines: readonly string[]): string {
  const rows = rowsOf([head, ...lines].join('\n'), settings);
  return typeof rows === 'string' ? rows : 'none';
}

describe('the table', () => {
  it('has its columns in any order, and leaves out what the settings say', () => {
    const text = [
      '\uFEFFtag,address,table,type\r',
      '\r',
      "tag('plant/fast/a'),1,holding,uint16\r",
      'tag("plant/fast/b"),2.7,HOLDING,bit',
      '"tag(\'plant/fa,st/c\')",3.20L,input,"STRING"',
      "tag('plant/fast/d%2F1'),1,coil",
      '',
    ].join('\n');
    const rows = rowsOf(text, { ...settings, unit: 9 });
    if (typeof rows === 'string') return expect.fail(rows);
    expect(
      rows.map(({ reference, unit, area, start, count, line }) => [
        reference.group,
        reference.tag,
        unit,
        area,
        start,
        count,
        line,
      ]),
    ).to.deep.equal([
      ['fast', 'a', 9, 4, 0, 1, 3],
      ['fast', 'b', 9, 4, 1, 1, 4],
      ['fa,st', 'c', 9, 3, 2, 10, 5],
      ['fast', 'd/1', 9, 0, 0, 1, 6],
    ]);
    expect(rows.map(({ address }) => [address.bit, address.length, address.layout])).to.deep.equal([
      [0, 0, 'H'],
      [7, 0, 'H'],
      [0, 20, 'L'],
      [0, 0, 'H'],
    ]);
  });

  it('counts from 0 where that is set', () => {
    const rows = rowsOf(
      `${head}\ntag('p/g/t'),1,holding,0,UINT16,,,,0\ntag('p/g/t'),1,holding,65535,UINT16`,
      { ...settings, address_base: 0 },
    );
    if (typeof rows === 'string') return expect.fail(rows);
    expect(rows.map(({ start, quality }) => [start, quality])).to.deep.equal([
      [0, 0],
      [65_535, undefined],
    ]);
  });

  it('says of what is wrong which line it is', () => {
    const cases: readonly (readonly [line: string, problem: RegExp])[] = [
      ['plant/fast/a,1,coil,1', /^The line 2 of "table" is not right: it does not begin with a reference/],
      ["tag('plant/fast'),1,coil,1", /names no tag/],
      ['"tag(""plant/fast/a"")",1,coil,1', /doubled its quotation marks/],
      ["tag('a/b/c') x,1,coil,1", /between its reference and the comma/],
      ["tag('a/b/c'),300,coil,1", /"unit" is "300"/],
      ["tag('a/b/c'),1,coils,1", /"table" is "coils"/],
      ["tag('a/b/c'),1,coil,1,INT16", /do not fit the type INT16/],
      ["tag('a/b/c'),1,holding,1", /"type" is ""/],
      ["tag('a/b/c'),1,holding,1,INT8", /"type" is "INT8"/],
      ["tag('a/b/c'),1,holding,0,INT16", /"address" is "0", and not a number from 1/],
      ["tag('a/b/c'),1,holding,65536,INT32", /reaches beyond register 65536/],
      ["tag('a/b/c'),1,holding,1,BIT", /such as 1\.0/],
      ["tag('a/b/c'),1,holding,1.16,BIT", /bit number is above 15/],
      ["tag('a/b/c'),1,holding,1,STRING", /needs a length/],
      ["tag('a/b/c'),1,holding,1,INT32,XY", /no byte order #XY/],
      ["tag('a/b/c'),1,holding,1.4,STRING,AB", /Only numbers have a byte order/i],
      ["tag('a/b/c'),1,holding,1,INT16,,0", /"scale" is "0"/],
      ["tag('a/b/c'),1,coil,1,,,2", /"scale" is for numbers/],
      ["tag('a/b/c'),1,input,1,INT16,,,rw", /coils and holding registers alone/],
      ["tag('a/b/c'),1,coil,1,,,,w", /"access" is "w"/],
      ["tag('a/b/c'),1,coil,1,,,,,x", /"quality" is "x"/],
      ["tag('a/b/c'),1,coil,1,,,,,,9", /it has 10 fields/],
    ];
    for (const [line, problem] of cases) expect(problemOf(line), line).to.match(problem);
    expect(rowsOf("tag,unit\ntag('a/b/c'),1", settings)).to.match(/"table" is not among them/);
    expect(rowsOf('tag,table,address,colour', settings)).to.match(/has "colour"/);
    expect(rowsOf('table,address,tag', settings)).to.equal('The first column of "table" is "tag".');
    expect(rowsOf('tag,table,address,table', settings)).to.match(/has "table" twice/);
    expect(rowsOf('', settings)).to.deep.equal([]);
  });

  it('refuses what overlaps', () => {
    const float = "tag('a/b/c'),1,holding,10,FLOAT";
    expect(problemOf(float, "tag('a/b/d'),1,holding,11,INT16")).to.equal(
      'The lines 2 and 3 of "table" overlap in the table "holding" of the unit 1: give one of them another address.',
    );
    expect(problemOf(float, "tag('a/b/d'),1,holding,11.3,BIT")).to.match(/overlap/);
    expect(problemOf("tag('a/b/d'),1,holding,11.3,BIT", "tag('a/b/d'),1,holding,11.3,BIT")).to.match(
      /overlap/,
    );
    expect(problemOf("tag('a/b/d'),1,discrete,4", `${float},,,,4`)).to.match(/overlap/);
    expect(
      problemOf(
        float,
        "tag('a/b/c'),1,input,10,FLOAT",
        "tag('a/b/c'),2,holding,10,FLOAT",
        "tag('a/b/d'),1,holding,12.3,BIT",
        "tag('a/b/d'),1,holding,12.4,BIT",
      ),
    ).to.equal('none');
  });
});

describe('the rows that are proposed for a group', () => {
  const { READ, WRITE } = Attribute;
  const tags: readonly (readonly [name: string, type: DataType, attribute?: number, decimal?: number])[] = [
    ['on', DataType.BIT],
    ['switch', DataType.BOOL, READ | WRITE],
    ['small', DataType.INT8],
    ['count', DataType.UINT32],
    ['level', DataType.FLOAT, READ | WRITE],
    ['total', DataType.UINT64],
    ['scaled', DataType.INT16, READ, 0.1],
    ["na'me, with", DataType.STRING, READ | WRITE],
  ];
  const layout = layoutOf(
    1,
    { driver: 'plant', group: 'fa/st', interval: 100 },
    tags.map(([name, type, attribute = READ, decimal = 0]) => ({
      name,
      type,
      attribute,
      address: name,
      precision: 0,
      decimal,
      bias: 0,
    })),
  );
  const proposed = (table: string, unit: number, address?: number): string =>
    proposal({ table, settings, unit, address, layout })[0]?.payload ?? '';

  it('fit their types and come one behind the other, in tables that fit their attributes', () => {
    const text = proposed('', 1);
    expect(text.split('\n')).to.deep.equal([
      'tag,unit,table,address,type,order,scale,access',
      "tag('plant/fa%2Fst/on'),1,discrete,1,BIT,,,r",
      "tag('plant/fa%2Fst/switch'),1,coil,1,BIT,,,r",
      "tag('plant/fa%2Fst/small'),1,input,1,INT16,,,r",
      "tag('plant/fa%2Fst/count'),1,input,2,UINT32,,,r",
      "tag('plant/fa%2Fst/level'),1,holding,1,FLOAT,,,r",
      "tag('plant/fa%2Fst/total'),1,input,4,UINT64,,,r",
      "tag('plant/fa%2Fst/scaled'),1,input,8,FLOAT,,,r",
      "tag('plant/fa%2Fst/na%27me, with'),1,holding,3.32,STRING,,,r",
      '',
    ]);
    const rows = rowsOf(text, settings);
    expect(rows).to.be.an('array').with.length(8);
    // What the table has is not proposed again.
    expect(proposed(text, 1)).to.equal('');
  });

  it('come behind what the table has, or where somebody wants them', () => {
    const table = `${head}\ntag('a/b/c'),1,input,100,FLOAT,,,,50\ntag('plant/fa%2Fst/on'),1,coil,7`;
    const lines = proposed(table, 1).split('\n');
    expect(lines).to.include("tag('plant/fa%2Fst/small'),1,input,102,INT16,,,r");
    expect(lines).to.include("tag('plant/fa%2Fst/switch'),1,coil,8,BIT,,,r");
    expect(lines.some((line) => line.includes('/on'))).to.equal(false);
    const all = `${table}\n${lines.slice(1).join('\n')}`;
    expect(rowsOf(all, settings)).to.be.an('array').with.length(9);
    expect(proposed(table, 2, 1001)).to.include("tag('plant/fa%2Fst/small'),2,input,1001,INT16,,,r");
  });
});
