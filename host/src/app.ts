import { readFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildInfo } from './build-info.ts';
import type { Config } from './config.ts';
import { profiles } from '@tagway/schemas';
import { Gateway } from './core/gateway.ts';
import type { Machine } from './core/machine.ts';
import { defaultUser } from './core/users.ts';
import { leaveAddress, reachable, removeAddress } from './gateway-address.ts';
import { Issuers } from './http/issuers.ts';
import { loadKeys } from './http/keys.ts';
import { webPage } from './http/page.ts';
import { HttpServer, type TlsFiles } from './http/server.ts';
import { LibraryFolder } from './library/folder.ts';
import { PluginCatalog } from './library/plugin-catalog.ts';
import { archiveOf } from './log/archive.ts';
import { createLog } from './log/log.ts';
import { LogReader } from './log/query.ts';
import { readAuthorities } from './machine/authorities.ts';
import { listFolder } from './machine/folder.ts';
import { hardwareToken } from './machine/identity.ts';
import { System } from './machine/system.ts';
import { forkedRunners, inlineRunners } from './runtime/channel.ts';
import { probe } from './runtime/probe.ts';
import { Reaper } from './runtime/reaper.ts';
import { PluginRuntime } from './runtime/runtime.ts';
import { openSqliteStore, StoreInUse } from './store/store.ts';

/** A gateway that runs. */
export interface App {
  /** Where the API answers, such as `http://127.0.0.1:7000`. */
  readonly url: string;
  /** Reads the certificate and its key again; new connections get them. Rejects when they are not good, and nothing changes. */
  reloadTls(): Promise<void>;
  /** Ends everything: runs, runners, connections, files. */
  close(): Promise<void>;
}

/** Folder of the plugins that come with the gateway. */
const systemPlugins = fileURLToPath(new URL('../../plugins', import.meta.url));

/**
 * Makes the data folder and those above it. Not with the `recursive` of `mkdir`, which never ends where the system refuses a
 * folder as if the one above were missing, as below /proc.
 */
async function makeFolder(path: string): Promise<void> {
  const state = await stat(path).catch(() => undefined);
  if (state?.isDirectory() === true) return;
  const parent = dirname(path);
  if (state === undefined && parent !== path) await makeFolder(parent);
  await mkdir(path).catch((cause: unknown) => {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const reason = { EEXIST: 'there is a file of this name', ENOENT: 'the system allows no folder there' }[
      code
    ];
    throw new Error(`The data folder ${path} cannot be made: ${reason ?? message}.`, { cause });
  });
}

/** The layers below the API, put together; no node runs yet. */
async function assemble(config: Config) {
  await makeFolder(config.data);
  const log = createLog({
    folder: join(config.data, 'logs'),
    level: config.logLevel,
    stdout: config.printLog,
  });
  const store = openSqliteStore(join(config.data, 'tagway.sqlite'));
  // Of a gateway that was killed: from here on the folder is in use by this process.
  await removeAddress(config.data);
  const reaper = new Reaper(config.data, {
    orphan: (pid) =>
      log.core.warn(`The process ${pid}, which a gateway before this one had left behind, was ended.`),
    missing: (reason) =>
      log.core.warn(`There is no shell that ends what plugins start when the gateway is killed: ${reason}.`),
  });
  const runners = forkedRunners(config.runnerMemory, reaper);
  const path = join(config.data, 'libraries');
  const ending = new AbortController();
  const libraries = new LibraryFolder({
    path,
    signatures: { folder: join(config.data, 'trusted'), isRequired: config.requireSignature },
    // In a process of its own also where plugins run inline: what is not known yet may hang.
    probe: (main, nodeType) => probe(runners, log.core, ending.signal, main, nodeType),
  });
  await libraries.recover();
  const plugins = await PluginCatalog.discover([systemPlugins], path, log.core);
  const runtimeOptions = {
    open: config.inline ? inlineRunners : runners,
    log: log.core,
    nodeLog: (node: string) => log.node(node),
    levelOf: (node: string) => log.levels.of(node),
    nodesFolder: join(config.data, 'nodes'),
  };
  let runtime!: PluginRuntime;
  const gateway = new Gateway({
    store,
    plugins,
    libraries,
    logLevels: log.levels,
    profile: profiles[config.compat],
    licensing: {
      authorities: config.licenseCa === undefined ? [] : readAuthorities(config.licenseCa),
      hardwareToken: await hardwareToken(config.data),
    },
    safe: config.safe,
    logLevelRevert: config.logLevelRevert,
    log: log.core,
    runtime: (events) => (runtime = new PluginRuntime(runtimeOptions, events)),
  });
  await gateway.load();
  return {
    log,
    gateway,
    reaper,
    /** Ends an installation under way as a failed one. */
    ending,
    close: async (): Promise<void> => {
      ending.abort();
      await runtime.close();
      reaper[Symbol.dispose]();
      await gateway.close();
      await store.close();
    },
  };
}

function machineOf({ data, fileRoots }: Config): Machine {
  const logs = join(data, 'logs');
  const reader = new LogReader(logs);
  const system = new System(data);
  return {
    queryLog: (query) => reader.query(query),
    archiveLog: () => archiveOf(logs),
    listFolder: (path) => listFolder(path, fileRoots),
    facts: () => system.facts(),
  };
}

/** Starts the gateway. */
export async function startApp(config: Config): Promise<App> {
  const { log, gateway, reaper, ending, close } = await assemble(config);
  reaper.start();
  for (const warning of config.warnings) log.core.warn(warning);
  const tls = config.tls && readTls(config.tls);
  const http = new HttpServer({
    gateway,
    machine: machineOf(config),
    issuers: new Issuers(join(config.data, 'issuers')),
    keys: await loadKeys(join(config.data, 'keys')),
    build: buildInfo,
    log: log.pino,
    bodyLimit: config.bodyLimit,
    cors: config.cors,
    profile: profiles[config.compat],
    disableAuth: config.disableAuth,
    ending: ending.signal,
    page: await webPage(fileURLToPath(new URL('../dashboard/dist', import.meta.url))),
    ...(tls && { tls }),
  });
  const { address, port, family } = await http.listen(config.port, config.host);
  gateway.start();
  const protocol = config.tls ? 'https' : 'http';
  const url = `${protocol}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const leave = (certificate?: Buffer): Promise<void> =>
    leaveAddress(config.data, {
      url: reachable(protocol, address, port),
      ...(certificate && { certificate: certificate.toString() }),
    });
  await leave(tls?.cert);
  for (const warning of exposures(config, address, gateway.users.hasDefaultPassword)) log.core.warn(warning);
  log.core.notice(
    `The gateway listens on ${url}${config.safe ? ' and runs no node, because it was started with --safe' : ''}.`,
  );
  return {
    url,
    async reloadTls() {
      if (config.tls === undefined) return;
      const fresh = readTls(config.tls);
      http.setTls(fresh);
      await leave(fresh.cert);
      log.core.notice('The certificate of the API was read again.');
    },
    async close() {
      ending.abort();
      await http.close();
      await removeAddress(config.data);
      await close();
      log.core.notice('The gateway has ended.');
      log.close();
    },
  };
}

/** What lets others than the operator in, in sentences. */
function exposures({ disableAuth, tls }: Config, address: string, hasDefaultPassword: boolean): string[] {
  const isOpen = !/^(127\.|::1$|::ffff:127\.)/.test(address);
  const reach = isOpen ? `whoever reaches ${address}` : 'everybody on this machine';
  return [
    ...(disableAuth
      ? [`The API asks for no token, because of --disable-auth: ${reach} may change everything.`]
      : []),
    ...(isOpen && tls === undefined
      ? [
          `The API is open to other machines at ${address} without HTTPS: passwords can be read on their way. See --tls-cert.`,
        ]
      : []),
    ...(hasDefaultPassword
      ? [
          `The user "${defaultUser.name}" has the password that every new gateway has: ${reach} may log in. Change it.`,
        ]
      : []),
  ];
}

/** Throws, and names the files, when they cannot be read or do not belong together. */
function readTls({ cert, key }: NonNullable<Config['tls']>): TlsFiles {
  try {
    const files = { cert: readFileSync(cert), key: readFileSync(key) };
    // Loaded here alone: a gateway without HTTPS does without it.
    process.getBuiltinModule('node:tls').createSecureContext(files);
    return files;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`HTTPS cannot be served with the files ${cert} and ${key}: ${reason}.`, { cause });
  }
}

/** Sets the password of the first user back to its default. The gateway must not run. */
export async function resetPassword(config: Config): Promise<void> {
  const { log, gateway, close } = await assemble(config);
  await gateway.users.resetPassword();
  await close();
  log.close();
}

/** Does work on the data folder while no gateway runs on it; undefined, and nothing is done, when one does. No node runs. */
export async function withoutGateway<T>(
  config: Config,
  work: (gateway: Gateway) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  let assembled: Awaited<ReturnType<typeof assemble>>;
  try {
    assembled = await assemble(config);
  } catch (error) {
    if (error instanceof StoreInUse) return undefined;
    throw error;
  }
  try {
    return { result: await work(assembled.gateway) };
  } finally {
    await assembled.close();
    assembled.log.close();
  }
}
