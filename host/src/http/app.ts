import { ErrorCode, profiles, type Profile } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import type { Gateway } from '../core/gateway.ts';
import { Access } from './access.ts';
import { auditEndpoints } from './audit.ts';
import type { Tokens } from './auth.ts';
import { addressOf, checkRole, isProven, setAddress, setCaller, whoOf } from './caller.ts';
import type { Machine } from '../core/machine.ts';
import type { Pair } from '../core/pair.ts';
import { mayBeLong } from './body.ts';
import type { TrustedProxies } from './client-address.ts';
import { documentEndpoints } from './document.ts';
import { fileEndpoints } from './files.ts';
import { groupEndpoints } from './groups.ts';
import { informationEndpoints, type BuildInfo } from './information.ts';
import type { Issuers } from './issuers.ts';
import type { KeyPair } from './keys.ts';
import { licenseEndpoints } from './license.ts';
import { liveEndpoints } from './live/endpoints.ts';
import { logEndpoints } from './logs.ts';
import { machineTokenEndpoints } from './machine-tokens.ts';
import { metricEndpoints } from './metrics.ts';
import { nodeEndpoints } from './nodes.ts';
import { pairEndpoints } from './pair.ts';
import { pluginEndpoints } from './plugins.ts';
import { reply, replyCode, replyFault } from './reply.ts';
import { askedRevisions, revisionKey, setRevisionKey } from './revisions.ts';
import { routesOf, type Result, type Route } from './route.ts';
import { sessionEndpoints } from './session.ts';
import { activeUrl, refuseOnStandby } from './standby.ts';
import { taleOf } from './story.ts';
import { snapshotEndpoints } from './snapshots.ts';
import { subscriptionEndpoints } from './subscriptions.ts';
import { tagPlanEndpoints } from './tag-plans.ts';
import { tagEndpoints } from './tags.ts';
import { templateEndpoints, templateGroupEndpoints, templateTagEndpoints } from './templates.ts';
import { transferEndpoints } from './transfer.ts';
import { Trail } from './trail.ts';
import { userEndpoints } from './users.ts';
import { valueEndpoints } from './values.ts';
import { warn } from './warnings.ts';

/** What the API needs of a pino logger. */
export interface RequestLog {
  isLevelEnabled(level: string): boolean;
  debug(fields: object, message: string): void;
  notice(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface HttpOptions {
  readonly gateway: Gateway;
  readonly machine: Machine;
  readonly keys: KeyPair;
  readonly build: BuildInfo;
  /** What the gateway is called among others. Default: nothing. */
  readonly name?: string;
  readonly log: RequestLog;
  /** Most bytes of a request body. Default 1 MiB. */
  readonly bodyLimit?: number;
  /** Lets web pages of any origin call the API. Default false. */
  readonly cors?: boolean;
  /** Default: the specification's. */
  readonly profile?: Profile;
  /** Who may issue tokens beside the gateway. Default: nobody. */
  readonly issuers?: Issuers;
  /** Asks for no token. Default false. */
  readonly disableAuth?: boolean;
  /** Aborted when the gateway begins to end: streams end then, too. */
  readonly ending?: AbortSignal;
  /** Answers for the web page. Default: there is none, and `/` leads to the description of the API. */
  readonly page?: Middleware | undefined;
  /** Proxies that say where requests come from. Default: none. */
  readonly proxies?: TrustedProxies;
  /** The pair that the gateway belongs to. Default: none. */
  readonly pair?: Pair | undefined;
}

/** What the server and the API on it have to know of each other. */
export interface Served {
  readonly tokens: Tokens;
  /** A request brought a good token or a right password. */
  readonly proven: (request: IncomingMessage) => void;
}

/** All endpoints, part by part in the order of the document. */
export function apiRoutes(options: HttpOptions, tokens: Tokens): Route[] {
  const { gateway, machine, build, name = '', profile = profiles.specification, pair } = options;
  const information = 'Operations and information';
  const access = new Access(options, tokens);
  const routes: Route[] = routesOf([
    ['Session', sessionEndpoints(gateway, tokens, options.log, options.disableAuth ?? false)],
    ['Nodes', nodeEndpoints(gateway, profile)],
    ['Groups', groupEndpoints(gateway)],
    ['Tags', tagEndpoints(gateway)],
    ['Tags', tagPlanEndpoints(gateway)],
    ['Reading and writing', valueEndpoints(gateway)],
    ['Plugins', pluginEndpoints(gateway, machine, profile)],
    ['Subscriptions', subscriptionEndpoints(gateway)],
    ['Export and import', transferEndpoints(gateway, profile)],
    ['Export and import', snapshotEndpoints(gateway, profile)],
    ['Templates', templateEndpoints(gateway)],
    ['Templates', templateGroupEndpoints(gateway)],
    ['Templates', templateTagEndpoints(gateway)],
    ['Users', userEndpoints(gateway, profile)],
    ['Users', machineTokenEndpoints(gateway)],
    ['Users', auditEndpoints(gateway)],
    [information, informationEndpoints(build, pair)],
    [information, licenseEndpoints(gateway)],
    [information, logEndpoints(gateway, machine, profile)],
    [information, fileEndpoints(machine)],
    [information, metricEndpoints({ gateway, machine, profile, identity: { name, ...build }, pair })],
    [information, pairEndpoints(pair)],
    [
      'Live',
      liveEndpoints({ gateway, pair, callerNow: (ctx) => access.callerOf(ctx), ending: options.ending }),
    ],
    [information, documentEndpoints(() => routes, profile, build)],
  ]);
  return routes;
}

/** The Koa app of the API: request log, the routes of every section, and an answer to whatever no route takes. */
export function makeApp(options: HttpOptions, { tokens, proven }: Served): Koa {
  const { log, bodyLimit = 1 << 20, cors = false } = options;
  const { profile = profiles.specification, proxies, pair } = options;
  const access = new Access(options, tokens);
  const trail = new Trail(options.gateway);
  const revisions = revisionKey(options.keys.privateKey);
  const router = new Router({ strict: true, sensitive: true });
  const allowed = new Map<string, string[]>();
  for (const route of apiRoutes(options, tokens)) {
    const { method, path, role } = route;
    const methods = method === 'GET' ? ['HEAD', 'GET'] : [method];
    allowed.set(path, [...(allowed.get(path) ?? ['OPTIONS']), ...methods]);
    router.register(path, [method], async (ctx: Context) => {
      try {
        if (role !== undefined) {
          const caller = await access.callerOf(ctx);
          setCaller(ctx, caller);
          checkRole(caller, role, route.name);
        }
        refuseOnStandby(pair, route);
        setRevisionKey(ctx, revisions);
        if (route.hasRevision !== true && method !== 'GET' && askedRevisions(ctx) !== undefined)
          warn(ctx, `If-Match was not looked at: ${route.name} knows no revisions.`);
        trail.watch(ctx, route);
        const result = await route.handle(ctx, bodyLimit);
        trail.record(ctx, route, await reply(ctx, profile, route, result));
        noteRefusal(ctx, route, result, log);
        tell(ctx, route, log);
      } catch (error) {
        trail.record(ctx, route, failed(ctx, profile, route, error, { log, pair }));
      }
      if (isProven(ctx)) proven(ctx.req);
    });
  }

  const app = new Koa();
  app.on('error', (err: unknown) => log.debug({ err }, 'A reply could not be sent.'));
  if (proxies !== undefined)
    app.use((ctx, next) => {
      setAddress(ctx, proxies.addressOf(ctx.req));
      return next();
    });
  app.use(closeUnread);
  app.use(requestLog(log));
  if (cors) app.use(allowAnyOrigin);
  if (options.page) app.use(options.page);
  app.use(toDocument);
  app.use(router.routes());
  app.use((ctx) => unrouted(ctx, allowed));
  return app;
}

/** Who has changed what. */
function tell(ctx: Context, { name }: Route, log: RequestLog): void {
  if (ctx.status >= 300) return;
  const tale = taleOf(name, ctx);
  if (tale === undefined) return;
  const who = whoOf(ctx);
  log.notice({}, `${who.charAt(0).toUpperCase()}${who.slice(1)} ${tale}.`);
}

/** Of replies that say themselves what was refused, as of a batch in which some tags were taken. */
function noteRefusal(ctx: Context, { name }: Route, result: Result | void, log: RequestLog): void {
  if (!log.isLevelEnabled('debug') || result === undefined || Buffer.isBuffer(result)) return;
  const { error = 0, message } = result as { error?: number; message?: string };
  if (error !== 0 && message !== undefined)
    log.debug({ request: numberOf(ctx), error }, `${name} was refused: ${message}`);
}

function failed(
  ctx: Context,
  profile: Profile,
  route: Route,
  error: unknown,
  { log, pair }: Pick<HttpOptions, 'log' | 'pair'>,
): number {
  const code = replyFault(ctx, profile, route, error, () => activeUrl(pair));
  if (!isFault(error) || code === ErrorCode.INTERNAL) {
    log.error(
      { request: numberOf(ctx), err: error },
      `An internal error ended ${route.name}. The request was answered with ${code}.`,
    );
  } else if (log.isLevelEnabled('debug')) {
    log.debug({ request: numberOf(ctx), error: code }, `${route.name} was refused: ${error.message}`);
  }
  return code;
}

interface Numbered {
  request?: number;
}

function numberOf(ctx: Context): number | undefined {
  return (ctx.state as Numbered).request;
}

/** Logs every request with a number of its own, at debug level. */
function requestLog(log: RequestLog): Middleware {
  let last = 0;
  return async (ctx, next) => {
    const request = ++last;
    (ctx.state as Numbered).request = request;
    if (!log.isLevelEnabled('debug')) {
      await next();
      return;
    }
    const start = performance.now();
    await next();
    const ms = Math.round((performance.now() - start) * 1000) / 1000;
    log.debug({ request, status: ctx.status, ms, from: addressOf(ctx) }, `${ctx.method} ${ctx.url}`);
  };
}

/** Nobody reads the long rest of a request that is answered already, and it must not be taken for the next one. */
function closeUnread(ctx: Context, next: Next): Promise<unknown> {
  if (!mayBeLong(ctx.req)) return next();
  return next().then(() => {
    if (!ctx.req.complete) ctx.set('Connection', 'close');
  });
}

/** Who opens the bare address of a gateway without its page is shown what there is. */
function toDocument(ctx: Context, next: Next): Promise<unknown> | void {
  if (ctx.path !== '/' || !['GET', 'HEAD'].includes(ctx.method)) return next();
  ctx.redirect('/api');
}

function allowAnyOrigin(ctx: Context, next: Next): Promise<unknown> {
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.set('Access-Control-Allow-Methods', 'POST,GET,PUT,DELETE,OPTIONS');
  // The star does not cover Authorization.
  ctx.set('Access-Control-Allow-Headers', 'Authorization,*');
  ctx.set('Access-Control-Expose-Headers', 'ETag');
  return next();
}

/** Answers what no route takes: OPTIONS on a path of the API, the wrong method, an unknown path. */
function unrouted(ctx: Context, allowed: ReadonlyMap<string, readonly string[]>): void {
  const methods = allowed.get(ctx.path);
  if (methods === undefined) {
    const message = `There is no ${ctx.path.slice(0, 200)} here; GET /api lists what there is.`;
    return replyCode(ctx, 404, ErrorCode.PARAM_INVALID, message);
  }
  ctx.set('Allow', methods.join(', '));
  if (ctx.method === 'OPTIONS') return replyCode(ctx, 200, ErrorCode.SUCCESS, '');
  const message = `${ctx.path} takes ${methods.join(', ')}, not ${ctx.method}.`;
  replyCode(ctx, 405, ErrorCode.PARAM_INVALID, message);
}
