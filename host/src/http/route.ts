import type { ApiTypes, ErrorName, Role } from '@tagway/schemas';
import { ErrorCode } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { Fault } from '@tagway/sdk';
import { parseJson } from '@tagway/sdk/json';
import type { Readable } from 'node:stream';
import type { Condition } from '../core/records/state.ts';
import { openBodyLimit, openBodyTime, readBody } from './body/body.ts';
import { betweenSteps, parseBody } from './body/json-body.ts';
import type { Context } from './request.ts';
import { atRevision, type Revised } from './revisions.ts';
import { requestedChange, type Audited } from './audit/requested-change.ts';
import { warnOfMembers } from './warnings.ts';

/** What an endpoint answers: a JSON value, JSON text that is ready to send, or undefined for `{"error":0}`; or `Content`. */
export type Result = object | Buffer | undefined;

/** A reply of 200 that is not JSON. */
export class Content {
  /** Exactly the content type to send. */
  readonly type: string;
  readonly body: Buffer | string | Readable;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: string, body: Content['body'], headers: Content['headers'] = {}) {
    this.type = type;
    this.body = body;
    this.headers = headers;
  }
}

type Definition = keyof ApiTypes;

/** Who may call an endpoint: callers of a role that includes this one, or everybody, without a token. */
type Access = { readonly role: Role; readonly open?: false } | { readonly open: true; readonly role?: never };

/** What an endpoint says of itself. The OpenAPI document is made of it, and replies get their status from it. */
export type About = Access & Description;

interface Description {
  readonly summary: string;
  /** What it answers on success: one of these definitions of `schemas/api`, or a content type. Default: `ErrorReply`. */
  readonly reply?: Definition | readonly Definition[] | { readonly type: string };
  /** Errors that it may answer beside those of every endpoint of its kind: see `generalErrors` in `openapi.ts`. */
  readonly errors?: readonly ErrorName[];
  /** Statuses of errors that differ from the error table. Those of the dialect for the endpoint come first. */
  readonly statuses?: Readonly<Partial<Record<ErrorName, number>>>;
  /**
   * What the standby of a pair does: it answers endpoints that concern this gateway alone and read no values of tags, and refuses all
   * others with STANDBY. Default: it answers GETs only.
   */
  readonly onStandby?: 'answers' | 'refuses';
}

/** What endpoints need to know of the server that serves them. */
export interface ServerFacts {
  /** Most bytes of a request body. */
  readonly bodyLimit: number;
  /** See `revisionKey`. */
  readonly revisionKey: Buffer;
}

/** An endpoint without its method and path. */
export type Endpoint = About & {
  /** Where the request carries what definition of `schemas/api`. */
  readonly input?: { readonly in: 'body' | 'query'; readonly definition: Definition };
  readonly handle: (ctx: Context, server: ServerFacts) => Result | Promise<Result | void>;
  /** Its replies have an ETag and, if it changes something (`isAudited`), it observes If-Match. */
  readonly hasRevision?: boolean;
  /** The audit keeps the changes of its requests. */
  readonly isAudited?: boolean;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Endpoints by method and path, such as `POST /api/v2/tags`. The compiler refuses a literal that has one twice. */
export type Endpoints = Readonly<Record<`${Method} /${string}`, Endpoint>>;

/** An endpoint with its method and its path. */
export type Route = Endpoint & {
  /** Such as `POST /api/v2/tags`. */
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  /** Title of the part of the API that it belongs to. */
  readonly part: string;
};

/** The routes of the parts of the API, in this order. Throws when two parts have an endpoint of the same name. */
export function routesOf(parts: readonly (readonly [title: string, endpoints: Endpoints])[]): Route[] {
  const routes = new Map<string, Route>();
  for (const [part, endpoints] of parts) {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      if (routes.has(name)) throw new Error(`The endpoint ${name} is there twice.`);
      const [method, path] = name.split(' ') as [Method, string];
      routes.set(name, { ...endpoint, name, method, path, part });
    }
  }
  return [...routes.values()];
}

/** `condition` is what a request with If-Match makes a change depend on. An endpoint with a revision passes it on to the core. */
type Handler<Input> = (input: Input, ctx: Context, condition?: Condition) => Result | Promise<Result | void>;

interface Revisable<Input> {
  /** What the request shows or changes, as a GET of it answers; undefined where that has no revision. Throws when it is not there. */
  readonly revision?: (input: Input) => Revised | undefined;
}

interface Carries {
  /** The body holds tag values, whose 64-bit integers must stay exact: they are bigints. */
  readonly values?: boolean;
}

/** An endpoint whose JSON body fits a definition of `schemas/api`; a body that does not is answered with BODY_INVALID. */
export function withBody<Name extends Definition>(
  definition: Name,
  {
    values = false,
    revision,
    audit,
    isLogged,
    settings,
    ...about
  }: About & Carries & Revisable<ApiTypes[Name]> & Audited<ApiTypes[Name]>,
  handler: Handler<ApiTypes[Name]>,
): Endpoint {
  const audited = { audit, isLogged, settings };
  const changes = audit !== 'nothing';
  const check = checkOf(definition);
  const parse = values ? parseJson : (JSON.parse as (text: string) => unknown);
  return {
    ...about,
    hasRevision: revision !== undefined,
    isAudited: changes,
    input: { in: 'body', definition },
    async handle(ctx, { bodyLimit, revisionKey }) {
      const limits =
        about.role === undefined
          ? { bytes: Math.min(openBodyLimit, bodyLimit), within: openBodyTime }
          : { bytes: bodyLimit };
      const bytes = await readBody(ctx.req, ctx.res, limits);
      const body = await parseBody(bytes, parse);
      const message = check(body);
      await betweenSteps(bytes);
      // Also for a body that is refused: a missing member may be there under a wrong name.
      warnOfMembers(ctx, definition, body);
      if (message !== undefined) throw new Fault(ErrorCode.BODY_INVALID, message);
      const input = body as ApiTypes[Name];
      ctx.state.change = requestedChange(audited, input);
      await betweenSteps(bytes);
      const see = revision && (() => revision(input));
      return atRevision(ctx, revisionKey, see, changes, (condition) => handler(input, ctx, condition));
    },
  };
}

/** An endpoint whose query fits a definition of `schemas/api`; one that does not is answered with PARAM_INVALID. */
export function withQuery<Name extends Definition>(
  definition: Name,
  {
    revision,
    audit = 'nothing',
    isLogged,
    settings,
    ...about
  }: About & Revisable<ApiTypes[Name]> & Partial<Audited<ApiTypes[Name]>>,
  handler: Handler<ApiTypes[Name]>,
): Endpoint {
  const audited = { audit, isLogged, settings };
  const changes = audit !== 'nothing';
  const check = checkOf(definition);
  return {
    ...about,
    hasRevision: revision !== undefined,
    isAudited: changes,
    input: { in: 'query', definition },
    handle(ctx, { revisionKey }) {
      const query: unknown = ctx.query;
      const message = check(query);
      if (message !== undefined) throw new Fault(ErrorCode.PARAM_INVALID, message);
      const input = query as ApiTypes[Name];
      ctx.state.change = requestedChange(audited, input);
      const see = revision && (() => revision(input));
      return atRevision(ctx, revisionKey, see, changes, (condition) => handler(input, ctx, condition));
    },
  };
}

/** An endpoint that takes neither a body nor a query. */
export function bare(about: About, handle: (ctx: Context) => Result | Promise<Result>): Endpoint {
  return { ...about, handle };
}
