import type { ApiTypes } from '@tagway/schemas';
import { ErrorCode } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { Fault, parseJson } from '@tagway/sdk';
import type { Context } from 'koa';
import type { Readable } from 'node:stream';
import { isUnicode, readBody } from './body.ts';

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

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** True: no token is asked for. */
  readonly open: boolean;
  /** Where the request carries what definition of `schemas/api`. */
  readonly input?: { readonly in: 'body' | 'query'; readonly definition: Definition };
  readonly handle: (ctx: Context, bodyLimit: number) => Result | Promise<Result>;
}

type Definition = keyof ApiTypes;
type Handler<Input> = (input: Input, ctx: Context) => Result | Promise<Result>;

interface BodyOptions {
  readonly open?: boolean;
  /** The body holds tag values, whose 64-bit integers must stay exact: they are bigints. */
  readonly values?: boolean;
}

/** An endpoint whose JSON body fits a definition of `schemas/api`; a body that does not is answered with BODY_INVALID. */
export function withBody<Name extends Definition>(
  method: Route['method'],
  path: string,
  definition: Name,
  handler: Handler<ApiTypes[Name]>,
  options: BodyOptions = {},
): Route {
  const check = checkOf(definition);
  const parse = options.values === true ? parseJson : (JSON.parse as (text: string) => unknown);
  return {
    method,
    path,
    open: options.open ?? false,
    input: { in: 'body', definition },
    async handle(ctx, bodyLimit) {
      const body = parsed(await readBody(ctx.req, bodyLimit), parse);
      const message = check(body);
      if (message !== undefined) throw new Fault(ErrorCode.BODY_INVALID, message);
      return await handler(body as ApiTypes[Name], ctx);
    },
  };
}

/** An endpoint whose query fits a definition of `schemas/api`; one that does not is answered with PARAM_INVALID. */
export function withQuery<Name extends Definition>(
  method: Route['method'],
  path: string,
  definition: Name,
  handler: Handler<ApiTypes[Name]>,
  { open = false }: { readonly open?: boolean } = {},
): Route {
  const check = checkOf(definition);
  return {
    method,
    path,
    open,
    input: { in: 'query', definition },
    handle(ctx) {
      const query: unknown = ctx.query;
      const message = check(query);
      if (message !== undefined) throw new Fault(ErrorCode.PARAM_INVALID, message);
      return handler(query as ApiTypes[Name], ctx);
    },
  };
}

/** An endpoint that takes neither a body nor a query. */
export function bare(
  method: Route['method'],
  path: string,
  handler: () => Result | Promise<Result>,
  open = false,
): Route {
  return { method, path, open, handle: handler };
}

function parsed(text: string, parse: (text: string) => unknown): unknown {
  if (!isUnicode(text))
    throw new Fault(ErrorCode.BODY_INVALID, 'The request body has half of a surrogate pair.');
  try {
    return parse(text);
  } catch (cause) {
    throw new Fault(ErrorCode.BODY_INVALID, 'The request body is not JSON.', { cause });
  }
}
