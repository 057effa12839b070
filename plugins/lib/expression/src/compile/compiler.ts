import type { Input } from '../input.ts';
import type { ASTNode } from '../parse/parse.ts';
import type { Step } from '../state/step.ts';
import type { Part, Scope } from './part.ts';

/** What a rule needs that compiles a part. */
export interface Compiler {
  readonly text: string;
  readonly scope: Scope;
  /** Only what is wrong is looked for: the types of the inputs are not known. Otherwise an input without a type is one without a value. */
  readonly isChecking: boolean;
  /**
   * The functions with a state by their number in the expression, those inside of others first. One whose argument has no type yet has a
   * number and is not there.
   */
  readonly steps: Map<number, Step>;
  /** How many functions with a state were found. */
  stepCount: number;
  part(node: ASTNode): Part;
  input(reference: string, node: ASTNode): Input;
}

/** A call of a function: its name, its arguments, and where it stands. */
export interface FunctionCall {
  readonly name: string;
  readonly node: ASTNode;
  readonly args: readonly ASTNode[];
  readonly compiler: Compiler;
}

/** A function: how many arguments it takes, and how a call of it is compiled. */
export interface FunctionRule {
  readonly least: number;
  readonly most: number;
  /** As people write it, for refusals and for the page. */
  readonly usage: string;
  readonly compile: (call: FunctionCall) => Part;
}
