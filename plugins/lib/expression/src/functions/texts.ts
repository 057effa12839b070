import { RE2JS, RE2JSException } from 're2js';
import { faultAt, refusal, textAt, wholeAt } from '../compile/checks.ts';
import { partOf } from '../compile/part.ts';
import type { FunctionCall, FunctionRule } from '../compile/compiler.ts';
import type { Part } from '../compile/part.ts';
import type { Operand } from '../kinds.ts';
import { whenKnown } from './inputs.ts';

/** Most characters of a pattern, and of a text that is looked through: together they bound what `matches` costs. */
const longestPattern = 256;
const longestMatched = 4096;
const longestResult = 65_535;

/** Characters of Unicode, as CEL counts. */
const characterCount = (text: string): number => Array.from(text).length;

const texts = ({ args, compiler, name }: FunctionCall): Part[] =>
  args.map((arg) => textAt(compiler, arg, `What ${name} takes`));

/** A function of a text and of others; the first is what stands before the dot. */
function ofTexts(
  usage: string,
  count: 1 | 2 | 3,
  kind: 'bool' | 'string',
  calculate: (text: string, second: string, third: string) => Operand,
): FunctionRule {
  const compile = (call: FunctionCall): Part => {
    const parts = texts(call);
    const tooLong = faultAt(
      call.compiler,
      call.node,
      `The result is longer than ${longestResult} characters.`,
    );
    const [a, b = () => '', c = () => ''] = parts.map((part) => part.run as () => string);
    return partOf(kind, parts, () => {
      const result = calculate(a!(), b(), c());
      if (typeof result === 'string' && result.length > longestResult) throw tooLong();
      return result;
    });
  };
  return { least: count, most: count, usage, compile };
}

function size({ args, compiler, node }: FunctionCall): Part {
  const part = compiler.part(args[0]!);
  return whenKnown([part], 'int', () => {
    const { kind, run } = part;
    if (kind === 'bytes') return partOf('int', [part], () => (run() as Uint8Array).length);
    if (kind === 'string') return partOf('int', [part], () => characterCount(run() as string));
    throw refusal(compiler, node, 'size takes a text or bytes.');
  });
}

/** The pattern is compiled once. RE2 takes time in proportion to the text, whatever the pattern. */
function matches({ args, compiler, node }: FunctionCall): Part {
  const [subject, pattern] = args;
  const text = textAt(compiler, subject!, 'What matches looks through');
  const { literal } = compiler.part(pattern!);
  if (typeof literal !== 'string' || literal.length > longestPattern)
    throw refusal(
      compiler,
      pattern!,
      `matches takes a pattern in quotation marks of at most ${longestPattern} characters.`,
    );
  const regex = compiled(literal, (reason) =>
    refusal(compiler, pattern!, `RE2 does not take the pattern: ${reason}.`),
  );
  const tooLong = faultAt(compiler, node, `matches looks through at most ${longestMatched} characters.`);
  const { run } = text;
  return partOf('bool', [text], () => {
    const subjectText = run() as string;
    if (subjectText.length > longestMatched) throw tooLong();
    return regex.matcher(subjectText).find();
  });
}

function compiled(pattern: string, refused: (reason: string) => Error): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) throw refused(error.message);
    throw error;
  }
}

/** `text.substring(from)` and `text.substring(from, to)`, counted in characters from 0. */
function substring({ args, compiler, node }: FunctionCall): Part {
  const text = textAt(compiler, args[0]!, 'What substring takes a piece of');
  const bounds = args.slice(1).map((arg) => wholeAt(compiler, arg, 'A place in a text'));
  const outside = faultAt(compiler, node, 'The place lies outside of the text.');
  const parts = [text, ...bounds];
  const [from, to] = bounds.map((part) => part.run as () => number | bigint);
  return partOf('string', parts, () => {
    const characters = Array.from(text.run() as string);
    const begin = Number(from!());
    const end = to === undefined ? characters.length : Number(to());
    if (begin < 0 || end < begin || end > characters.length) throw outside();
    return characters.slice(begin, end).join('');
  });
}

function indexOf({ args, compiler }: FunctionCall): Part {
  const parts = args.map((arg) => textAt(compiler, arg, 'What indexOf takes'));
  const [text, wanted] = parts.map((part) => part.run as () => string);
  return partOf('int', parts, () => {
    const whole = text!();
    const at = whole.indexOf(wanted!());
    return at < 1 ? at : characterCount(whole.slice(0, at));
  });
}

/** White space of Unicode at both ends, which is not quite what JavaScript trims. */
const outerSpace = /^\p{White_Space}+|\p{White_Space}+$/gu;

const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

/** Functions that are written behind a text and a dot; what stands before the dot is the first argument. */
export const textMethods: Readonly<Record<string, FunctionRule>> = {
  size: { least: 1, most: 1, usage: 'text.size()', compile: size },
  contains: ofTexts('text.contains(piece)', 2, 'bool', (text, piece) => text.includes(piece)),
  startsWith: ofTexts('text.startsWith(piece)', 2, 'bool', (text, piece) => text.startsWith(piece)),
  endsWith: ofTexts('text.endsWith(piece)', 2, 'bool', (text, piece) => text.endsWith(piece)),
  matches: { least: 2, most: 2, usage: 'text.matches("pattern")', compile: matches },
  lowerAscii: ofTexts('text.lowerAscii()', 1, 'string', lower),
  upperAscii: ofTexts('text.upperAscii()', 1, 'string', upper),
  trim: ofTexts('text.trim()', 1, 'string', (text) => text.replace(outerSpace, '')),
  replace: ofTexts('text.replace(piece, other)', 3, 'string', (text, piece, other) =>
    text.split(piece).join(other),
  ),
  substring: { least: 2, most: 3, usage: 'text.substring(from, to)', compile: substring },
  indexOf: { least: 2, most: 2, usage: 'text.indexOf(piece)', compile: indexOf },
};

export const textFunctions: Readonly<Record<string, FunctionRule>> = {
  size: { least: 1, most: 1, usage: 'size(text)', compile: size },
  matches: { least: 2, most: 2, usage: 'matches(text, "pattern")', compile: matches },
};
