import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, Fault } from '@tagway/sdk';
import { checkTag } from '../src/check-tag.ts';
import { parseDefinition } from '../src/definition/definition.ts';

const T = 'tag("n/g/T")';

const checked = (address: string, type: DataType = DataType.STRING, attribute: number = Attribute.READ) =>
  checkTag({ name: 'alarm', address, type, attribute });

describe('The address of an alarm', () => {
  it('has all of it', () => {
    const definition = parseDefinition(
      `high(${T}, 90, deadband: 2, on: 5, off: 10.5, priority: high, latching: true, acknowledge: false, text: "T is " + string(${T}), suppressed: tag("n/g/off"))`,
    );
    const { condition, suppressed, text, ...rest } = definition;
    expect(rest).to.deep.equal({
      deadband: 2,
      onDelay: 5,
      offDelay: 10.5,
      priority: 'high',
      isLatching: true,
      needsAcknowledgement: false,
    });
    expect(condition).to.deep.equal({ kind: 'high', measured: `     ${T}`, limit: 90 });
    expect(text?.trim()).to.equal(`"T is " + string(${T})`);
    expect(suppressed?.trim()).to.equal('tag("n/g/off")');
  });

  for (const address of [
    `high_high(${T}, 95)`,
    `low( ${T} , -5 )`,
    `low_low(${T} * 1.8 + 32.0, 1e-3)`,
    `deviation(${T}, tag("n/g/other"), 3, deadband: 1)`,
    `rate(${T}, 0.5)`,
    `equal(${T}, 3, "a, b) \\" c", true)`,
    `no_data(${T}, 60)`,
    `condition(${T} > 5 && (true ? ${T} in [1, 2] : false), on: 3)`,
    `condition(${T} > 5 // above, five)\n && true)`,
    `condition("""a, " )""" == 'it\\'s, )' + string(${T}), text: "its")`,
  ])
    it(`may be ${address}`, () => expect(checked(address)).to.equal(undefined));

  const refused: readonly (readonly [address: string, sentence: string])[] = [
    [
      '',
      'Character 1: An alarm begins with the name of its condition and a parenthesis: high(tag("node/group/tag"), 90).',
    ],
    [`high(${T}, 90`, 'Character 22: A closing parenthesis is missing here.'],
    [`high(${T}, 90) 5`, 'Character 24: The definition of the alarm has ended before this.'],
    [`highest(${T}, 90)`, 'Character 1: There is no condition "highest". It is one of: '],
    [`high(${T})`, 'Character 1: high is written high(x, limit), and options follow: deadband: 2, on: 5.'],
    [`high(${T} +, 90)`, 'Character 20: A value is missing here: there is the end of the expression.'],
    [
      `deviation(${T}, ${T} +, 90)`,
      'Character 39: A value is missing here: there is the end of the expression.',
    ],
    [`high("text", 90)`, 'Character 6: What is compared with a limit cannot be a text.'],
    [`high(${T}, ${T})`, 'Character 20: The limit is a number that is written out, such as 90 or -2.5.'],
    [`high(${T}, 90, on: -1)`, 'Character 28: The delay in seconds cannot be less than 0.'],
    [`high(${T}, 90, on:)`, 'Character 27: The value of on is missing here.'],
    [`high(${T}, 90, on: 1, on: 2)`, 'Character 31: The option on is there twice.'],
    [`high(${T}, 90, colour: 5)`, 'Character 24: Here stands no option.'],
    [`high(${T}, 90, on: 1, 5)`, 'Character 31: Here stands no option.'],
    [`high(${T}, 90, priority: urgent)`, 'Character 34: The priority is one of: low, medium, high.'],
    [`high(${T}, 90, latching: yes)`, 'Character 34: latching is true or false.'],
    [`high(${T}, 90, text: 5)`, 'Character 30: The text of an alarm cannot be a whole number.'],
    [`high(${T}, 90, suppressed: 5 +)`, 'A value is missing here'],
    [`condition(${T} + 1.0 + "a")`, 'Character'],
    [`condition(5)`, 'Character 11: The condition of an alarm cannot be a whole number.'],
    [
      `condition(${T} > 5, deadband: 1)`,
      'Character 1: A deadband belongs to a limit, and condition has none.',
    ],
    [
      `rate(${T}, 5, deadband: 5)`,
      'Character 1: The deadband is not smaller than the limit: the alarm would never end.',
    ],
    [`rate(${T}, 0)`, 'Character 20: This limit is more than 0.'],
    [
      `equal(${T}, other)`,
      'Character 21: What is compared with is written out: a number, a text in double quotes, true or false.',
    ],
    [`no_data(${T}, 0)`, 'Character 23: The time without data is more than 0 seconds.'],
    [
      'alarm(T)',
      'Character 1: alarm takes the name of a tag of the same group in quotes: alarm("too hot"). In it, %, /, quotation marks and backslashes are written as in a URL.',
    ],
    [`high(tag("nothing"), 5)`, 'Character 10: This is no reference'],
    [`condition(\n${T} >)`, 'Line 2, character 15: A value is missing here'],
  ];
  for (const [address, sentence] of refused)
    it(`refuses ${address}`, () => {
      const fault = checked(address);
      expect(fault?.code).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      expect(fault?.message).to.include(sentence);
    });

  it('may show the alarm of another tag', () => {
    for (const address of ['alarm("too hot")', " alarm ( 'a %22b%22 (c)' ) "])
      expect(checked(address, DataType.BIT), address).to.equal(undefined);
    for (const address of [
      'alarm("")',
      'alarm("a/b")',
      'alarm("50 %")',
      'alarm("a\\"b")',
      'alarm("a"), alarm("b")',
    ])
      expect(checked(address, DataType.BIT), address).to.be.instanceOf(Fault);
  });

  it('takes types that can show a state, and commands where there is a text', () => {
    const address = `high(${T}, 90)`;
    for (const type of Object.values(DataType)) {
      const isShown = type !== DataType.FLOAT && type !== DataType.DOUBLE && type !== DataType.BYTES;
      expect(checked(address, type)?.code).to.equal(isShown ? undefined : ErrorCode.TAG_TYPE_UNSUPPORTED);
    }
    const both = Attribute.READ | Attribute.WRITE;
    expect(checked(address, DataType.STRING, both)).to.equal(undefined);
    expect(checked(address, DataType.UINT8, both)?.code).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
  });
});
