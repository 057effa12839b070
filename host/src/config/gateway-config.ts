import type { DialectName, LogLevel } from '@tagway/schemas';
import type { OtlpConfig } from './otlp-option.ts';
import type { PairConfig } from './pair-config.ts';
import type { SourceConfig } from './source-option.ts';
import type { Tls } from './tls-option.ts';

/** How the gateway is to run. Command line goes before environment, environment before configuration file. */
export interface Config {
  /** Absolute path of the folder that holds everything the gateway keeps. */
  readonly data: string;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly logLevel: LogLevel;
  /** Start the API alone: no node runs. */
  readonly safe: boolean;
  /** Megabytes of JavaScript heap per runner process. */
  readonly runnerMemory: number;
  /** The user of the system that runners become. */
  readonly runnerUser?: string;
  /** Run all plugins inside the host process. */
  readonly inline: boolean;
  /** Most bytes of a request body. */
  readonly bodyLimit: number;
  readonly cors: boolean;
  /** Addresses and networks of the proxies whose X-Forwarded-For says where a request comes from. */
  readonly trustedProxies: readonly string[];
  /** Whose statuses and codes are answered where the specification and the existing family of gateways differ. */
  readonly compat: DialectName;
  /** Ask for no token. */
  readonly disableAuth: boolean;
  /**
   * PEM files of the certificate chain and its key, or "auto" for those that the gateway makes for itself; the API is served over
   * HTTPS then.
   */
  readonly tls?: Tls;
  /** Password of the first user, while that is the one of a new gateway. */
  readonly adminPassword?: string;
  /** PEM file of the authorities that sign licenses; without it no license is good. */
  readonly licenseCa?: string;
  /** Seconds after which a log level that was changed is as it was again; 0: never. */
  readonly logLevelRevert: number;
  /** What this gateway is called among others. */
  readonly name: string;
  /** Folders that the API may list, with their subfolders; empty: all that the process may read. */
  readonly fileRoots: readonly string[];
  /** Copy the log to standard output. */
  readonly printLog: boolean;
  /** File with the key of secrets; without it the one of the data folder. */
  readonly secretsKey?: string;
  /** Install signed libraries only. */
  readonly requireSignature: boolean;
  /** This gateway is one of two: see host/src/pair. */
  readonly pair?: PairConfig;
  /** Where the configuration is pulled from: see host/src/source. */
  readonly source?: SourceConfig;
  /** The collector of OpenTelemetry: see host/src/otlp. */
  readonly otlp?: OtlpConfig;
  /** Warnings about the options, in sentences. */
  readonly warnings: readonly string[];
}
