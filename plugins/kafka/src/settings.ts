import { cacheProblem, type StoreSettings, type TlsFiles, tlsFilesProblem } from '@tagway/store';
import { type OAuthSettings, urlProblem } from '@tagway/store/http';
import { BodyTemplate, PlaceTemplate } from '@tagway/store/template';
import { ErrorCode, Fault } from '@tagway/sdk';

export const Format = { VALUES: 0, TAGS: 1, TEMPLATE: 2 } as const;
export const compressions = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export const mechanisms = [undefined, 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

/** A node's settings, with the schema's defaults filled in. */
export interface Settings extends StoreSettings, TlsFiles, OAuthSettings {
  /** Host and port of some brokers of the cluster, with commas between them. */
  readonly brokers: string;
  readonly 'client-id': string;
  readonly topic: string;
  readonly message_key: string;
  /** 0 values, 1 tags, 2 template. */
  readonly format: 0 | 1 | 2;
  readonly template?: string;
  readonly upload_err: boolean;
  readonly upload_meta: boolean;
  /** 0 none, 1 gzip, 2 Snappy, 3 LZ4, 4 Zstandard. */
  readonly compression: 0 | 1 | 2 | 3 | 4;
  readonly idempotent: boolean;
  readonly create_topics: boolean;
  /** 0 none, 1 PLAIN, 2 SCRAM-SHA-256, 3 SCRAM-SHA-512, 4 OAUTHBEARER. */
  readonly sasl: 0 | 1 | 2 | 3 | 4;
  readonly username?: string;
  readonly password?: string;
  readonly ssl: boolean;
  readonly 'any-certificate'?: boolean;
}

/** The brokers of the setting, or undefined when one of them is none. */
export function brokersOf(brokers: string): readonly string[] | undefined {
  const list = brokers.split(',').map((broker) => broker.trim());
  return list.every((broker) => /^(\[[0-9a-f:]+\]|[^\s:/]+):[0-9]{1,5}$/i.test(broker)) ? list : undefined;
}

function ownProblem(settings: Settings): string | undefined {
  if (brokersOf(settings.brokers) === undefined)
    return `"brokers" is "${settings.brokers}": enter host and port of each broker, with commas between them, such as kafka1:9092,kafka2:9092.`;
  for (const name of ['topic', 'message_key'] as const) {
    const problem = PlaceTemplate.problem(settings[name]);
    if (problem !== undefined) return `"${name}" is not a template: ${problem}`;
    if (PlaceTemplate.of(settings[name]).isPerTag && !isPerTag(settings))
      return `"${name}" has a placeholder of a tag, and a record is about a whole sample: set "format" to 2 and a "template" of one tag.`;
  }
  if (settings.topic === '') return '"topic" is empty.';
  if (settings.format === Format.TEMPLATE) {
    const problem = BodyTemplate.problem(settings.template ?? '');
    if (problem !== undefined) return `"template" is not a template: ${problem}`;
  }
  if (settings.sasl === 4) return urlProblem('token-url', settings['token-url'] ?? '');
  if (settings.sasl !== 0 && !settings.username) return '"sasl" needs "username".';
  if (settings.sasl !== 0 && settings.password === undefined) return '"sasl" needs "password".';
  return undefined;
}

/** Whether each value is a record of its own. */
export function isPerTag({ format, template }: Settings): boolean {
  return format === Format.TEMPLATE && BodyTemplate.of(template ?? '').isPerTag;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Settings): Fault | undefined {
  const problem =
    cacheProblem(settings) ?? (settings.ssl ? tlsFilesProblem(settings) : undefined) ?? ownProblem(settings);
  return problem === undefined
    ? undefined
    : new Fault(ErrorCode.NODE_SETTING_INVALID, problem, { retry: false });
}
