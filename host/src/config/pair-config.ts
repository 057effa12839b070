import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';

/** How a gateway of a pair reaches the pair's etcd, and is reached. */
export interface PairConfig {
  /** Such as `http://10.0.0.5:2379`, one for each member of etcd. */
  readonly endpoints: readonly string[];
  /** What both gateways call their pair. */
  readonly id: string;
  /** PEM files: the authority of etcd's certificates, and the certificate of this client with its key. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Where clients reach this gateway. */
  readonly url?: string;
}

type Name = 'pair' | 'pair-id' | 'pair-ca' | 'pair-cert' | 'pair-key' | 'pair-url';

const names: readonly Name[] = ['pair-id', 'pair-ca', 'pair-cert', 'pair-key', 'pair-url'];

const defaultPort = '2379';

/** Undefined when there is no pair. Throws `ConfigError`. */
export function pairOf(value: (name: Name) => string | undefined): PairConfig | undefined {
  const list = value('pair');
  if (list === undefined) {
    const alone = names.find((name) => value(name) !== undefined);
    if (alone !== undefined) throw new ConfigError(`The option "${alone}" needs "pair".`);
    return undefined;
  }
  const id = value('pair-id');
  if (id === undefined || !/^[\w.-]{1,64}$/.test(id))
    throw new ConfigError(
      'The option "pair" needs "pair-id": up to 64 letters, digits, dots, dashes and underscores, the same at both gateways.',
    );
  const ca = value('pair-ca');
  const cert = value('pair-cert');
  const key = value('pair-key');
  const url = value('pair-url');
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError('The options "pair-cert" and "pair-key" need each other.');
  if (url !== undefined && !URL.canParse(url))
    throw new ConfigError(
      `The option "pair-url" must be an address such as http://10.0.0.5:7000, not "${url}".`,
    );
  const scheme = ca === undefined && cert === undefined ? 'http' : 'https';
  return {
    endpoints: endpointsOf(list, scheme),
    id,
    ...(ca !== undefined && { ca: resolve(ca) }),
    ...(cert !== undefined && key !== undefined && { cert: resolve(cert), key: resolve(key) }),
    ...(url !== undefined && { url: url.replace(/\/$/, '') }),
  };
}

function endpointsOf(list: string, scheme: string): string[] {
  const given = list.split(/[\s,]+/).filter((one) => one !== '');
  if (given.length === 0) throw new ConfigError('The option "pair" names no member of etcd.');
  return given.map((one) => {
    const plain = one.replace(/^etcd:\/\//, '');
    const text = /^https?:\/\//.test(plain) ? plain : `${scheme}://${plain}`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.hostname === '' || url.pathname !== '/' || url.search !== '')
      throw new ConfigError(
        `The option "pair" takes members of etcd such as http://10.0.0.5:2379 or etcd://10.0.0.5:2379,10.0.0.6:2379, and not "${one}".`,
      );
    const isPortSaid = /:\d+\/?$/.test(text);
    return isPortSaid ? text.replace(/\/$/, '') : `${url.protocol}//${url.hostname}:${defaultPort}`;
  });
}
