import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';

export const otlpCompressions = ['gzip', 'none'] as const;

/** The collector of OpenTelemetry, and what it gets. Paths are absolute; the files are read before each request. */
export interface OtlpConfig {
  /** The address of its OTLP over HTTP, without the path of a signal and without a slash at its end. */
  readonly endpoint: string;
  /** Seconds between two times that metrics are sent. */
  readonly interval: number;
  /** Seconds that a request may take. */
  readonly timeout: number;
  readonly compression: (typeof otlpCompressions)[number];
  /** Entries of the log are sent too. */
  readonly logs: boolean;
  /** One in this many readings of drivers is followed to the servers of apps; 0: none. */
  readonly traces: number;
  /** Attributes of the resource, beside those of the gateway or instead of them. */
  readonly resource: Readonly<Record<string, string>>;
  /** A file with a header in each line, such as `Authorization: Bearer …`. */
  readonly headers: string | undefined;
  /** PEM files: the authorities of the collector's certificate, and the certificate of this client with its key. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** The options of a collector. */
export const otlpOptions = {
  'otlp-endpoint': { type: 'string' },
  'otlp-logs': { type: 'boolean' },
  'otlp-traces': { type: 'string' },
  'otlp-interval': { type: 'string' },
  'otlp-timeout': { type: 'string' },
  'otlp-compression': { type: 'string' },
  'otlp-resource': { type: 'string' },
  'otlp-headers': { type: 'string' },
  'otlp-ca': { type: 'string' },
  'otlp-cert': { type: 'string' },
  'otlp-key': { type: 'string' },
} as const;

type Name = keyof typeof otlpOptions;

/** Options that name files, and become absolute. */
export const otlpFiles = [
  'otlp-headers',
  'otlp-ca',
  'otlp-cert',
  'otlp-key',
] as const satisfies readonly Name[];

/** How values of options are read. */
interface OptionReader {
  text(name: Name): string | undefined;
  flag(name: Name): boolean;
  count(name: Name, otherwise: number, least: number, most: number): number;
  compression(otherwise: OtlpConfig['compression']): OtlpConfig['compression'];
}

/** Undefined without a collector. Throws `ConfigError`. */
export function otlpOf(options: OptionReader): OtlpConfig | undefined {
  const endpoint = options.text('otlp-endpoint');
  if (endpoint === undefined) {
    const alone = (Object.keys(otlpOptions) as Name[]).find((name) => options.text(name) !== undefined);
    if (alone !== undefined)
      throw new ConfigError(
        `The option "${alone}" needs "otlp-endpoint", which says where the collector is.`,
      );
    return undefined;
  }
  const url = collectorAt(endpoint);
  const file = (name: Name): string | undefined => {
    const path = options.text(name);
    return path && resolve(path);
  };
  const ca = file('otlp-ca');
  const cert = file('otlp-cert');
  const key = file('otlp-key');
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError('The options "otlp-cert" and "otlp-key" need each other.');
  if (url.protocol === 'http:' && (ca !== undefined || cert !== undefined))
    throw new ConfigError('The options "otlp-ca" and "otlp-cert" need an "otlp-endpoint" with https.');
  return {
    endpoint: url.href.replace(/\/+$/, ''),
    interval: options.count('otlp-interval', 60, 1, 3600),
    timeout: options.count('otlp-timeout', 10, 1, 600),
    compression: options.compression('gzip'),
    logs: options.flag('otlp-logs'),
    traces: options.count('otlp-traces', 0, 0, 1_000_000),
    resource: attributesIn(options.text('otlp-resource')),
    headers: file('otlp-headers'),
    ca,
    cert,
    key,
  };
}

function collectorAt(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isGood =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === '' &&
    !/\/v1\/[a-z]+\/?$/.test(url.pathname);
  if (isGood) return url;
  // The value itself stays out of the message: it may hold a password.
  throw new ConfigError(
    'The option "otlp-endpoint" must be the address of a collector such as http://10.0.0.5:4318, without a user, a query or the path v1/metrics, which the gateway adds. Credentials belong into the file of "otlp-headers".',
  );
}

/** Such as `deployment.environment.name=plant%203,team=water`. */
function attributesIn(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      try {
        if (name !== undefined && value !== undefined)
          return [decodeURIComponent(name), decodeURIComponent(value)];
      } catch {
        // A percent sign that encodes nothing.
      }
      throw new ConfigError(
        `The option "otlp-resource" must be a list such as site=hall-3,team=water, with commas and percent signs in values as %2C and %25; "${pair}" is none of it.`,
      );
    }),
  );
}
