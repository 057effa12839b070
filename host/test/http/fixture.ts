import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NodeType, PluginKind } from '@tagway/schemas';
import { Gateway } from '../../src/core/gateway.ts';
import type { Plugin } from '../../src/core/model.ts';
import { apiRoutes, type HttpOptions } from '../../src/http/app.ts';
import { Access } from '../../src/http/auth/access.ts';
import { loadKeys, type KeyPair } from '../../src/http/auth/keys.ts';
import type { Route } from '../../src/http/route.ts';
import { HttpServer } from '../../src/http/server.ts';
import { LibraryFolder } from '../../src/library/folder.ts';
import { PluginCatalog } from '../../src/library/plugin-catalog.ts';
import { AuditLog } from '../../src/log/audit.ts';
import { inlineRunners } from '../../src/runtime/process/channel.ts';
import { PluginRuntime } from '../../src/runtime/runtime.ts';
import { localMachine } from './machine.ts';
import { openSqliteStore, SnapshotFolder } from '../../src/store/store.ts';
import { hashCost } from '../hash-cost.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  readonly body: unknown;
}

/** The API on a free port over a whole gateway, whose plugins run in this process and whose devices always answer. */
export interface Fixture {
  /** The data folder. */
  readonly folder: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly keys: KeyPair;
  readonly routes: readonly Route[];
  /** What was logged as an error. */
  readonly errors: readonly string[];
  /** What the gateway itself logged as a warning. */
  readonly warnings: readonly string[];
  readonly token: string;
  /** Calls `POST /api/v2/tags` and the like with the token; a body that is not text is sent as JSON. */
  call(endpoint: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export async function startApi(options: Partial<HttpOptions> = {}): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'tagway-http-'));
  const keys = await loadKeys(folder);
  const errors: string[] = [];
  const { gateway, warnings, close } = await startGateway(folder, options.dialect);
  const log = {
    isLevelEnabled: () => false,
    debug: () => undefined,
    notice: () => undefined,
    warn: () => undefined,
    error: (fields: object, message: string) =>
      void errors.push(`${message} ${String((fields as { err?: unknown }).err)}`),
  };
  const build = { version: '1.2.3', revision: 'abc', build_date: '2026-01-02' };
  const complete = { gateway, machine: localMachine(folder), keys, build, log, ...options };
  const server = new HttpServer(complete);
  const { port } = await server.listen(0, '127.0.0.1');
  const fixture = {
    folder,
    port,
    gateway,
    keys,
    routes: apiRoutes(complete, new Access(complete)),
    errors,
    warnings,
    token: '',
    async call(endpoint: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
      const [method = '', path = ''] = endpoint.split(' ');
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { Authorization: `Bearer ${fixture.token}`, ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: text === '' ? undefined : withoutMessage(endpoint, JSON.parse(text)),
      };
    },
    async close(): Promise<void> {
      await server.close();
      await close();
      await rm(folder, { recursive: true });
    },
  };
  const login = await fixture.call('POST /api/v2/login', { name: 'admin', pass: '0000' });
  fixture.token = (login.body as { token: string }).token;
  return fixture;
}

/** The body of a reply. One that refuses must say why in a sentence; what it says is `text`'s business. */
function withoutMessage(endpoint: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('error' in body) || body.error === 0) return body;
  const { message, ...rest } = body as { readonly message?: unknown };
  expect(message, `${endpoint}: why it is refused`).to.match(/^[A-Z\d/"].*[.)?]$/s);
  return rest;
}

/** A whole gateway with its store in this folder and its plugins in this process. */
async function startGateway(
  folder: string,
  dialect: HttpOptions['dialect'],
): Promise<{ gateway: Gateway; warnings: readonly string[]; close(): Promise<void> }> {
  const quiet = () => undefined;
  const warnings: string[] = [];
  const warn = (sentence: string): void => void warnings.push(sentence);
  const log = { debug: quiet, info: quiet, notice: quiet, warn, error: quiet, fatal: quiet };
  const plugins = [
    plugin('test-driver', 'Test Driver', NodeType.DRIVER),
    plugin('test-app', 'Test App', NodeType.APP),
  ];
  const store = openSqliteStore(join(folder, 'store.sqlite'));
  const audit = new AuditLog(join(folder, 'audit'));
  let runtime!: PluginRuntime;
  const runtimeOptions = {
    open: inlineRunners,
    log,
    nodeLog: () => log,
    withoutSecrets: (printed: string) => printed,
    levelOf: () => 'info' as const,
    nodesFolder: join(folder, 'nodes'),
  };
  const gateway = new Gateway({
    store,
    snapshots: new SnapshotFolder({
      path: join(folder, 'snapshots'),
      copy: (file) => store.copyTo(file),
      open: openSqliteStore,
    }),
    audit,
    ...(dialect && { dialect }),
    plugins: new PluginCatalog(plugins),
    libraries: new LibraryFolder({
      path: join(folder, 'libraries'),
      signatures: { folder: join(folder, 'trusted'), isRequired: false },
      probe: async () => undefined,
    }),
    logLevels: { initial: 'notice', core: 'notice', of: () => 'info', set: quiet, reset: quiet },
    log,
    runtime: (events) => (runtime = new PluginRuntime(runtimeOptions, events)),
    hashCost,
  });
  await gateway.load();
  return {
    gateway,
    warnings,
    async close() {
      await runtime.close();
      await store.close();
      audit.close();
    },
  };
}

function plugin(id: string, name: string, nodeType: NodeType): Plugin {
  return {
    id,
    name,
    nodeType,
    kind: PluginKind.SYSTEM,
    version: '0.0.1',
    library: id,
    description: `The ${name}.`,
    descriptionZh: `${name}。`,
    main: fileURLToPath(
      new URL(nodeType === NodeType.DRIVER ? 'plugins/driver.ts' : 'plugins/app.ts', import.meta.url),
    ),
    settingsSchema: {
      type: 'object',
      properties: {
        port: { type: 'integer', title: 'Port', description: 'TCP port.', minimum: 1, maximum: 65535 },
      },
      required: ['port'],
    },
    groupInterval: 1000,
    addresses: nodeType === NodeType.DRIVER ? [{ type: 3, pattern: '^[0-9]+$' }] : [],
    writesMany: true,
  };
}
