import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Setting } from './generated/plugin.ts';

/** Most errors of one value that are reported. */
const mostErrors = 20;

/** Says in English what ajv's errors mean, one sentence each, the first twenty at most. */
export function sentences(errors: readonly ErrorObject[] | null | undefined): string {
  const all = errors ?? [];
  const leaves = all.filter((one) => !composite.has(one.keyword) && !one.schemaPath.includes('/oneOf/'));
  const isChoice = (one: ErrorObject): boolean =>
    one.keyword === 'required' && one.schemaPath.includes('/anyOf/');
  const said = [
    ...alternatives(leaves.filter(isChoice)),
    ...new Set((leaves.length > 0 ? leaves : all.slice(0, 1)).filter((one) => !isChoice(one)).map(say)),
  ];
  if (said.length === 0) return 'The value is not valid.';
  const rest = said.length - mostErrors;
  return [...said.slice(0, mostErrors), ...(rest > 0 ? [`${rest} more are left out.`] : [])].join(' ');
}

function enumerated(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** Of fields of which any one would do, one sentence for each place where none is there. */
function alternatives(errors: readonly ErrorObject[]): string[] {
  return [...Map.groupBy(errors, ({ instancePath }) => instancePath)].map(([path, missing]) => {
    const place = placeOf(path);
    const names = missing.map(({ params }) =>
      join(place, String((params as Record<string, unknown>)['missingProperty'])),
    );
    return `One of the fields ${enumerated([...new Set(names)])} must be given.`;
  });
}

/** Keywords whose error only repeats that a part of them failed. */
const composite = new Set(['if', 'allOf', 'anyOf', 'propertyNames']);

function say(error: ErrorObject): string {
  const place = placeOf(error.instancePath);
  const subject = place === '' ? 'The value' : `The field ${place}`;
  if (error.propertyName !== undefined)
    return `The field ${join(place, error.propertyName)} has a name that is not allowed.`;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return `The field ${join(place, String(params['missingProperty']))} is missing.`;
    case 'additionalProperties':
      return `The field ${join(place, String(params['additionalProperty']))} is not known.`;
    case 'false schema':
      return `${subject} is not allowed here.`;
    case 'type':
      return `${subject} must be ${typeText(params['type'])}.`;
    case 'not':
      return `${subject} has a type or a value that is not allowed.`;
    case 'enum':
      return `${subject} must be one of ${list(params['allowedValues'])}.`;
    case 'const':
      return `${subject} must be ${JSON.stringify(params['allowedValue'])}.`;
    case 'oneOf':
      return `${subject} must be one of ${list(choicesOf(error))}.`;
    case 'minimum':
      return `${subject} must be at least ${String(params['limit'])}.`;
    case 'maximum':
      return `${subject} must be at most ${String(params['limit'])}.`;
    case 'minLength':
      return params['limit'] === 1
        ? `${subject} must not be empty.`
        : `${subject} must have ${String(params['limit'])} characters or more.`;
    case 'maxLength':
      return `${subject} must have ${String(params['limit'])} characters or fewer.`;
    case 'minItems':
    case 'minProperties':
      return `${subject} must have ${String(params['limit'])} or more entries.`;
    case 'maxItems':
    case 'maxProperties':
      return `${subject} must have ${String(params['limit'])} or fewer entries.`;
    case 'uniqueItems':
      return `${subject} has the same entry twice.`;
    case 'pattern':
      return `${subject} does not ${patternText(error, params['pattern'] as string | undefined)}.`;
    case 'format':
      return `${subject} is not a valid ${String(params['format'])}.`;
    case 'contentEncoding':
      return `${subject} must be the content of a file in base64.`;
    default:
      return `${subject} ${error.message ?? 'is not valid'}.`;
  }
}

/** `/tags/3/name` is `tags[3].name`. */
function placeOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (place, part) => (/^\d+$/.test(part) && place !== '' ? `${place}[${part}]` : join(place, part)),
      '',
    );
}

function join(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

const typeTexts: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function typeText(type: unknown): string {
  const types = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return types.map((one) => typeTexts[one] ?? one).join(' or ');
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : 'the choices';
}

/** `pattern` is absent for the settings of nodes: who sets them reads no regular expressions. */
function patternText({ parentSchema }: ErrorObject, pattern: string | undefined): string {
  if (pattern !== undefined) return `match the pattern ${pattern}`;
  const { examples, default: preset, description } = (parentSchema ?? {}) as Partial<Setting>;
  const fitting = examples ?? (preset ? [preset] : []);
  if (fitting.length > 0) return `have the form of ${fitting.join(' or ')}`;
  return `have the form that is expected: ${(description ?? '').replace(/\.$/, '')}`;
}

function choicesOf(error: ErrorObject): unknown {
  const choices: unknown = error.schema;
  return Array.isArray(choices) ? choices.map((choice: { const?: unknown }) => choice.const) : undefined;
}
