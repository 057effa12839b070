import { expect } from 'chai';
import { DataType, ErrorCode, type Sample } from '@tagway/sdk';
import { BodyTemplate, PlaceTemplate } from '../src/template/index.ts';
import { layoutOf, sampleWith } from './kit/index.ts';

const layout = layoutOf([
  { name: 'a "b"', type: DataType.INT16, address: '1!400001', description: 'an\nend' },
  { name: 'text', type: DataType.STRING },
  { name: 'raw', type: DataType.BYTES },
  { name: 'real', type: DataType.FLOAT },
]);
const sample = sampleWith(layout, [5, 'say "hi"', Buffer.from([1, 2]), { fault: ErrorCode.NO_RESPONSE }]);

function bodies(text: string, of: Sample = sample): string[] {
  expect(BodyTemplate.problem(text), text).to.equal(undefined);
  const found: string[] = [];
  BodyTemplate.of(text)
    .bind('up', layout)
    .each(of, (body) => found.push(body.toString()));
  return found;
}

describe('a template of a place', () => {
  it('names groups, or tags', () => {
    const group = PlaceTemplate.of('site/{node}/{group}/{app}');
    expect(group.isPerTag).to.equal(false);
    expect(group.text('up', layout)).to.equal('site/modbus/grp/up');
    const tag = PlaceTemplate.of('{driver}/{tag}/{address}/{type}');
    expect(tag.isPerTag).to.equal(true);
    expect(tag.texts('up', layout)[0]).to.equal('modbus/a "b"/1!400001/INT16');
    expect(tag.text('up', layout, layout.columns[1], (name) => name.toUpperCase())).to.equal(
      'MODBUS/TEXT//STRING',
    );
  });

  it('is refused with what is wrong with it', () => {
    for (const [text, problem] of [
      [
        'a/{tga}',
        '"{tga}" is not a placeholder; there are {app}, {driver}, {node}, {group}, {tag}, {address}, {description} and {type}.',
      ],
      ['a/{value}', '"{value}" is not a placeholder'],
      ['a/{', '"{" is not a placeholder'],
      ['a}', '"}" is not a placeholder'],
      ['{tag:x}', '"{tag:x}" is unknown: {tag} has no formats.'],
      ['{Tag}', '"{Tag}" is not a placeholder'],
      ['{tags}', '"{tags}" is not a placeholder'],
    ] as const)
      expect(PlaceTemplate.problem(text), text).to.include(problem);
    expect(PlaceTemplate.problem('plain')).to.equal(undefined);
  });
});

describe('a template of a body', () => {
  it('makes one of each value without a fault, or with one where it says what is wrong', () => {
    expect(bodies('{"{tag}":{value}}').map((one) => JSON.parse(one) as unknown)).to.deep.equal([
      { 'a "b"': 5 },
      { text: 'say "hi"' },
      { raw: [1, 2] },
    ]);
    expect(bodies('{tag} {error} {reason} {value}')[3]).to.equal(
      `real ${ErrorCode.NO_RESPONSE} The device does not respond. null`,
    );
    expect(bodies('{value:text}')).to.deep.equal(['5', 'say \\"hi\\"', '[1,2]']);
  });

  it('makes one of a sample, with what is between {tags} and {/tags} for each tag', () => {
    const [body = ''] = bodies(
      '{"d":"{description}"}'.replace(
        '{"d":"{description}"}',
        '{ "at": {time:s}, {tags}"{tag}": {value}{/tags} }',
      ),
    );
    expect(JSON.parse(body)).to.deep.equal({ at: 1_650_006_388, 'a "b"': 5, text: 'say "hi"', raw: [1, 2] });
    expect(bodies('{tags:lines}{tag};{value:text}{/tags}\n')).to.deep.equal([
      'a \\"b\\";5\ntext;say \\"hi\\"\nraw;[1,2]\n',
    ]);
    expect(
      bodies('{tags}{tag}{/tags}', { ...sample, due: Uint8Array.from([0, 0, 0, 1]) }),
      'nothing is due',
    ).to.deep.equal([]);
  });

  it('writes times of the source, in every unit', () => {
    const late = {
      ...sample,
      due: Uint8Array.from([1, 1, 0, 0]),
      timestamps: Float64Array.from([1000.5, NaN, NaN, NaN]),
    };
    expect(bodies('{value} {time} {time:s} {time:us} {time:ns} {time:iso}', late)).to.deep.equal([
      '5 1000 1 1000000 1000000000 1970-01-01T00:00:01.000Z',
      '"say \\"hi\\"" 1650006388943 1650006388 1650006388943000 1650006388943000000 2022-04-15T07:06:28.943Z',
    ]);
  });

  it('is refused with what is wrong with it', () => {
    for (const [text, problem] of [
      ['{vlaue}', '"{vlaue}" is not a placeholder'],
      ['{time:xx} {value}', '"{time:xx}" is unknown: there are {time}, {time:s}'],
      ['{tags}{value}', '"{tags}" has no "{/tags}" after it.'],
      ['{value}{/tags}', '"{/tags}" has no "{tags}" before it.'],
      ['{tags}{tags}{/tags}{/tags}', '"{tags}" is within another'],
      ['{tag}{tags}{value}{/tags}', '"{tag}" stands for one tag'],
      ['{tags:x}{/tags}', '"{tags:x}" is unknown: there are {tags}, {tags:lines}, {tags:joined}.'],
      ['{/value}', '"{/value}" is not a placeholder'],
      ['{"a":{}}', 'nothing of a tag is in it'],
    ] as const)
      expect(BodyTemplate.problem(text), text).to.include(problem);
  });
});
