import type { GatewayPair } from '@tagway/sdk';
import { plainName } from '@tagway/opcua-pki';
import type { Settings } from '../settings.ts';

/** A server of the pair, as clients find it. */
export interface RedundantServer {
  readonly applicationUri: string;
  readonly discoveryUrl: string;
}

/** The application URI of this node at a gateway of a pair: the other gateway makes the same. `pairId` is the node's. */
export function uriInPair(
  { application_uri: given }: Pick<Settings, 'application_uri'>,
  pairId: string,
  gateway: string,
): string {
  return `${given || `urn:tagway:${pairId}`}:${encodeURIComponent(plainName(gateway))}`;
}

/** The servers of the pair: this one, and all others that were there since this run began, so that one that is away is not forgotten. */
export class RedundantServers {
  readonly #uriOf: (gateway: string) => string;
  readonly #port: number;
  readonly #others = new Map<string, RedundantServer>();
  #pair: GatewayPair;

  constructor(pair: GatewayPair, port: number, uriOf: (gateway: string) => string) {
    this.#pair = pair;
    this.#port = port;
    this.#uriOf = uriOf;
    this.update(pair);
  }

  update(pair: GatewayPair): void {
    this.#pair = pair;
    for (const { name, url } of pair.others) {
      const host = hostOf(url);
      if (host === undefined) continue;
      const discoveryUrl = `opc.tcp://${host}:${this.#port}`;
      this.#others.set(name, { applicationUri: this.#uriOf(name), discoveryUrl });
    }
  }

  get isStandby(): boolean {
    return this.#pair.role === 'standby';
  }

  /** The application URI of this server. */
  get own(): string {
    return this.#uriOf(this.#pair.name);
  }

  get others(): readonly RedundantServer[] {
    return [...this.#others.values()];
  }

  /** Of all servers, in the same order at both gateways. */
  get uris(): readonly string[] {
    return [this.own, ...this.others.map(({ applicationUri }) => applicationUri)].sort();
  }
}

/** Undefined for a text that is no URL. */
function hostOf(url: string): string | undefined {
  const { hostname = '' } = URL.parse(url) ?? {};
  return hostname === '' ? undefined : hostname;
}
