import { Quality } from '@tagway/sdk';
import { unknownPart } from '../compile/arithmetic.ts';
import { refusal } from '../compile/checks.ts';
import { partOf } from '../compile/part.ts';
import type { FunctionCall, FunctionRule } from '../compile/compiler.ts';
import type { Part } from '../compile/part.ts';
import type { Input } from '../input.ts';

/** `tag("node/group/tag")`: the reference stands in the expression and is never calculated. */
function tag({ args, compiler, node }: FunctionCall): Part {
  const [argument] = args;
  if (argument?.op !== 'value' || typeof argument.args !== 'string')
    throw refusal(
      compiler,
      argument ?? node,
      'tag takes a reference in quotation marks: tag("node/group/tag").',
    );
  const input = compiler.input(argument.args, argument);
  const { scope } = compiler;
  return {
    kind: input.kind,
    inputs: [input],
    run: () => {
      if (input.fault !== undefined) throw input.fault;
      scope.quality |= input.quality;
      return input.value;
    },
  };
}

function only({ args, compiler }: FunctionCall): Part {
  return compiler.part(args[0]!);
}

/** `good(x)`: it has a value, and nobody doubts it. Its inputs do not count for the quality of the result. */
function good(call: FunctionCall): Part {
  const part = only(call);
  const { scope } = call.compiler;
  const { run } = part;
  return partOf('bool', [part], () => {
    const before = scope.quality;
    scope.quality = Quality.GOOD;
    try {
      run();
      return scope.quality === Quality.GOOD;
    } catch {
      return false;
    } finally {
      scope.quality = before;
    }
  });
}

function quality(call: FunctionCall): Part {
  const part = only(call);
  const { scope } = call.compiler;
  const { run } = part;
  return partOf('int', [part], () => {
    const before = scope.quality;
    scope.quality = Quality.GOOD;
    try {
      run();
      return scope.quality;
    } finally {
      scope.quality = before;
    }
  });
}

/** The latest time among inputs, NaN when none has one. */
export function latestTime(inputs: readonly Input[]): number {
  let latest = NaN;
  for (const { time } of inputs) if (!(time <= latest)) latest = time;
  return latest;
}

function time(call: FunctionCall): Part {
  const part = only(call);
  const { inputs } = part;
  if (inputs.length === 0)
    throw refusal(
      call.compiler,
      call.node,
      'time takes what is read from a tag: time(tag("node/group/tag")).',
    );
  return partOf('int', [part], () => {
    const latest = latestTime(inputs);
    if (!Number.isNaN(latest)) return Math.round(latest);
    const [{ fault } = {}] = inputs;
    throw fault ?? new Error('An input with a value has a time.');
  });
}

function now({ compiler }: FunctionCall): Part {
  const { scope } = compiler;
  return partOf('int', [], () => Math.round(scope.now));
}

/** A part that fits, or what stands for it while the types of the inputs are not known. */
export function whenKnown(parts: readonly Part[], kind: Part['kind'], make: () => Part): Part {
  return parts.some((part) => part.kind === 'unknown') ? unknownPart(kind, parts) : make();
}

export const inputFunctions: Readonly<Record<string, FunctionRule>> = {
  tag: { least: 1, most: 1, usage: 'tag("node/group/tag")', compile: tag },
  good: { least: 1, most: 1, usage: 'good(x)', compile: good },
  quality: { least: 1, most: 1, usage: 'quality(x)', compile: quality },
  time: { least: 1, most: 1, usage: 'time(x)', compile: time },
  now: { least: 0, most: 0, usage: 'now()', compile: now },
};
