import { groupKey, HubCache } from './hub-cache.ts';
import { GatewayConnection } from './gateway-connection.ts';
import type { Demand, HubMessage, TabMessage } from './messages.ts';

/**
 * One connection to the gateway for all tabs of a browser: a browser opens at most six connections to a host, and a stream uses one.
 * Every tab has a port. The hub requests the values that all tabs want together, and sends each tab the ones that it wants.
 */
export class Hub {
  readonly #ports = new Map<MessagePort, readonly Demand[]>();
  readonly #cache = new HubCache();
  readonly #gateway = new GatewayConnection({
    receive: (message) => this.#receive(message),
    demands: () => this.#demands(),
  });
  #token: string | undefined;

  add(port: MessagePort): void {
    this.#ports.set(port, []);
    port.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#onMessage(port, data);
    // Some browsers report a tab that is closed without a message.
    port.addEventListener('close', () => this.#remove(port));
    post(port, { kind: 'connection', connection: this.#gateway.connection });
  }

  #onMessage(port: MessagePort, message: TabMessage): void {
    if (message.kind === 'bye') return this.#remove(port);
    if (message.kind === 'demand') return this.#setDemands(port, message.demands);
    const { base, token } = message;
    // Values that one user may see are not for another user.
    if (token !== this.#token) this.#cache.clear();
    this.#token = token;
    this.#gateway.use(token === undefined ? undefined : { base, token });
    const states = this.#cache.states();
    if (states !== undefined) post(port, states);
  }

  #remove(port: MessagePort): void {
    if (!this.#ports.delete(port)) return;
    this.#demandsChanged();
    if (this.#ports.size > 0) return;
    this.#token = undefined;
    this.#cache.clear();
    this.#gateway.use(undefined);
  }

  #setDemands(port: MessagePort, demands: readonly Demand[]): void {
    const before = JSON.stringify(this.#demands());
    this.#ports.set(port, demands);
    // The stream sends the values of new demands; values that other tabs have already requested are in the cache.
    for (const demand of merged(demands)) {
      const values = this.#cache.values(demand);
      if (values !== undefined) post(port, values);
    }
    if (JSON.stringify(this.#demands()) !== before) this.#demandsChanged();
  }

  #demandsChanged(): void {
    this.#cache.retain(this.#demands());
    this.#gateway.demandsChanged();
  }

  #receive(message: HubMessage): void {
    this.#cache.update(message);
    for (const [port, demands] of this.#ports) {
      if ((message.kind !== 'values' && message.kind !== 'group') || wants(demands, message))
        post(port, message);
    }
  }

  /** The demands of all tabs together. */
  #demands(): Demand[] {
    return merged([...this.#ports.values()].flat());
  }
}

/** Each group once, with all of its requested tags. */
function merged(demands: readonly Demand[]): Demand[] {
  const groups = new Map<string, { node: string; group: string; tags: Set<string> | undefined }>();
  for (const { node, group, tags } of demands) {
    const key = groupKey(node, group);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { node, group, tags: tags && new Set(tags) });
    else if (tags === undefined) known.tags = undefined;
    else for (const tag of tags) known.tags?.add(tag);
  }
  return Array.from(groups.values(), ({ node, group, tags }) => ({
    node,
    group,
    ...(tags && { tags: [...tags] }),
  }));
}

const post = (port: MessagePort, message: HubMessage): void => port.postMessage(message);

const wants = (demands: readonly Demand[], message: Pick<Demand, 'node' | 'group'>): boolean =>
  demands.some(({ node, group }) => node === message.node && group === message.group);
