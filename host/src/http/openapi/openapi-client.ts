import type { OpenApi } from './openapi.ts';

/** As much of a schema as is rewritten. */
interface Node {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Node[];
  readonly allOf?: readonly Node[];
  readonly additionalProperties?: unknown;
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

/**
 * The same document for generators of clients, which know fewer keywords of JSON Schema than validators. It accepts and refuses the same
 * values.
 */
export function forGenerators(document: OpenApi): OpenApi {
  const { components, paths, ...rest } = document;
  return {
    ...rest,
    paths: rewritten(paths) as OpenApi['paths'],
    components: rewritten(components) as object,
  };
}

function rewritten(value: unknown, isData = false): unknown {
  if (Array.isArray(value)) return value.map((one) => rewritten(one, isData));
  if (typeof value !== 'object' || value === null) return value;
  if (isData) return value;
  const members = Object.entries(value).map(([key, member]) => [
    key,
    rewritten(member, key === 'example' || key === 'x-codes'),
  ]);
  return typed(open(alternatives(Object.fromEntries(members) as Node)));
}

const isRequirement = (node: Node): boolean => Object.keys(node).join() === 'required';
const isChoice = ({ anyOf }: Node): boolean => anyOf?.every(isRequirement) === true;

/**
 * An object that must have one member or another, as an `anyOf` of whole objects: generators do not understand an `anyOf` that has only
 * `required`.
 */
function alternatives(node: Node): Node {
  const { anyOf, allOf, ...base } = node;
  if (base.properties === undefined) return node;
  const choices = [
    ...(isChoice(node) ? [anyOf ?? []] : []),
    ...(allOf ?? []).filter(isChoice).map((one) => one.anyOf ?? []),
  ];
  if (choices.length === 0) return node;
  const others = (allOf ?? []).filter((one) => !isChoice(one));
  const wanted = choices.reduce<string[][]>(
    (lists, choice) => lists.flatMap((list) => choice.map(({ required = [] }) => [...list, ...required])),
    [[]],
  );
  const { description, ...shape } = base;
  return {
    ...(description !== undefined && { description }),
    anyOf: wanted.map((more) => ({ ...shape, required: [...(base.required ?? []), ...more] })),
    ...(!isChoice(node) && anyOf !== undefined && { allOf: [...others, { anyOf }] }),
    ...(isChoice(node) && others.length > 0 && { allOf: others }),
  };
}

/** An object without further keywords may have any members, but generators make an object without members of it. */
function open(node: Node): Node {
  const isObject = [node.type].flat().includes('object');
  const isBare = ['properties', 'additionalProperties', 'allOf', 'anyOf'].every(
    (key) => node[key] === undefined,
  );
  return isObject && isBare ? { ...node, additionalProperties: true } : node;
}

/** Adds the type to a list of values, which generators do not infer from the values. */
function typed(node: Node): Node {
  if (node.type !== undefined || !Array.isArray(node.enum) || node.enum.length === 0) return node;
  if (node.enum.every((value) => Number.isInteger(value))) return { ...node, type: 'integer' };
  if (node.enum.every((value) => typeof value === 'string')) return { ...node, type: 'string' };
  return node;
}
