import { DataType } from '@tagway/sdk';
import { layoutOf } from '@tagway/sdk/internal';
import { checkedSettings } from '@tagway/testkit';
import { expect } from 'chai';
import schema from '../settings.schema.json' with { type: 'json' };
import { pointList } from '../src/points/point-list.ts';
import { checkSettings, checkSubscription, type Settings } from '../src/settings.ts';

const refusal = (points: unknown): string =>
  checkSubscription({ params: { points } as { points: string } })?.message ?? '';
const row = (line: string): string =>
  refusal(`tag,type,object,ca,groups,counters,cyclic,deadband,select,pulse\n${line}`);

describe('the table', () => {
  it('is CSV with names of columns', () => {
    expect(refusal(undefined)).to.equal('');
    expect(refusal('')).to.equal('');
    expect(refusal('object, type ,tag\r\n1,30,"a, ""b"""\r\n\r\n2,31,c\r\n')).to.equal('');
    expect(refusal(5)).to.equal('The parameter "points" is a text: the table of objects, as CSV.');
    expect(refusal('tag,type,object\n"a,30,1')).to.equal('A quotation mark in "points" is not closed.');
    expect(refusal('tag,type,object,name')).to.match(
      /^The first line of "points" has "name", and its columns are tag, type, /,
    );
    expect(refusal('tag,object\na,1')).to.match(/names the columns, and "type" is not among them/);
    expect(refusal(`tag,type,object\n${'a,30,1\n'.repeat(20_001)}`)).to.include('20000 are the most');
  });

  it('says which row is wrong, and why', () => {
    const wrong: readonly (readonly [line: string, sentence: RegExp])[] = [
      [',30,1', /names no tag/],
      ['a,21,1', /"type" is "21"/],
      ['a,52,1', /"type" is "52"/],
      ['a,,1', /"type" is ""/],
      ['a,30,0', /"object" is "0"/],
      ['a,30,16777216', /"object" is "16777216"/],
      ['a,30,1.5', /"object" is "1.5"/],
      ['a,30,1,65535', /"ca" is "65535"/],
      ['a,30,1,,17', /"groups" has "17"/],
      ['a,15,1,,3', /counters are not in/],
      ['a,15,1,,,5', /"counters" is "5"/],
      ['a,30,1,,,1', /"counters" is "1"/],
      ['a,30,1,,,,yes', /"cyclic" is for measured values/],
      ['a,13,1,,,,maybe', /"cyclic" is "maybe"/],
      ['a,13,1,,,,,-1', /"deadband" is "-1"/],
      ['a,13,1,,,,,,yes', /"select" is for commands/],
      ['a,45,1,,1', /"groups" is for what is reported/],
      ['a,51,1,,,,,,yes', /a bit string has no selection/],
      ['a,45,1,,,,,,,brief', /"pulse" is "brief"/],
      ['a,50,1,,,,,,,short', /"pulse" is for single and double commands/],
    ];
    for (const [line, sentence] of wrong) {
      expect(row(line), line).to.match(sentence);
      expect(row(line)).to.match(/^The row 2 of "points" is not right: .*\.$/);
    }
    expect(row('a,30,1\nb,30,1')).to.match(/^The rows 2 and 3 of "points" have the same object 1/);
    expect(row('a,30,1\na,45,1'), 'a report and a command').to.equal('');
    expect(row('a,30,1,7\nb,30,1,8'), 'of two common addresses').to.equal('');
  });

  it('makes a list for the people of the control centre', () => {
    const settings = checkedSettings<Settings>(schema, { ca: 5 });
    const tag = (name: string, unit = '') => ({
      name,
      type: DataType.FLOAT,
      attribute: 3,
      address: name,
      precision: 0,
      decimal: 0,
      bias: 0,
      unit,
      description: name === 'level' ? 'Level, upper basin' : '',
    });
    const layout = layoutOf(1, { driver: 'plant', group: 'g', interval: 100 }, [tag('level', 'm'), tag('b')]);
    const points = 'tag,type,object,ca,groups,counters\nlevel,36,20,,1 3,\nb,50,7,,,\nb,37,8,,,2';
    const [list] = pointList(settings, { driver: 'plant', group: 'g', layout, params: { points } });
    expect(list?.topic).to.equal('plant/g');
    expect(list?.payload.split('\n')).to.deep.equal([
      'common address,object,type,name,direction,groups,tag,description,unit',
      '5,7,50,C_SE_NC_1,command,,plant/g/b,,',
      '5,8,37,M_IT_TB_1,report,2,plant/g/b,,',
      '5,20,36,M_ME_TF_1,report,1 3,plant/g/level,"Level, upper basin",m',
    ]);
  });
});

describe('settings', () => {
  it('that do not fit are refused with a sentence', () => {
    const wrong: readonly (readonly [settings: object, sentence: RegExp])[] = [
      [{ host: 'http://x' }, /The setting host is "http:\/\/x"/],
      [{ t1: 5, t2: 5 }, /^t2 must be less than t1/],
      [{ k: 4, w: 5 }, /^w must not be more than k/],
      [{ centres: 'north' }, /^The setting centres has "north": a redundancy group is a name/],
      [{ centres: 'n = 10.0.0.1; N = 10.0.0.2' }, /has "N" twice/],
      [{ centres: 'n = plant' }, /not right in "n": "plant" is neither an address nor a network/],
      [
        { centres: Array.from({ length: 9 }, (_, index) => `n${index} = 10.0.0.${index}`).join(';') },
        /8 are the most/,
      ],
      [
        { command_addresses: '10.0.0.1/40' },
        /^The setting command_addresses is not right: "10\.0\.0\.1\/40"/,
      ],
      [{ command_names: 'north' }, /needs? tls|with tls alone/],
      [
        { tls: true, tls_cert: 'AAAA', tls_key: 'AAAA', tls_ca: 'AAAA' },
        /^The setting tls_cert is no certificate/,
      ],
    ];
    for (const [settings, sentence] of wrong)
      expect(checkSettings(checkedSettings(schema, settings))?.message, JSON.stringify(settings)).to.match(
        sentence,
      );
    expect(
      checkSettings(checkedSettings(schema, { centres: 'n = 10.0.0.1, 10.1.0.0/16; s = ::1' })),
    ).to.equal(undefined);
  });
});
