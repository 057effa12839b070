import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';

/** What is done where the gateway is not as its source says, because somebody has changed it. */
export const driftModes = ['keep', 'report', 'revert'] as const;

/** Where the configuration is pulled from, and how. */
export interface SourceConfig {
  /** A path of a folder that other programs fill. */
  readonly folder: string;
  /** As people are shown it: without what is secret. */
  readonly shown: string;
  /** Seconds between two looks. */
  readonly interval: number;
  readonly drift: (typeof driftModes)[number];
  /** The file of variables; undefined for that of the gateway's name, if there is one. */
  readonly vars: string | undefined;
  /** The folder with a file for each secret. */
  readonly secrets: string | undefined;
}

/** The options of a source. */
export const sourceOptions = {
  'config-source': { type: 'string' },
  'config-interval': { type: 'string' },
  'config-drift': { type: 'string' },
  'config-vars': { type: 'string' },
  'config-secrets': { type: 'string' },
} as const;

type Name = keyof typeof sourceOptions;

/** How values of options are read. */
interface OptionReader {
  text(name: Name): string | undefined;
  count(name: Name, otherwise: number, least: number, most: number): number;
  drift(otherwise: SourceConfig['drift']): SourceConfig['drift'];
}

/** Undefined without a source. Throws `ConfigError`. */
export function sourceOf(options: OptionReader): SourceConfig | undefined {
  const source = options.text('config-source');
  if (source === undefined) {
    const alone = (Object.keys(sourceOptions) as Name[]).find((name) => options.text(name) !== undefined);
    if (alone !== undefined)
      throw new ConfigError(`The option "${alone}" needs "config-source", which says what is pulled.`);
    return undefined;
  }
  const secrets = options.text('config-secrets');
  return {
    ...placeOf(source),
    interval: options.count('config-interval', 60, 1, 86_400),
    drift: options.drift('report'),
    vars: options.text('config-vars'),
    secrets: secrets && resolve(secrets),
  };
}

function placeOf(source: string): Pick<SourceConfig, 'folder' | 'shown'> {
  if (/^[a-z+]+:/.test(source))
    throw new ConfigError(`The option "config-source" is the path of a folder, and not "${source}".`);
  const folder = resolve(source);
  return { folder, shown: folder };
}
