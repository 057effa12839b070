import { join } from 'node:path';
import { dialects } from '@tagway/schemas';
import { buildInfo, webPageFolder } from '../build-info.ts';
import type { Config } from '../config/config.ts';
import { checkedTls, readTls } from '../config/tls-files.ts';
import type { ConfigSource } from '../core/ports/config-source.ts';
import type { Machine } from '../core/ports/machine.ts';
import type { SignalCounts } from '../core/ports/telemetry.ts';
import { systemReason } from '../core/system/system-error.ts';
import { leaveAddress, reachable } from '../data/gateway-address.ts';
import { Issuers } from '../http/auth/issuers.ts';
import { loadKeys } from '../http/auth/keys.ts';
import { webPage } from '../http/endpoints/page.ts';
import { TrustedProxies } from '../http/guard/client-address.ts';
import { HttpServer } from '../http/server.ts';
import { AuthorKit } from '../kit/author-kit.ts';
import { archiveOf } from '../log/archive.ts';
import { logFilesIn, openLogFile } from '../log/log-files.ts';
import { LogReader } from '../log/query.ts';
import { listFolder } from '../machine/folder.ts';
import { certificateFiles, fingerprintOf, ownCertificate } from '../machine/own-certificate.ts';
import { System } from '../machine/system.ts';
import type { Assembled } from './assemble.ts';

/** The API of a gateway, which answers. */
export interface Api {
  /** Such as `http://127.0.0.1:7000`. */
  readonly url: string;
  /** The address that it listens on. */
  readonly address: string;
  /** SHA-256 of the certificate that the gateway made for itself, if it serves that one. */
  readonly fingerprint: string | undefined;
  /** Leaves its address in the data folder, for the commands of this machine. */
  publish(): Promise<void>;
  /** Reads the certificate and its key again; new connections get them. Rejects when they are not good, and nothing changes. */
  reloadTls(): Promise<void>;
  close(): Promise<void>;
}

/** What the API shows and does not own. */
interface AroundApi {
  readonly source: ConfigSource | undefined;
  readonly telemetry: readonly SignalCounts[];
}

/** Has the API of a gateway listen. */
export async function serveApi(
  config: Config,
  { log, warn, gateway, ending, pair, source, telemetry }: Assembled & AroundApi,
  waitsFor: (step: string) => void,
): Promise<Api> {
  waitsFor('the certificate and the keys of the API');
  const certificate = join(config.data, 'tls');
  const tls =
    config.tls === 'auto'
      ? checkedTls(await ownCertificate(certificate, config.host, warn), certificateFiles(certificate))
      : config.tls && readTls(config.tls);
  const http = new HttpServer({
    gateway,
    machine: machineOf(config),
    issuers: new Issuers(join(config.data, 'issuers')),
    keys: await loadKeys(join(config.data, 'keys'), warn),
    build: buildInfo,
    name: config.name,
    log: log.pino,
    bodyLimit: config.bodyLimit,
    cors: config.cors,
    ...(config.trustedProxies.length > 0 && { proxies: new TrustedProxies(config.trustedProxies) }),
    dialect: dialects[config.compat],
    disableAuth: config.disableAuth,
    ending: ending.signal,
    page: await webPage(webPageFolder),
    ...(tls && { tls }),
    pair,
    source,
    telemetry,
  });
  waitsFor(`the address ${config.host}:${config.port} to listen on`);
  const { address, port, family } = await http.listen(config.port, config.host);
  const protocol = config.tls ? 'https' : 'http';
  const publish = (served = tls?.cert): Promise<void> =>
    leaveAddress(config.data, {
      url: reachable(protocol, address, port),
      ...(served !== undefined && { certificate: served }),
    }).catch((error: unknown) =>
      warn(
        `The address of the gateway cannot be left in its data folder: ${systemReason(error)}. ` +
          'Until the next start "tagway plugin" needs the URL of the gateway with --url.',
      ),
    );
  return {
    url: `${protocol}://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    address,
    fingerprint: config.tls === 'auto' && tls !== undefined ? fingerprintOf(tls.cert) : undefined,
    publish: () => publish(),
    async reloadTls() {
      if (config.tls === undefined) return;
      const fresh = readTls(config.tls === 'auto' ? certificateFiles(certificate) : config.tls);
      http.setTls(fresh);
      await publish(fresh.cert);
      log.core.notice('The certificate of the API was read again.');
    },
    close: () => http.close(),
  };
}

function machineOf({ data, fileRoots }: Config): Machine {
  const logs = join(data, 'logs');
  const reader = new LogReader(logs);
  const system = new System(data);
  const kit = new AuthorKit();
  const listable = { roots: [join(data, 'libraries'), ...fileRoots], never: [join(data, 'keys')] };
  return {
    queryLog: (query) => reader.query(query),
    logFiles: () => logFilesIn(logs),
    logFile: (name) => openLogFile(logs, name),
    archiveLog: () => archiveOf(logs),
    listFolder: (path) => listFolder(path, listable),
    facts: () => system.facts(),
    pluginProject: (kind, name) => kit.archive(kind, name),
  };
}
