import type { ApiTypes, ErrorName, Role } from '@tagway/schemas';
import { ErrorCode } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { Fault } from '@tagway/sdk';
import { parseJson } from '@tagway/sdk/json';
import type { Context } from 'koa';
import type { Readable } from 'node:stream';
import { openBodyLimit, openBodyTime, readBody } from './body.ts';
import { betweenSteps, parseBody } from './json-body.ts';
import { atRevision, type Revised } from './revisions.ts';
import { setInput } from './story.ts';
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

/** Who may call an endpoint: whoever has a role that includes this one, or, without a token, everybody. */
type Access = { readonly role: Role; readonly open?: false } | { readonly open: true; readonly role?: never };

/** What an endpoint says of itself. The OpenAPI document is made of it, and replies get their status from it. */
export type About = Access & Description;

interface Description {
  readonly summary: string;
  /** What it answers on success: one of these definitions of `schemas/api`, or a content type. Default: `ErrorReply`. */
  readonly reply?: Definition | readonly Definition[] | { readonly type: string };
  /** What it may answer beside what every endpoint of its kind may: see `generalErrors` in `openapi.ts`. */
  readonly errors?: readonly ErrorName[];
  /** The statuses of errors that are not those of the error table. What the profile says of the endpoint comes first. */
  readonly statuses?: Readonly<Partial<Record<ErrorName, number>>>;
  /**
   * What the standby of a pair does: what is of this gateway alone and no value of a tag is answered, all else is refused with STANDBY.
   * Default: GETs are answered, and nothing else is.
   */
  readonly onStandby?: 'answers' | 'refuses';
}

/** An endpoint without its method and path. */
export type Endpoint = About & {
  /** Where the request carries what definition of `schemas/api`. */
  readonly input?: { readonly in: 'body' | 'query'; readonly definition: Definition };
  readonly handle: (ctx: Context, bodyLimit: number) => Result | Promise<Result | void>;
  /** Its replies carry the revision of what they show, or it changes nothing that is not of the revision that a request names. */
  readonly hasRevision?: boolean;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Endpoints by method and path, such as `POST /api/v2/tags`. The compiler refuses a literal that has one twice. */
export type Endpoints = Readonly<Record<`${Method} /${string}`, Endpoint>>;

/** An endpoint in its place. */
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

type Handler<Input> = (input: Input, ctx: Context) => Result | Promise<Result | void>;

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
  { values = false, revision, ...about }: About & Carries & Revisable<ApiTypes[Name]>,
  handler: Handler<ApiTypes[Name]>,
): Endpoint {
  const check = checkOf(definition);
  const parse = values ? parseJson : (JSON.parse as (text: string) => unknown);
  return {
    ...about,
    hasRevision: revision !== undefined,
    input: { in: 'body', definition },
    async handle(ctx, bodyLimit) {
      const limits =
        about.role === undefined
          ? { bytes: Math.min(openBodyLimit, bodyLimit), within: openBodyTime }
          : { bytes: bodyLimit };
      const bytes = await readBody(ctx.req, ctx.res, limits);
      const body = await parseBody(bytes, parse);
      const message = check(body);
      await betweenSteps(bytes);
      // Also of a body that is refused: what is missing may be there under a wrong name.
      warnOfMembers(ctx, definition, body);
      if (message !== undefined) throw new Fault(ErrorCode.BODY_INVALID, message);
      setInput(ctx, body);
      await betweenSteps(bytes);
      const input = body as ApiTypes[Name];
      return atRevision(ctx, revision && (() => revision(input)), () => handler(input, ctx));
    },
  };
}

/** An endpoint whose query fits a definition of `schemas/api`; one that does not is answered with PARAM_INVALID. */
export function withQuery<Name extends Definition>(
  definition: Name,
  { revision, ...about }: About & Revisable<ApiTypes[Name]>,
  handler: Handler<ApiTypes[Name]>,
): Endpoint {
  const check = checkOf(definition);
  return {
    ...about,
    hasRevision: revision !== undefined,
    input: { in: 'query', definition },
    handle(ctx) {
      const query: unknown = ctx.query;
      const message = check(query);
      if (message !== undefined) throw new Fault(ErrorCode.PARAM_INVALID, message);
      setInput(ctx, query);
      const input = query as ApiTypes[Name];
      return atRevision(ctx, revision && (() => revision(input)), () => handler(input, ctx));
    },
  };
}

/** An endpoint that takes neither a body nor a query. */
export function bare(about: About, handle: (ctx: Context) => Result | Promise<Result>): Endpoint {
  return { ...about, handle };
}
