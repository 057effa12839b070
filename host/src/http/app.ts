import { ErrorCode, dialects, type Dialect } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa, { type Next } from 'koa';
import type { Gateway } from '../core/gateway.ts';
import type { Access } from './auth/access.ts';
import { alarmEndpoints } from './endpoints/alarms.ts';
import { auditEndpoints } from './endpoints/audit.ts';
import { checkRole } from './auth/caller.ts';
import type { ConfigSource } from '../core/ports/config-source.ts';
import type { Machine } from '../core/ports/machine.ts';
import type { Pair } from '../core/ports/pair.ts';
import type { SignalCounts } from '../core/ports/telemetry.ts';
import { mayBeLong } from './body/body.ts';
import type { TrustedProxies } from './guard/client-address.ts';
import { directoryEndpoints } from './endpoints/directory.ts';
import { documentEndpoints } from './openapi/document.ts';
import { fleetEndpoints } from './endpoints/fleet.ts';
import { fileEndpoints } from './endpoints/files.ts';
import { groupEndpoints } from './endpoints/groups.ts';
import { historyEndpoints } from './endpoints/history.ts';
import { informationEndpoints, type BuildInfo } from './endpoints/information.ts';
import type { Issuers } from './auth/issuers.ts';
import type { KeyPair } from './auth/keys.ts';
import { licenseEndpoints } from './endpoints/license.ts';
import { liveEndpoints } from './live/endpoints.ts';
import { logEndpoints } from './endpoints/logs.ts';
import { machineTokenEndpoints } from './endpoints/machine-tokens.ts';
import { metricEndpoints } from './metrics/metrics.ts';
import { nodePeerEndpoints } from './endpoints/node-peers.ts';
import { nodeEndpoints } from './endpoints/nodes.ts';
import { pairEndpoints } from './endpoints/pair.ts';
import { pluginEndpoints } from './endpoints/plugins.ts';
import { reply, replyCode, replyFault } from './reply.ts';
import {
  addressOf,
  callerOf,
  isProven,
  whoOf,
  type Context,
  type Middleware,
  type RequestLog,
  type RequestState,
} from './request.ts';
import { askedRevisions, revisionKey } from './revisions.ts';
import { routesOf, type Result, type Route } from './route.ts';
import { nameEndpoints } from './live/names.ts';
import { searchEndpoints } from './live/search.ts';
import { signInEndpoints } from './endpoints/sign-in.ts';
import { sessionEndpoints } from './endpoints/session.ts';
import { refuseWhereLocked } from './guard/locked.ts';
import { sourceEndpoints } from './endpoints/source.ts';
import { activeUrl, refuseOnStandby } from './guard/standby.ts';
import { snapshotEndpoints } from './transfer/snapshots.ts';
import { subscriptionEndpoints } from './endpoints/subscriptions.ts';
import { tagPlanEndpoints } from './endpoints/tag-plans.ts';
import { tagEndpoints } from './endpoints/tags.ts';
import { profilePackageEndpoints } from './endpoints/profile-packages.ts';
import { profileEndpoints } from './endpoints/profiles.ts';
import { templateEndpoints, templateGroupEndpoints, templateTagEndpoints } from './endpoints/templates.ts';
import { Trends, trendEndpoints } from './live/trends.ts';
import { transferEndpoints } from './transfer/transfer.ts';
import { AuditRecorder } from './audit/recorder.ts';
import { traceEndpoints } from './endpoints/traces.ts';
import { userEndpoints } from './endpoints/users.ts';
import { valueEndpoints } from './endpoints/values.ts';
import { warn } from './warnings.ts';
import type { Sentence } from '../core/system/sentence.ts';

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
  readonly dialect?: Dialect;
  /** Who may issue tokens beside the gateway. Default: none. */
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
  /** Where the configuration is pulled from. Default: nowhere. */
  readonly source?: ConfigSource | undefined;
  /** Counts of what a collector of OpenTelemetry gets. Default: there is none. */
  readonly telemetry?: readonly SignalCounts[] | undefined;
}

/** What the API shares with the server that it runs on. */
export interface Served {
  readonly access: Access;
  /** Called when a request has brought a good token or a right password. */
  readonly proven: (request: IncomingMessage) => void;
}

/** All endpoints, part by part in the order of the document. */
export function apiRoutes(
  options: HttpOptions,
  access: Access,
  trends = new Trends(options.gateway, options.machine, options.name ?? ''),
): Route[] {
  const {
    gateway,
    machine,
    build,
    name = '',
    dialect = dialects.specification,
    pair,
    source,
    telemetry = [],
  } = options;
  const information = 'Operations and information';
  const routes: Route[] = routesOf([
    ['Session', sessionEndpoints(gateway, access.tokens, options.disableAuth ?? false)],
    ['Nodes', nodeEndpoints(gateway, dialect)],
    ['Nodes', traceEndpoints(gateway.frameTraces, build)],
    ['Nodes', nodePeerEndpoints(gateway)],
    ['Groups', groupEndpoints(gateway)],
    ['Tags', tagEndpoints(gateway)],
    ['Tags', tagPlanEndpoints(gateway)],
    ['Reading and writing', valueEndpoints(gateway)],
    ['Alarms', alarmEndpoints(gateway)],
    ['Reading and writing', historyEndpoints(gateway)],
    ['Plugins', pluginEndpoints(gateway, machine, dialect)],
    ['Plugins', directoryEndpoints(gateway)],
    ['Subscriptions', subscriptionEndpoints(gateway)],
    ['Export and import', transferEndpoints(gateway, dialect)],
    ['Export and import', snapshotEndpoints(gateway, dialect)],
    ['Device profiles', { ...profileEndpoints(gateway), ...profilePackageEndpoints(gateway) }],
    ['Templates', templateEndpoints(gateway)],
    ['Templates', templateGroupEndpoints(gateway)],
    ['Templates', templateTagEndpoints(gateway)],
    ['Users', userEndpoints(gateway, dialect)],
    ['Users', machineTokenEndpoints(gateway)],
    ['Users', signInEndpoints(gateway, access.tokens)],
    ['Users', auditEndpoints(gateway)],
    ['Fleet', fleetEndpoints(gateway)],
    [information, informationEndpoints(gateway, build, { pair, source })],
    [information, sourceEndpoints(source)],
    [information, licenseEndpoints(gateway)],
    [information, logEndpoints(gateway, machine, dialect)],
    [information, fileEndpoints(machine)],
    [
      information,
      metricEndpoints({ gateway, machine, dialect, identity: { name, ...build }, pair, source, telemetry }),
    ],
    [information, pairEndpoints(pair)],
    [
      'Live',
      liveEndpoints({ gateway, pair, callerNow: (ctx) => access.callerOf(ctx), ending: options.ending }),
    ],
    ['Live', trendEndpoints(trends)],
    ['Live', searchEndpoints(gateway)],
    ['Live', nameEndpoints(gateway)],
    [information, documentEndpoints(() => routes, dialect, build)],
  ]);
  return routes;
}

/** The Koa app of the API: request log, the routes of every section, and a reply where no route fits. */
export function makeApp(options: HttpOptions, { access, proven }: Served): Koa<RequestState> {
  const { log, bodyLimit = 1 << 20, cors = false } = options;
  const { dialect = dialects.specification, proxies, pair, source } = options;
  const audit = new AuditRecorder(options.gateway.audit);
  const server = { bodyLimit, revisionKey: revisionKey(options.keys.privateKey) };
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const allowed = new Map<string, string[]>();
  const trends = new Trends(options.gateway, options.machine, options.name ?? '').start(options.ending);
  for (const route of apiRoutes(options, access, trends)) {
    const { method, path, role } = route;
    const methods = method === 'GET' ? ['HEAD', 'GET'] : [method];
    allowed.set(path, [...(allowed.get(path) ?? ['OPTIONS']), ...methods]);
    const answerFaults: Middleware = async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        audit.record(ctx, route, failed(ctx, dialect, route, error, { log, pair }));
      }
      if (isProven(ctx)) proven(ctx.req);
    };
    const endpoint: Middleware = async (ctx) => {
      if (role !== undefined) checkRole(callerOf(ctx), role, route.name);
      refuseOnStandby(pair, route);
      refuseWhereLocked(source, route);
      if (route.hasRevision !== true && method !== 'GET' && askedRevisions(ctx) !== undefined)
        warn(ctx, `If-Match was not looked at: ${route.name} knows no revisions.`);
      const result = await route.handle(ctx, server);
      audit.record(ctx, route, await reply(ctx, dialect, route, result));
      logRefusal(ctx, route, result, log);
      logChange(ctx, log);
    };
    const identify = role === undefined ? [] : access.middleware;
    router.register(path, [method], [answerFaults, ...identify, endpoint]);
  }

  const app = new Koa<RequestState>();
  app.on('error', (err: unknown) => log.debug({ err }, 'A reply could not be sent.'));
  if (proxies !== undefined)
    app.use((ctx, next) => {
      ctx.state.address = proxies.addressOf(ctx.req);
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

/** Logs who has changed what. */
function logChange(ctx: Context, log: RequestLog): void {
  const { change } = ctx.state;
  if (ctx.status >= 300 || change?.isLogged !== true) return;
  const who = whoOf(ctx);
  log.notice({}, `${who.charAt(0).toUpperCase()}${who.slice(1)} ${change.text}.`);
}

/** Logs a refusal that is part of a normal reply, such as that of a batch of which only some tags were added. */
function logRefusal(ctx: Context, { name }: Route, result: Result | void, log: RequestLog): void {
  if (!log.isLevelEnabled('debug') || result === undefined || Buffer.isBuffer(result)) return;
  const { error = 0, message } = result as { error?: number; message?: Sentence | string };
  if (error !== 0 && message !== undefined)
    log.debug({ request: ctx.state.number, error }, `${name} was refused: ${String(message)}`);
}

function failed(
  ctx: Context,
  dialect: Dialect,
  route: Route,
  error: unknown,
  { log, pair }: Pick<HttpOptions, 'log' | 'pair'>,
): number {
  const code = replyFault(ctx, dialect, route, error, () => activeUrl(pair));
  if (!isFault(error) || code === ErrorCode.INTERNAL) {
    log.error(
      { request: ctx.state.number, err: error },
      `An internal error ended ${route.name}. The request was answered with ${code}.`,
    );
  } else if (log.isLevelEnabled('debug')) {
    log.debug({ request: ctx.state.number, error: code }, `${route.name} was refused: ${error.message}`);
  }
  return code;
}

/** Logs every request with a number of its own, at debug level. */
function requestLog(log: RequestLog): Middleware {
  let last = 0;
  return async (ctx, next) => {
    const request = ++last;
    ctx.state.number = request;
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

/** Closes a connection after a reply when the rest of a long request, which nothing reads, may still come. */
function closeUnread(ctx: Context, next: Next): Promise<unknown> {
  if (!mayBeLong(ctx.req)) return next();
  return next().then(() => {
    if (!ctx.req.complete) ctx.set('Connection', 'close');
  });
}

/** The bare address of a gateway without its page leads to the description of the API. */
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
    return replyCode(ctx, 404, ErrorCode.PARAM_INVALID, { message });
  }
  ctx.set('Allow', methods.join(', '));
  if (ctx.method === 'OPTIONS') return replyCode(ctx, 200, ErrorCode.SUCCESS, { message: '' });
  const message = `${ctx.path} takes ${methods.join(', ')}, not ${ctx.method}.`;
  replyCode(ctx, 405, ErrorCode.PARAM_INVALID, { message });
}
