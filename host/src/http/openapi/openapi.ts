import {
  ErrorCode,
  errorMeaning,
  type ApiTypes,
  type ErrorName,
  type Dialect,
  type Role,
} from '@tagway/schemas';
import { apiDefinitionNames, definitionOf } from '@tagway/schemas/validate';
import type { BuildInfo } from '../endpoints/information.ts';
import { exampleOf, type Schemas } from './openapi-example.ts';
import { answerOf } from '../reply.ts';
import { lockedEndpoints } from '../guard/locked.ts';
import { answersOnStandby } from '../guard/standby.ts';
import type { Route } from '../route.ts';

/** The document, and as much of its shape as the page of it needs. */
export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly object[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: object;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly object[];
  /** Who may call it: users and tokens of this role and of those that include it. */
  readonly 'x-role'?: Role;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: object;
}

interface Response {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
  readonly headers?: Readonly<Record<string, object>>;
  /** The codes at this status and what they mean. */
  readonly 'x-codes'?: Readonly<Record<string, string>>;
}

interface QuerySchema {
  readonly properties?: Readonly<Record<string, object & { readonly description?: string }>>;
  readonly required?: readonly string[];
}

const description = `Bodies and replies are JSON in UTF-8. Every reply of a failed call carries an integer \`error\`, and so does
that of a call that only changes something, where 0 is success. All but a few endpoints take a bearer token of
\`POST /api/v2/login\`, or one of \`POST /api/v2/tokens\` for a machine, and each names the least role that it needs as \`x-role\`:
viewer, operator, engineer or admin. An unknown path is answered with 404, a method that a path does not have with 405, both with 1003.
Codes from 10000 to 20000 are a plugin's own and travel at 200. Of a pair of gateways the standby refuses changes and reads of values with
409 and 9002, and \`active\` says where the active one answers. Clients without a token that ask for more than their share of the
gateway are answered with 429, 1010 and the header \`Retry-After\`, whatever they ask for, unknown paths included.`;

/** The OpenAPI document of these routes: every definition, and every status and code of every operation in a dialect. */
export function openApiOf(routes: readonly Route[], dialect: Dialect, build: BuildInfo): OpenApi {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route, dialect);
  return {
    openapi: '3.1.0',
    info: { title: 'Tagway management API', version: build.version, description },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(routes.map(({ part }) => part))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: publicDefinitions(),
    },
  };
}

let definitions: Schemas | undefined;

function publicDefinitions(): Schemas {
  definitions ??= Object.fromEntries(
    apiDefinitionNames.map((name) => [name, publicSchema(definitionOf(name))]),
  );
  return definitions;
}

function operationOf(route: Route, dialect: Dialect): OpenApiOperation {
  const { method, path, part, summary, role } = route;
  const words = path.replace('/api/v2', '').split(/[/.]/).filter(Boolean);
  return {
    operationId: [method.toLowerCase(), ...words].join('_'),
    tags: [part],
    summary,
    ...(role === undefined ? { security: [] } : { 'x-role': role }),
    ...inputOf(route),
    responses: responsesOf(route, dialect),
  };
}

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag with which a GET has shown what is to be changed: the change is refused when somebody else has changed it since.',
  schema: { type: 'string' },
};

function inputOf(route: Route): Pick<OpenApiOperation, 'parameters' | 'requestBody'> {
  const { input } = route;
  const conditions = isConditional(route) ? [ifMatch] : [];
  if (input === undefined) return {};
  if (input.in === 'body') {
    const schema = refTo(input.definition);
    const json = { schema, example: exampleOf(schema, publicDefinitions()) };
    const requestBody = { required: true, content: { 'application/json': json } };
    return { ...(conditions.length > 0 && { parameters: conditions }), requestBody };
  }
  const { properties = {}, required = [] } = definitionOf(input.definition) as QuerySchema;
  return {
    parameters: [
      ...Object.entries(properties).map(([name, { description, ...schema }]) => ({
        name,
        in: 'query' as const,
        required: required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema: publicSchema(schema),
      })),
      ...conditions,
    ],
  };
}

/** Whether it changes something that has a revision. */
function isConditional({ hasRevision, isAudited }: Route): boolean {
  return hasRevision === true && isAudited === true;
}

const tokenErrors = [
  'TOKEN_MISSING',
  'TOKEN_UNDECODABLE',
  'TOKEN_EXPIRED',
  'TOKEN_NOT_VALID',
  'TOKEN_INVALID',
] as const;

/** Errors that an endpoint may answer because it needs a token, has a body or a query, or because any endpoint may fail. */
function generalErrors(route: Route): ErrorName[] {
  const { role, input } = route;
  return [
    ...(isConditional(route) ? (['REVISION_STALE'] as const) : []),
    ...(role === undefined ? [] : tokenErrors),
    // Every caller with a token is a viewer at least.
    ...(role === undefined || role === 'viewer' ? [] : (['USER_NOT_PERMITTED'] as const)),
    ...(input?.in === 'body' ? (['BODY_INVALID', 'BODY_TOO_BIG', 'BUSY'] as const) : []),
    ...(input?.in === 'query' ? (['PARAM_INVALID'] as const) : []),
    ...(answersOnStandby(route) ? [] : (['STANDBY'] as const)),
    ...(lockedEndpoints.has(route.name) ? (['CONFIG_MANAGED'] as const) : []),
    'INTERNAL',
  ];
}

function responsesOf(route: Route, dialect: Dialect): Readonly<Record<string, Response>> {
  const { reply = 'ErrorReply', errors = [] } = route;
  const byStatus = new Map<number, Set<number>>([[200, new Set([ErrorCode.SUCCESS])]]);
  for (const name of [...generalErrors(route), ...errors]) {
    const { status, code } = answerOf(dialect, route, ErrorCode[name]);
    if (!byStatus.has(status)) byStatus.set(status, new Set());
    byStatus.get(status)?.add(code);
  }
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b);
  const answers = Object.fromEntries(
    statuses.map(([status, shown]) => [
      String(status),
      {
        ...responseOf(status, [...shown].sort(), status === stale ? 'StaleReply' : reply),
        ...(route.hasRevision === true && status === 200 && { headers: { ETag: etag } }),
      },
    ]),
  );
  return {
    ...answers,
    [tooMany]: { ...responseOf(tooMany, [ErrorCode.BUSY], reply), headers: { 'Retry-After': retryAfter } },
  };
}

/** The status for clients without a token that ask for more than the rate limit allows, at any endpoint: see `request-queue.ts`. */
const tooMany = 429;

const retryAfter = {
  description: 'Seconds after which to ask again.',
  schema: { type: 'integer' },
};

/** The status of what was refused because of its If-Match. */
const stale = 412;

const etag = {
  description: 'The revision of what is shown or, in reply to If-Match, of what was changed.',
  schema: { type: 'string' },
};

function responseOf(status: number, codes: readonly number[], reply: NonNullable<Route['reply']>): Response {
  const sentences = codes.map((code) => `${code}: ${errorMeaning(code)}`);
  const error = { allOf: [refTo('ErrorReply'), { properties: { error: { enum: codes } } }] };
  const errors = codes.filter((code) => code !== 0);
  const explained = {
    description: sentences.join(' '),
    'x-codes': Object.fromEntries(codes.map((code) => [code, errorMeaning(code)])),
  };
  if (typeof reply === 'string' || !('type' in reply)) {
    // A batch that was applied in part answers as one that was applied.
    const succeeds = status === 200 || status === 206;
    const options = [
      ...(succeeds || status === stale ? [reply].flat().map(refTo) : []),
      ...(status === stale || (succeeds && errors.length === 0) ? [] : [error]),
    ];
    const schema = options.length === 1 ? options[0] : { anyOf: options };
    return { ...explained, content: { 'application/json': { schema: schema ?? error } } };
  }
  if (status !== 200) return { ...explained, content: { 'application/json': { schema: error } } };
  const json = errors.length === 0 ? {} : { 'application/json': { schema: error } };
  return { ...explained, content: { [reply.type]: { schema: schemaOf(reply.type) }, ...json } };
}

/** A body that is not described by a definition: a JSON object, text, or bytes. */
function schemaOf(type: string): object {
  if (type === 'application/json') return { type: 'object' };
  return type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };
}

function refTo(definition: keyof ApiTypes): object {
  return { $ref: `#/components/schemas/${definition}` };
}

/** A schema as the document has it: references point to its components, and hints for our own generator are left out. */
function publicSchema(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === 'tsType' ? undefined : value)).replaceAll(
      /"[a-z-]*(?:\.json)?#\/\$defs\//g,
      '"#/components/schemas/',
    ),
  ) as object;
}
