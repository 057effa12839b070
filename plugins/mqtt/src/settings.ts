import { ErrorCode, Fault } from '@tagway/sdk';
import { topicProblem } from './topics.ts';

/** A node's settings, with the schema's defaults filled in. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly 'client-id'?: string;
  readonly username?: string;
  readonly password?: string;
  /** Protocol level: 4 is MQTT 3.1.1, 5 is MQTT 5. */
  readonly version: 4 | 5;
  readonly qos: 0 | 1 | 2;
  /** 0 values, 1 tags. */
  readonly format: 0 | 1;
  readonly 'upload-topic'?: string;
  readonly upload_err: boolean;
  /** Source times and qualities go with the values. */
  readonly upload_meta: boolean;
  readonly 'write-req-topic'?: string;
  readonly 'write-resp-topic'?: string;
  readonly upload_drv_state: boolean;
  readonly upload_drv_state_topic?: string;
  /** Seconds. */
  readonly upload_drv_state_interval: number;
  readonly 'offline-cache'?: boolean;
  /** Megabytes of 10^6 bytes. */
  readonly 'cache-mem-size': number;
  /** Megabytes of 10^6 bytes. */
  readonly 'cache-disk-size': number;
  /** Milliseconds. */
  readonly 'cache-sync-interval': number;
  readonly 'will-topic'?: string;
  readonly 'will-payload'?: string;
  readonly ssl: boolean;
  /** Base64 of PEM, as are `cert` and `key`. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly keypass?: string;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The text of a file setting, or undefined when it is empty or not base64. */
export function fileText(encoded: string): string | undefined {
  const plain = encoded.replace(/[\r\n]/g, '');
  return plain !== '' && base64.test(plain) ? Buffer.from(plain, 'base64').toString('utf8') : undefined;
}

/** Bytes of messages that are kept while there is no offline cache: enough for a reconnect. */
const withoutCache = 16_000_000;

/** Whether the offline cache is on: where its switch is absent, a memory size is the switch. */
export function cacheOn(settings: Settings): boolean {
  return settings['offline-cache'] ?? settings['cache-mem-size'] > 0;
}

/** Bytes of messages that may wait in memory. */
export function memoryLimit(settings: Settings): number {
  return cacheOn(settings) ? settings['cache-mem-size'] * 1_000_000 : withoutCache;
}

/** Bytes of messages that may wait on disk. */
export function diskLimit(settings: Settings): number {
  return cacheOn(settings) ? settings['cache-disk-size'] * 1_000_000 : 0;
}

function cacheProblem(settings: Settings): string | undefined {
  if (settings['offline-cache'] === false) return undefined;
  const memory = settings['cache-mem-size'];
  const disk = settings['cache-disk-size'];
  if (settings['offline-cache'] === true && memory === 0)
    return 'The offline cache is on, but "cache-mem-size" is 0.';
  if (memory === 0 && disk > 0) return '"cache-disk-size" needs a "cache-mem-size" above 0.';
  if (memory > disk) return '"cache-mem-size" must not be larger than "cache-disk-size".';
  return undefined;
}

function tlsProblem(settings: Settings): string | undefined {
  if (!settings.ssl) return undefined;
  if (settings.ca === undefined) return '"ssl" needs "ca", the certificate authority of the broker.';
  for (const name of ['ca', 'cert', 'key'] as const) {
    const file = settings[name];
    if (file !== undefined && fileText(file) === undefined) return `"${name}" is empty or not base64.`;
  }
  if (settings.cert !== undefined && settings.key === undefined) return '"cert" needs "key".';
  if (settings.keypass === '') return '"keypass" is empty: leave it out when the key has no password.';
  return undefined;
}

function topicsProblem(settings: Settings): string | undefined {
  const names = [
    'upload-topic',
    'write-req-topic',
    'write-resp-topic',
    'upload_drv_state_topic',
    'will-topic',
  ] as const;
  for (const name of names) {
    const topic = settings[name];
    const problem = topic === undefined || topic === '' ? undefined : topicProblem(topic);
    if (problem !== undefined) return `"${name}" is not a topic: ${problem}`;
  }
  if (settings['will-payload'] && !settings['will-topic']) return '"will-payload" needs "will-topic".';
  const request = settings['write-req-topic'];
  if (request !== undefined && request !== '' && request === settings['write-resp-topic']) {
    return '"write-req-topic" and "write-resp-topic" must differ, or the gateway would answer itself.';
  }
  return undefined;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Settings): Fault | undefined {
  const problem = cacheProblem(settings) ?? tlsProblem(settings) ?? topicsProblem(settings);
  return problem === undefined
    ? undefined
    : new Fault(ErrorCode.NODE_SETTING_INVALID, problem, { retry: false });
}
