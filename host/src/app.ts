import { existsSync } from 'node:fs';
import { dialects } from '@tagway/schemas';
import { type Assembled, assemble } from './app/assemble.ts';
import { type Api, serveApi } from './app/serve-api.ts';
import { StartWatch } from './app/start-watch.ts';
import { telemetryOf } from './app/telemetry.ts';
import type { Config } from './config/config.ts';
import { exposures } from './config/exposures.ts';
import { checkPort, listenError } from './core/system/listening.ts';
import { removeAddress } from './data/gateway-address.ts';
import type { PairLink } from './pair/ports.ts';
import type { Puller } from './source/puller.ts';

/** A gateway that runs. */
export interface App extends Pick<Api, 'url' | 'fingerprint' | 'reloadTls'> {
  /** Ends everything: runs, runners, connections, files. */
  close(): Promise<void>;
}

/** Starts the gateway, which is the standby of its pair at first if it has an agent of one. */
export async function startApp(config: Config, link?: PairLink): Promise<App> {
  const watch = new StartWatch();
  return watch.over(startWatched(config, watch, link));
}

async function startWatched(config: Config, watch: StartWatch, link: PairLink | undefined): Promise<App> {
  // Before anything is made: who names another port does not find a folder that nobody wanted.
  if (!existsSync(config.data))
    await checkPort(config.host, config.port).catch((cause: unknown) => {
      throw listenError(config.host, config.port, cause);
    });
  const assembled = await assemble(config, watch, { link });
  const { log, gateway, ending } = assembled;
  assembled.reaper.start();
  for (const warning of config.warnings) log.core.warn(warning);
  const puller = await pullerOf(config, assembled);
  const telemetry = await telemetryOf(config, assembled, puller);
  const around = { source: puller, telemetry: telemetry?.counts ?? [] };
  const api = await serveApi(config, { ...assembled, ...around }, (step) => watch.waitsFor(step));
  const { url, fingerprint } = api;
  await assembled.start(url, () => puller?.look());
  await api.publish();
  puller?.start();
  for (const warning of exposures(config, api.address, gateway.users.hasDefaultPassword))
    log.core.warn(warning);
  log.core.notice(
    `The gateway listens on ${url}${config.safe ? ' and runs no node, because it was started with --safe' : ''}.`,
  );
  if (fingerprint !== undefined)
    log.core.notice(`The certificate of the API has the SHA-256 fingerprint ${fingerprint}.`);
  return {
    url,
    fingerprint,
    reloadTls: () => api.reloadTls(),
    async close() {
      ending.abort();
      await puller?.close();
      await api.close();
      await removeAddress(config.data);
      await assembled.close();
      log.core.notice('The gateway has ended.');
      await telemetry?.close();
      log.close();
    },
  };
}

/** What keeps the configuration as its source has it, where there is one; a gateway without one loads nothing of it. */
async function pullerOf(config: Config, { gateway, log, pair }: Assembled): Promise<Puller | undefined> {
  const { source, data, name, compat, safe } = config;
  if (source === undefined || safe) return undefined;
  const { Puller } = await import('./source/puller.ts');
  const isActive = (): boolean => pair === undefined || pair.status().role === 'active';
  return new Puller({
    gateway,
    dialect: dialects[compat],
    config: source,
    // The configuration is that of the pair, whichever gateway is the active one.
    name: config.pair?.id ?? name,
    data,
    log: log.core,
    isActive,
  });
}
