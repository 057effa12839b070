import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildInfo } from './build-info.ts';
import type { Config } from './config.ts';
import { ErrorCode, profiles } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { Gateway } from './core/gateway.ts';
import type { Machine } from './core/machine.ts';
import { secretMask } from './core/secrets.ts';
import { systemReason } from './core/system-error.ts';
import { defaultUser } from './core/users.ts';
import { exposures } from './exposures.ts';
import { makeFolder, openDatabase, snapshotsOf, type Tell } from './data-folder.ts';
import { completeSwap } from './data-swap.ts';
import { leaveAddress, reachable, removeAddress } from './gateway-address.ts';
import { TrustedProxies } from './http/client-address.ts';
import { Issuers } from './http/issuers.ts';
import { loadKeys } from './http/keys.ts';
import { webPage } from './http/page.ts';
import { HttpServer, type TlsFiles } from './http/server.ts';
import { AuthorKit } from './kit/author-kit.ts';
import { LibraryFolder } from './library/folder.ts';
import { PluginCatalog } from './library/plugin-catalog.ts';
import { archiveOf } from './log/archive.ts';
import { AuditLog } from './log/audit.ts';
import { createLog } from './log/log.ts';
import { printedWithoutSecrets, withoutSecrets } from './log/without-secrets.ts';
import { LogReader } from './log/query.ts';
import { readAuthorities } from './machine/authorities.ts';
import { closeDataFolder } from './machine/file-modes.ts';
import { certificateFiles, fingerprintOf, ownCertificate } from './machine/own-certificate.ts';
import { listFolder } from './machine/folder.ts';
import { hardwareToken } from './machine/identity.ts';
import { loadSecretsKey, readSecretsKey } from './machine/secrets-key.ts';
import { System } from './machine/system.ts';
import { SoleLease } from './pair/lease.ts';
import type { PairLink } from './pair/ports.ts';
import { forkedRunners, inlineRunners } from './runtime/channel.ts';
import { probe } from './runtime/probe.ts';
import { Reaper } from './runtime/reaper.ts';
import { PluginRuntime } from './runtime/runtime.ts';
import { SealedStore } from './store/sealed-store.ts';
import { StoreInUse } from './store/store.ts';

export { sentenceOf } from './core/system-error.ts';

/** A gateway that runs. */
export interface App {
  /** Where the API answers, such as `http://127.0.0.1:7000`. */
  readonly url: string;
  /** SHA-256 of the certificate that the gateway made for itself, if it serves that one. */
  readonly fingerprint: string | undefined;
  /** Reads the certificate and its key again; new connections get them. Rejects when they are not good, and nothing changes. */
  reloadTls(): Promise<void>;
  /** Ends everything: runs, runners, connections, files. */
  close(): Promise<void>;
}

/** Folder of the plugins that come with the gateway. */
export const systemPlugins = fileURLToPath(new URL('../../plugins', import.meta.url));

/** The layers below the API, put together; no node runs yet. With `isBeginning` a database that is lost is made anew. */
async function assemble(config: Config, isBeginning = false, pair?: PairLink) {
  await makeFolder(config.data);
  // First, because the log of the database gets the mode of the database.
  const openings = await closeDataFolder(config.data);
  const log = createLog({
    folder: join(config.data, 'logs'),
    level: config.logLevel,
    stdout: config.printLog,
  });
  for (const opening of openings) log.core.warn(opening);
  /** Not to the log alone, which a full disk does not take either. */
  const tell: Tell = (sentence) => {
    log.core.warn(sentence);
    process.stderr.write(`${sentence}\n`);
  };
  if (await completeSwap(config.data))
    log.core.notice('A backup was being restored when that was interrupted: it is in place now.');
  const store = await openDatabase(config.data, tell, isBeginning);
  // Of a gateway that was killed: from here on the folder is in use by this process.
  await removeAddress(config.data);
  const reaper = new Reaper(config.data, {
    orphan: (pid) =>
      log.core.warn(`The process ${pid}, which a gateway before this one had left behind, was ended.`),
    missing: (reason) =>
      log.core.warn(`There is no shell that ends what plugins start when the gateway is killed: ${reason}.`),
  });
  const runners = forkedRunners(config.runnerMemory, reaper, pair);
  const path = join(config.data, 'libraries');
  const ending = new AbortController();
  const secrets = await (config.secretsKey === undefined
    ? loadSecretsKey(join(config.data, 'keys'))
    : readSecretsKey(config.secretsKey));
  if (secrets.warning !== undefined) log.core.warn(secrets.warning);
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
    nodeLog: (node: string) => withoutSecrets(log.node(node), secretMask, () => gateway.nodes.secrets(node)),
    withoutSecrets: printedWithoutSecrets(secretMask, (node) => gateway.nodes.secrets(node)),
    levelOf: (node: string) => log.levels.of(node),
    nodesFolder: join(config.data, 'nodes'),
  };
  const audit = new AuditLog(join(config.data, 'audit'));
  let runtime!: PluginRuntime;
  const schemaOf = (plugin: string): object | undefined => plugins.byId(plugin)?.settingsSchema;
  const gateway: Gateway = new Gateway({
    store: new SealedStore(store, secrets.key, schemaOf),
    snapshots: snapshotsOf(config.data, store, (copy) => new SealedStore(copy, secrets.key, schemaOf)),
    plugins,
    libraries,
    logLevels: log.levels,
    audit,
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
  await setFirstPassword(gateway, config.adminPassword, tell);
  return {
    log,
    tell,
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
      audit.close();
    },
  };
}

/** Also later than at the first start: whoever could not log in from elsewhere can set it then, and after --reset-password. */
async function setFirstPassword({ users }: Gateway, password: string | undefined, tell: Tell): Promise<void> {
  if (password === undefined || !users.hasDefaultPassword) return;
  try {
    await users.replaceDefaultPassword(password);
  } catch (error) {
    const { code, message } = error as Fault;
    if (code === ErrorCode.PASSWORD_LENGTH)
      throw new Error(`TAGWAY_ADMIN_PASSWORD cannot be the password of admin. ${message}`, { cause: error });
    tell(`The password of ${defaultUser.name} could not be set. ${message}`);
  }
}

function machineOf({ data, fileRoots }: Config): Machine {
  const logs = join(data, 'logs');
  const reader = new LogReader(logs);
  const system = new System(data);
  const kit = new AuthorKit();
  return {
    queryLog: (query) => reader.query(query),
    archiveLog: () => archiveOf(logs),
    listFolder: (path) => listFolder(path, fileRoots),
    facts: () => system.facts(),
    pluginProject: (kind, name) => kit.archive(kind, name),
  };
}

/** Starts the gateway. In a pair its nodes start when it becomes the active one. */
export async function startApp(config: Config, pair?: PairLink): Promise<App> {
  const { log, tell, gateway, reaper, ending, close } = await assemble(config, false, pair);
  reaper.start();
  for (const warning of config.warnings) log.core.warn(warning);
  const certificate = join(config.data, 'tls');
  const tls =
    config.tls === 'auto'
      ? loadable(await ownCertificate(certificate, config.host, tell), certificateFiles(certificate))
      : config.tls && readTls(config.tls);
  const http = new HttpServer({
    gateway,
    machine: machineOf(config),
    issuers: new Issuers(join(config.data, 'issuers')),
    keys: await loadKeys(join(config.data, 'keys'), tell),
    build: buildInfo,
    name: config.name,
    log: log.pino,
    bodyLimit: config.bodyLimit,
    cors: config.cors,
    ...(config.trustedProxies.length > 0 && { proxies: new TrustedProxies(config.trustedProxies) }),
    profile: profiles[config.compat],
    disableAuth: config.disableAuth,
    ending: ending.signal,
    page: await webPage(fileURLToPath(new URL('../dashboard/dist', import.meta.url))),
    ...(tls && { tls }),
  });
  const { address, port, family } = await http.listen(config.port, config.host);
  const protocol = config.tls ? 'https' : 'http';
  const url = `${protocol}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const leave = (certificate?: string): Promise<void> =>
    leaveAddress(config.data, {
      url: reachable(protocol, address, port),
      ...(certificate !== undefined && { certificate }),
    }).catch((error: unknown) =>
      tell(
        `The address of the gateway cannot be left in its data folder: ${systemReason(error)}. ` +
          'Until the next start "tagway plugin" has to be told it, with --url.',
      ),
    );
  await leave(tls?.cert);
  const alone = new SoleLease();
  if (pair === undefined) {
    await alone.take({ name: config.name, url });
    gateway.start();
  } else {
    pair.on('promote', () => {
      log.core.notice(`This gateway is the active one of its pair now. ${pair.view?.reason ?? ''}`.trim());
      gateway.start();
      pair.active();
    });
    pair.on('demote', (reason) => {
      log.core.error(`This gateway is not the active one of its pair any more: ${reason}`);
    });
    pair.ready(url);
  }
  for (const warning of exposures(config, address, gateway.users.hasDefaultPassword)) log.core.warn(warning);
  log.core.notice(
    `The gateway listens on ${url}${config.safe ? ' and runs no node, because it was started with --safe' : ''}.`,
  );
  const fingerprint = config.tls === 'auto' && tls !== undefined ? fingerprintOf(tls.cert) : undefined;
  if (fingerprint !== undefined)
    log.core.notice(`The certificate of the API has the SHA-256 fingerprint ${fingerprint}.`);
  return {
    url,
    fingerprint,
    async reloadTls() {
      if (config.tls === undefined) return;
      const fresh = readTls(config.tls === 'auto' ? certificateFiles(certificate) : config.tls);
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

/** Paths of a certificate chain and its key. */
interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

/** Throws, and names the files, when they cannot be read or do not belong together. */
function readTls(paths: TlsPaths): TlsFiles {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw unservable(paths, `${path} cannot be read, because ${systemReason(cause)}`, cause);
    }
  };
  return loadable({ cert: read(paths.cert), key: read(paths.key) }, paths);
}

function loadable(files: TlsFiles, paths: TlsPaths): TlsFiles {
  try {
    // Loaded here alone: a gateway without HTTPS does without it.
    process.getBuiltinModule('node:tls').createSecureContext(files);
    return files;
  } catch (cause) {
    throw unservable(paths, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function unservable({ cert, key }: TlsPaths, reason: string, cause: unknown): Error {
  return new Error(`HTTPS cannot be served with the files ${cert} and ${key}: ${reason}.`, { cause });
}

/** Sets the password of the first user back to its default, in an empty gateway when its database is lost. The gateway must not run. */
export async function resetPassword(config: Config): Promise<void> {
  const { log, gateway, close } = await assemble(config, true);
  await gateway.users.resetPassword();
  gateway.audit.add({
    ...{ time: Date.now(), user: '', kind: 'folder', error: ErrorCode.SUCCESS },
    text: `set the password of the user "${defaultUser.name}" back with --reset-password`,
  });
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
