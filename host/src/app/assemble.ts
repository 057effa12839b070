import { join } from 'node:path';
import { dialects, PluginKind } from '@tagway/schemas';
import type { GatewayPair } from '@tagway/sdk';
import { buildInfo, systemPlugins, systemProfiles } from '../build-info.ts';
import type { Config } from '../config/config.ts';
import { secretMask } from '../core/access/secrets.ts';
import { registriesSchema } from '../core/directory/registry-settings.ts';
import { fleetSchema } from '../core/fleet/fleet-settings.ts';
import { signInSchema } from '../core/sign-in/sign-in-settings.ts';
import { Gateway } from '../core/gateway.ts';
import type { Pair } from '../core/ports/pair.ts';
import type { Store } from '../core/ports/ports.ts';
import { keys } from '../core/records/records.ts';
import { makeFolder, openDatabase, snapshotsOf } from '../data/data-folder.ts';
import { completeSwap } from '../data/data-swap.ts';
import { setFirstPassword } from '../data/first-password.ts';
import { removeAddress } from '../data/gateway-address.ts';
import { NpmRegistries } from '../directory/registries.ts';
import { openGateway } from '../fleet/gateway-client.ts';
import { signInPorts } from '../sign-in/ports.ts';
import { discover } from '../library/discover.ts';
import { HistoryFolder } from '../history/history.ts';
import { LibraryFolder } from '../library/folder.ts';
import { PluginCatalog } from '../library/plugin-catalog.ts';
import { pemOf, readKeys } from '../library/signature.ts';
import { AuditLog } from '../log/audit.ts';
import { createLog, type GatewayLog } from '../log/log.ts';
import { maskedLog, maskedOutput } from '../log/mask-secrets.ts';
import { ProfileFolder } from '../profiles/profile-folder.ts';
import { readAuthorities } from '../machine/authorities.ts';
import { closeDataFolder } from '../machine/file-modes.ts';
import { hardwareToken } from '../machine/identity.ts';
import { loadSecretsKey, readSecretsKey, type SecretsKey } from '../machine/secrets-key.ts';
import { appliedKey } from '../pair/config/local-copy.ts';
import { sharedIds } from '../pair/config/shared-ids.ts';
import { joinPair } from '../pair/pair-folder.ts';
import type { PairLink } from '../pair/ports.ts';
import { forkedRunners, inlineRunners, runnerEntry } from '../runtime/process/channel.ts';
import { probe } from '../runtime/process/probe.ts';
import { Reaper } from '../runtime/process/reaper.ts';
import { RunnerUser } from '../runtime/process/runner-user.ts';
import { PluginRuntime } from '../runtime/runtime.ts';
import { SealedStore, type SchemaOf } from '../store/sealed-store.ts';
import { SpanTap } from './span-tap.ts';
import type { StartWatch } from './start-watch.ts';

/** Everything below the API, put together; no node runs yet. */
export type Assembled = Awaited<ReturnType<typeof assemble>>;

export interface AssembleOptions {
  /** A database that is lost is made anew. Default false. */
  readonly isBeginning?: boolean;
  /** The connection to the agent of a gateway of a pair; without it the folder no longer belongs to a pair. */
  readonly link?: PairLink | undefined;
  /** Of the user of a command: they name registries that the data folder does not. Default: none. */
  readonly npmrcFiles?: readonly string[];
  /** The address of the only registry that a command asks. */
  readonly registry?: string | undefined;
}

/** Puts together the layers below the API. */
export async function assemble(config: Config, watch: StartWatch, options: AssembleOptions = {}) {
  const { isBeginning = false, link, npmrcFiles = [], registry } = options;
  await makeFolder(config.data);
  // First, because the log of the database gets the mode of the database.
  const openings = await closeDataFolder(config.data);
  const log = createLog({
    folder: join(config.data, 'logs'),
    level: config.logLevel,
    stdout: config.printLog,
    isTapped: config.otlp?.logs ?? false,
  });
  for (const opening of openings) log.core.warn(opening);
  /** Warns on standard error too, because a full disk does not take the log. */
  const warn = (sentence: string): void => {
    log.core.warn(sentence);
    process.stderr.write(`${sentence}\n`);
  };
  watch.report = warn;
  if (await completeSwap(config.data))
    log.core.notice('A backup was being restored when that was interrupted: it is in place now.');
  watch.waitsFor(`the database of ${config.data}`);
  const store = await openDatabase(config.data, warn, isBeginning);
  if (link === undefined && (await store.has(appliedKey))) await store.commit({ delete: [appliedKey] });
  // Of a gateway that was killed: from here on the folder is in use by this process.
  await removeAddress(config.data);
  const reaper = reaperOf(config, log);
  const user = runnerUserOf(config);
  const runners = forkedRunners({ memoryMegabytes: config.runnerMemory, reaper, user, watch: link });
  const ending = new AbortController();
  const secrets = await secretsKeyOf(config);
  if (secrets.warning !== undefined) log.core.warn(secrets.warning);
  const signatures = { folder: join(config.data, 'trusted'), isRequired: config.requireSignature };
  const profiles = new ProfileFolder({
    path: join(config.data, 'profiles'),
    system: systemProfiles,
    signatures,
    log: log.core,
  });
  await profiles.recover();
  const libraries = new LibraryFolder({
    path: join(config.data, 'libraries'),
    signatures,
    // In a process of its own also where plugins run inline: what is not known yet may hang.
    probe: (main, nodeType) => probe(runners, log.core, ending.signal, main, nodeType),
  });
  watch.waitsFor(`the libraries of plugins in ${join(config.data, 'libraries')}`);
  await libraries.recover();
  const found = await discover([systemPlugins], join(config.data, 'libraries'), log.core);
  const plugins = new PluginCatalog(found, log.core);
  const added = plugins.all().filter(({ kind }) => kind === PluginKind.CUSTOM);
  if (user === undefined && added.length > 0)
    log.core.notice(
      `Plugins that users installed run as the gateway's own user, so they can read its keys: ${added.map(({ name }) => `"${name}"`).join(', ')}. ` +
        'With --runner-user they run as another one, where root runs the gateway.',
    );
  const { pair } = config;
  const side =
    pair &&
    link &&
    // Loaded here alone: a gateway without a pair does without it.
    new (await import('../pair/pair-side.ts')).PairSide({
      pair,
      joined: () => joinPair(config.data, pair.id),
      link,
      store,
      libraries,
      profiles,
      plugins,
      log: log.core,
      name: config.name,
      version: buildInfo.version,
      secretsKey: secrets.key,
      isSafe: config.safe,
    });
  const schemaOf: SchemaOf = (key, { plugin = '' }) => {
    if (key === keys.fleet) return fleetSchema;
    if (key === keys.signIn) return signInSchema;
    return key === keys.registries ? registriesSchema : plugins.byId(plugin)?.settingsSchema;
  };
  const sealedOf = (of: Store): SealedStore => new SealedStore(of, secrets.key, schemaOf);
  // What an older gateway has stored in clear is sealed before the pair sees it.
  if (side !== undefined) await sealedOf(store).load();
  const sealed = sealedOf(side?.store ?? store);
  const snapshots = snapshotsOf(config.data, store, sealedOf);
  const audit = new AuditLog(join(config.data, 'audit'));
  const history = new HistoryFolder({ folder: join(config.data, 'history'), log: log.core });
  const { traces = 0 } = config.otlp ?? {};
  const spans = traces > 0 ? new SpanTap(traces) : undefined;
  const secretsOf = (node: string): readonly string[] => gateway.nodes.secrets(node);
  const runtimeOptions = {
    open: config.inline ? inlineRunners : runners,
    log: log.core,
    nodeLog: (node: string) => maskedLog(log.node(node), secretMask, () => secretsOf(node)),
    withoutSecrets: maskedOutput(secretMask, secretsOf),
    levelOf: (node: string) => log.levels.of(node),
    following: spans,
    nodesFolder: join(config.data, 'nodes'),
    history,
    ...(config.pair && { pairIdOf: sharedIds(secrets.key, config.pair.id) }),
    gatewaysOfPair: () => side && gatewaysOf(side.pair),
  };
  let runtime!: PluginRuntime;
  const gateway: Gateway = new Gateway({
    store: sealed,
    snapshots,
    profiles: side?.profiles ?? profiles,
    registries: new NpmRegistries({
      files: [join(config.data, 'npmrc'), ...npmrcFiles],
      trusted: async () => (await readKeys(join(config.data, 'trusted'))).map(pemOf),
      folder: join(config.data, 'renewed-trust'),
      only: registry === undefined ? undefined : { url: registry },
    }),
    openGateway,
    signIn: signInPorts,
    plugins,
    libraries: side?.libraries ?? libraries,
    logLevels: log.levels,
    audit,
    history,
    dialect: dialects[config.compat],
    licensing: {
      authorities: config.licenseCa === undefined ? [] : readAuthorities(config.licenseCa),
      hardwareToken: await hardwareToken(config.data),
    },
    safe: config.safe,
    logLevelRevert: config.logLevelRevert,
    log: log.core,
    runtime: (events) => (runtime = new PluginRuntime(runtimeOptions, events)),
  });
  const setPassword = (): Promise<void> => setFirstPassword(gateway, config.adminPassword, warn);
  watch.waitsFor('the stored configuration');
  const follower = side && (await gateway.follow());
  if (side === undefined) {
    await gateway.load();
    await setPassword();
  }
  await history.open(gateway.nodes.all().flatMap((node) => [...node.groups.values()]));
  return {
    log,
    warn,
    gateway,
    reaper,
    pair: side?.pair,
    /** The steps of followed readings, where readings are followed. */
    spans,
    /** Starts all nodes; in a pair once this gateway has its lease, which `promoted` follows. `url`: where the API answers. */
    start: async (url: string, promoted: () => void): Promise<void> => {
      if (side === undefined || follower === undefined) return gateway.start();
      const opened = sealed.opened.bind(sealed);
      const othersChanged = (): void => runtime.pairChanged();
      await side.start(config.pair?.url ?? url, {
        gateway,
        follower,
        snapshots,
        opened,
        othersChanged,
        promoted: async () => {
          promoted();
          await setPassword();
        },
      });
    },
    /** Ends an installation under way as a failed one. */
    ending,
    close: async (): Promise<void> => {
      ending.abort();
      await side?.close();
      await runtime.close();
      await history.close();
      reaper[Symbol.dispose]();
      await gateway.close();
      await store.close();
      audit.close();
    },
  };
}

function gatewaysOf(pair: Pair): Pick<GatewayPair, 'name' | 'others'> {
  const { name, members } = pair.status();
  const others = members.filter((member) => member.name !== name);
  return { name, others: others.map(({ name: other, url }) => ({ name: other, url })) };
}

function reaperOf({ data }: Config, { core }: GatewayLog): Reaper {
  return new Reaper(data, {
    orphan: (pid) =>
      core.warn(`The process ${pid}, which a gateway before this one had left behind, was ended.`),
    missing: (reason) =>
      core.warn(`There is no shell that ends what plugins start when the gateway is killed: ${reason}.`),
  });
}

function runnerUserOf({ data, runnerUser }: Config): RunnerUser | undefined {
  return runnerUser === undefined ? undefined : RunnerUser.of(runnerUser, { data, entry: runnerEntry() });
}

function secretsKeyOf({ data, secretsKey }: Config): Promise<SecretsKey> {
  return secretsKey === undefined ? loadSecretsKey(join(data, 'keys')) : readSecretsKey(secretsKey);
}
