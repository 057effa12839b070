import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { SerializedIncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { expect } from 'chai';
import { isFault } from '@tagway/sdk';
import { check, Expression, Input } from '../src/index.ts';
import type { Operand } from '../src/index.ts';

/** A case of the specification, as its package has it: JSON of a protocol buffer. */
interface Case {
  readonly expr: string;
  readonly value?: Readonly<Record<string, unknown>>;
  readonly evalError?: unknown;
  readonly bindings?: unknown;
  readonly typeEnv?: unknown;
  readonly container?: unknown;
}

/** What of CEL is not there, by the refusal that says so. */
const unsupported: readonly (readonly [why: string, refusal: RegExp])[] = [
  ['null, which no tag has', /There is no null/],
  ['lists, but after in', /A list stands only after in|After in stands a list|[sS]ize takes/],
  [
    'maps, messages of protocol buffers and their fields',
    /Maps, fields and elements|Unexpected character|Here stands|A value is missing here|Reserved identifier/,
  ],
  ['variables; types as values', /There is no "/],
  ['macros and functions of lists, timestamps, durations, types, and formats', /There is no function/],
  ['further arguments of indexOf and replace', /It is written/],
  [
    'an expression that is an error whatever its inputs are is refused before',
    /, and (this|what stands \w+ of it) is |, which are never equal|are of one kind|takes whole numbers|has no sign|this is true or false/,
  ],
  ['bytes beyond ASCII without an escape', /Bytes beyond ASCII/],
  ['patterns of RE2 that are wrong are refused before', /RE2 does not take/],
  ['numbers beyond 64 bits are refused before', /is no whole number of 64 bits|is no number/],
  ['conversions that have no result are refused before', /makes nothing of/],
  ['more than 50 parentheses or calls in each other', /The expression is too large/],
];

const lossy = 'whole numbers and doubles are compared exactly, without a conversion';
const whole = 'functions of doubles take whole numbers, too';

/** Cases that are calculated otherwise, and why. */
const different: Readonly<Record<string, string>> = {
  'int(-9223372036854775808.0)': 'the least int is exact as a double, and is taken',
  'math.greatest(5u, -7)': 'signs are mixed: the result is a whole number of either',
  'math.greatest(-3, 3u)': 'signs are mixed: the result is a whole number of either',
  'math.greatest(5.4, 10, 3u, -5.0, 9223372036854775807) == 9223372036854775807':
    'doubles are mixed in, so that the result is one',
  'math.greatest(5.4, 10, 3u, -5.0, 18446744073709551615u) == 18446744073709551615u':
    'doubles are mixed in, so that the result is one',
  'dyn(9223372036854775807) < 9223372036854775808.0': lossy,
  'dyn(9223372036854775808.0) > 9223372036854775807': lossy,
  'dyn(9223372036854775808.0) <= 9223372036854775807': lossy,
  'dyn(9223372036854775807) >= 9223372036854775808.0': lossy,
  'math.ceil(dyn(1))': whole,
  'math.floor(dyn(1))': whole,
  'math.round(dyn(1))': whole,
  'math.trunc(dyn(1))': whole,
};

function casesOf(suite: SerializedIncrementalTestSuite): Case[] {
  const own = (suite.tests ?? []).map(({ original }) => original as unknown as Case);
  return [...own, ...(suite.suites ?? []).flatMap(casesOf)];
}

/** The value of the specification as this engine holds it. */
function expected({ value = { boolValue: true } }: Case): unknown {
  const [[kind, content] = ['', undefined]] = Object.entries(value);
  switch (kind) {
    case 'int64Value':
    case 'uint64Value':
      return BigInt(content as string);
    case 'doubleValue':
      return Number(content);
    case 'bytesValue':
      return Buffer.from(content as string, 'base64').toString('hex');
    default:
      return content;
  }
}

function comparable(value: Operand, kind: string): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'number' && kind !== 'double' ? BigInt(value) : value;
}

describe("The conformance cases of CEL's specification", () => {
  const results = { passed: 0, refused: new Map<string, number>(), wrong: [] as string[] };

  before(() => {
    for (const one of casesOf(tests)) judge(one);
  });

  function judge(one: Case): void {
    const { expr } = one;
    if (one.bindings !== undefined || one.typeEnv !== undefined || one.container !== undefined)
      return count('variables and messages that a case brings along');
    const checked = check(expr);
    if (checked instanceof Error) {
      const [why] = unsupported.find(([, refusal]) => refusal.test(checked.message)) ?? [];
      return why === undefined ? wrong(expr, checked.message) : count(why);
    }
    const expression = new Expression(expr, (reference) => new Input(reference));
    expression.observe(0, true);
    let result: unknown;
    try {
      result = comparable(expression.value(), expression.kind);
    } catch (fault) {
      if (!isFault(fault)) throw fault;
      result = fault;
    }
    const isRight = one.evalError === undefined ? Object.is(result, expected(one)) : isFault(result);
    // The type alone is given for some.
    const isTyped =
      'value' in one || one.evalError !== undefined || result === true || !('typedResult' in one);
    if (isRight || !isTyped) results.passed++;
    else if (different[expr] === undefined) wrong(expr, String(result));
    else count(different[expr]);
  }

  function count(why: string): void {
    results.refused.set(why, (results.refused.get(why) ?? 0) + 1);
  }

  function wrong(expr: string, got: string): void {
    results.wrong.push(`${expr} gave ${got}`);
  }

  it('pass as far as the language goes, and what is not there is refused with a sentence', () => {
    expect(results.wrong).to.deep.equal([]);
  });

  it('cover what is there', function () {
    const other = [...results.refused.values()].reduce((sum, count) => sum + count, 0);
    this.test!.title += ` (${results.passed} of ${results.passed + other})`;
    expect(results.passed).to.be.at.least(850);
  });
});
