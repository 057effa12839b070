import { groupKey, Known } from './known.ts';
import { Link } from './link.ts';
import type { Demand, HubMessage, TabMessage } from './messages.ts';

/**
 * One connection to the gateway for all tabs of a browser: it holds six connections to a host, and a stream keeps one.
 * Every tab has a port; what any of them wants is asked for once, and each is told what it wants.
 */
export class Hub {
  readonly #ports = new Map<MessagePort, readonly Demand[]>();
  readonly #known = new Known();
  readonly #link = new Link({ tell: (message) => this.#tell(message), demands: () => this.#demands() });
  #token: string | undefined;

  add(port: MessagePort): void {
    this.#ports.set(port, []);
    port.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#hear(port, data);
    // Browsers tell when a tab has gone without a word, not all of them.
    port.addEventListener('close', () => this.#forget(port));
    post(port, { kind: 'connection', connection: this.#link.connection });
  }

  #hear(port: MessagePort, message: TabMessage): void {
    if (message.kind === 'bye') return this.#forget(port);
    if (message.kind === 'demand') return this.#want(port, message.demands);
    const { base, token } = message;
    // What one user was told is not for another.
    if (token !== this.#token) this.#known.clear();
    this.#token = token;
    this.#link.use(token === undefined ? undefined : { base, token });
    const states = this.#known.states();
    if (states !== undefined) post(port, states);
  }

  #forget(port: MessagePort): void {
    if (!this.#ports.delete(port)) return;
    this.#changed();
    if (this.#ports.size > 0) return;
    this.#token = undefined;
    this.#known.clear();
    this.#link.use(undefined);
  }

  #want(port: MessagePort, demands: readonly Demand[]): void {
    const before = JSON.stringify(this.#demands());
    this.#ports.set(port, demands);
    // The stream tells what is new to it; what others want already it has told them.
    for (const demand of merged(demands)) {
      const values = this.#known.values(demand);
      if (values !== undefined) post(port, values);
    }
    if (JSON.stringify(this.#demands()) !== before) this.#changed();
  }

  #changed(): void {
    this.#known.keep(this.#demands());
    this.#link.changed();
  }

  #tell(message: HubMessage): void {
    this.#known.take(message);
    for (const [port, demands] of this.#ports) {
      if ((message.kind !== 'values' && message.kind !== 'group') || wants(demands, message))
        post(port, message);
    }
  }

  /** What all tabs want. */
  #demands(): Demand[] {
    return merged([...this.#ports.values()].flat());
  }
}

/** Each group once, with all of its tags that are wanted. */
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

const wants = (demands: readonly Demand[], told: Pick<Demand, 'node' | 'group'>): boolean =>
  demands.some(({ node, group }) => node === told.node && group === told.group);
