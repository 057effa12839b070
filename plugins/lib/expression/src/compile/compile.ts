import { functions, mathFunctions, methods } from '../functions/table.ts';
import type { Input } from '../input.ts';
import type { ASTNode } from '../parse/parse.ts';
import type { Step } from '../state/step.ts';
import { narrow } from '../whole-numbers.ts';
import { arithmetic, negation } from './arithmetic.ts';
import { refusal } from './checks.ts';
import { comparison, membership } from './comparison.ts';
import { choice, connective, not } from './logic.ts';
import { literalPart } from './part.ts';
import type { Compiler, FunctionRule } from './compiler.ts';
import type { Part, Scope } from './part.ts';

/** How the library holds a number with u. */
interface UnsignedInteger {
  readonly value: bigint;
}

/** Whether this stands before the dot of `math.abs(x)`: no value, but the name of a family of functions. */
const isMath = (node: ASTNode): boolean => node.op === 'id' && node.args === 'math';

/** Compiles a syntax tree, once for each expression, to functions that call each other. */
export class TreeCompiler implements Compiler {
  readonly text: string;
  readonly isChecking: boolean;
  readonly scope: Scope = { now: NaN, quality: 0 };
  readonly steps = new Map<number, Step>();
  stepCount = 0;
  readonly #resolve: (reference: string, start: number) => Input | string;

  /** `resolve` gives the input of a reference, or the sentence that refuses it. */
  constructor(
    text: string,
    isChecking: boolean,
    resolve: (reference: string, start: number) => Input | string,
  ) {
    this.text = text;
    this.isChecking = isChecking;
    this.#resolve = resolve;
  }

  input(reference: string, node: ASTNode): Input {
    const input = this.#resolve(reference, node.start);
    if (typeof input === 'string') throw refusal(this, node, input);
    return input;
  }

  part(node: ASTNode): Part {
    switch (node.op) {
      case 'value':
        return this.#literal(node, node.args);
      case 'id':
        throw refusal(this, node, `There is no "${node.args}". A tag is read with tag("node/group/tag").`);
      case 'call': {
        const [name, args] = node.args;
        return this.#call(node, name, args, functions.get(name));
      }
      case 'rcall': {
        const [name, receiver, args] = node.args;
        if (isMath(receiver)) return this.#call(node, name, args, mathFunctions.get(name), 'math.');
        return this.#call(node, name, [receiver, ...args], methods.get(name), '.');
      }
      case '?:':
        return choice(this, node, node.args);
      case '||':
      case '&&':
        return connective(this, node.op, node.args);
      case '!_':
        return not(this, node.args);
      case '-_':
        return negation(this, node, node.args);
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return arithmetic(this, node, node.op, node.args);
      case 'in':
        return membership(this, node, node.args);
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return comparison(this, node, node.op, node.args);
      case 'list':
        throw refusal(this, node, 'A list stands only after in.');
      default:
        throw refusal(this, node, 'Maps, fields and elements are not supported.');
    }
  }

  #call(
    node: ASTNode,
    name: string,
    args: readonly ASTNode[],
    rule: FunctionRule | undefined,
    prefix = '',
  ): Part {
    if (rule === undefined) throw refusal(this, node, `There is no function ${prefix}${name}.`);
    const { least, most, usage } = rule;
    if (args.length < least || args.length > most) {
      const isOptional = usage.includes('reset') && args.length < least;
      const advice = isOptional ? '; the reset may be left out' : '';
      throw refusal(this, node, `It is written ${usage}${advice}.`);
    }
    return rule.compile({ name, node, args, compiler: this });
  }

  #literal(node: ASTNode, value: unknown): Part {
    switch (typeof value) {
      case 'boolean':
        return literalPart('bool', value);
      case 'string':
        return literalPart('string', value);
      case 'number':
        return literalPart('double', value);
      case 'bigint':
        if (value > 0x7fff_ffff_ffff_ffffn) throw refusal(this, node, 'This is no whole number of 64 bits.');
        return literalPart('int', narrow(value));
      default:
        if (value instanceof Uint8Array) return this.#bytes(node, value);
        if (value === null)
          throw refusal(this, node, 'There is no null; good(x) says whether x has a value.');
        return literalPart('uint', narrow((value as UnsignedInteger).value));
    }
  }

  /** The library makes one byte of every character of a literal, which is right for those of ASCII alone. */
  #bytes(node: ASTNode, value: Uint8Array): Part {
    for (const character of this.text.slice(node.start, node.end))
      if (character > '\x7f')
        throw refusal(this, node, 'Bytes beyond ASCII are written as \\x and two digits.');
    return literalPart('bytes', value);
  }
}
