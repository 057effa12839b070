export { check, Expression } from './expression.ts';
export { ExpressionError, NOT_CALCULABLE } from './expression-fault.ts';
export { usages } from './functions/table.ts';
export { Input } from './input.ts';
export { kindName, kindOf } from './kinds.ts';
export type { Kind, Operand } from './kinds.ts';
export { longestExpression } from './parse/parse.ts';
