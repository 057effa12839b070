import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildInfo } from './build-info.ts';
import type { Config } from './config.ts';
import { ErrorCode, profiles } from '@tagway/schemas';
import { Gateway } from './core/gateway.ts';
import type { Machine } from './core/machine.ts';
import type { Store } from './core/ports.ts';
import { secretMask } from './core/secrets.ts';
import { systemReason } from './core/system-error.ts';
import { defaultUser } from './core/users.ts';
import { exposures } from './exposures.ts';
import { setFirstPassword } from './first-password.ts';
import { makeFolder, openDatabase, snapshotsOf, type Tell } from './data-folder.ts';
import { completeSwap } from './data-swap.ts';
import { leaveAddress, reachable, removeAddress } from './gateway-address.ts';
import { TrustedProxies } from './http/client-address.ts';
import { Issuers } from './http/issuers.ts';
import { loadKeys } from './http/keys.ts';
import { webPage } from './http/page.ts';
import { HttpServer } from './http/server.ts';
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
import { SoleLease } from './pair/sole-lease.ts';
import { appliedKey } from './pair/local-copy.ts';
import type { PairLink } from './pair/ports.ts';
import { sharedIds } from './pair/shared-ids.ts';
import { forkedRunners, inlineRunners } from './runtime/channel.ts';
import { probe } from './runtime/probe.ts';
import { Reaper } from './runtime/reaper.ts';
import { PluginRuntime } from './runtime/runtime.ts';
import { SealedStore } from './store/sealed-store.ts';
import { StoreInUse } from './store/store.ts';
import { loadable, readTls } from './tls-files.ts';

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

/**
 * The layers below the API, put together; no node runs yet. With `isBeginning` a database that is lost is made anew. `link`: the line to
 * the agent of a gateway of a pair; without it what a folder has of a pair is its own from now on.
 */
async function assemble(config: Config, isBeginning = false, link?: PairLink) {
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
  if (link === undefined && (await store.has(appliedKey))) await store.commit({ delete: [appliedKey] });
  // Of a gateway that was killed: from here on the folder is in use by this process.
  await removeAddress(config.data);
  const reaper = new Reaper(config.data, {
    orphan: (pid) =>
      log.core.warn(`The process ${pid}, which a gateway before this one had left behind, was ended.`),
    missing: (reason) =>
      log.core.warn(`There is no shell that ends what plugins start when the gateway is killed: ${reason}.`),
  });
  const runners = forkedRunners(config.runnerMemory, reaper, link);
  const ending = new AbortController();
  const secrets = await (config.secretsKey === undefined
    ? loadSecretsKey(join(config.data, 'keys'))
    : readSecretsKey(config.secretsKey));
  if (secrets.warning !== undefined) log.core.warn(secrets.warning);
  const libraries = new LibraryFolder({
    path: join(config.data, 'libraries'),
    signatures: { folder: join(config.data, 'trusted'), isRequired: config.requireSignature },
    // In a process of its own also where plugins run inline: what is not known yet may hang.
    probe: (main, nodeType) => probe(runners, log.core, ending.signal, main, nodeType),
  });
  await libraries.recover();
  const plugins = await PluginCatalog.discover([systemPlugins], join(config.data, 'libraries'), log.core);
  const runtimeOptions = {
    open: config.inline ? inlineRunners : runners,
    log: log.core,
    nodeLog: (node: string) => withoutSecrets(log.node(node), secretMask, () => gateway.nodes.secrets(node)),
    withoutSecrets: printedWithoutSecrets(secretMask, (node) => gateway.nodes.secrets(node)),
    levelOf: (node: string) => log.levels.of(node),
    nodesFolder: join(config.data, 'nodes'),
    ...(config.pair && { pairIdOf: sharedIds(secrets.key, config.pair.id) }),
  };
  const audit = new AuditLog(join(config.data, 'audit'));
  let runtime!: PluginRuntime;
  const schemaOf = (plugin: string): object | undefined => plugins.byId(plugin)?.settingsSchema;
  const side =
    config.pair &&
    link &&
    // Loaded here alone: a gateway without a pair does without it.
    new (await import('./pair/pair-side.ts')).PairSide({
      ...{ pair: config.pair, link, store, libraries, plugins, log: log.core },
      ...{ name: config.name, version: buildInfo.version, secretsKey: secrets.key, isSafe: config.safe },
    });
  const sealedOf = (of: Store): SealedStore => new SealedStore(of, secrets.key, schemaOf);
  // What an older gateway has stored in clear is sealed before the pair sees it.
  if (side !== undefined) await sealedOf(store).load();
  const sealed = sealedOf(side?.store ?? store);
  const snapshots = snapshotsOf(config.data, store, sealedOf);
  const gateway: Gateway = new Gateway({
    ...{ store: sealed, snapshots, plugins, libraries: side?.libraries ?? libraries },
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
  const setPassword = (): Promise<void> => setFirstPassword(gateway, config.adminPassword, tell);
  const follower = side && (await gateway.follow());
  if (side === undefined) {
    await gateway.load();
    await setPassword();
  }
  return {
    ...{ log, tell, gateway, reaper, pair: side?.pair },
    /** All nodes, or those of the pair once this gateway has its lease. `url`: where the API answers. */
    start: async (url: string): Promise<void> => {
      if (side === undefined || follower === undefined) {
        await new SoleLease().take({ name: config.name, url });
        return gateway.start();
      }
      const opened = sealed.opened.bind(sealed);
      const paired = { gateway, follower, snapshots, opened, promoted: setPassword };
      await side.start(config.pair?.url ?? url, paired);
    },
    /** Ends an installation under way as a failed one. */
    ending,
    close: async (): Promise<void> => {
      ending.abort();
      await side?.close();
      await runtime.close();
      reaper[Symbol.dispose]();
      await gateway.close();
      await store.close();
      audit.close();
    },
  };
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

/** Starts the gateway, which is the standby of its pair at first if it has an agent of one. */
export async function startApp(config: Config, link?: PairLink): Promise<App> {
  const { log, tell, gateway, reaper, ending, pair, start, close } = await assemble(config, false, link);
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
    pair,
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
  await start(url);
  await leave(tls?.cert);
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
