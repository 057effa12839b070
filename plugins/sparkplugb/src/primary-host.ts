/** What a STATE message says of a host. */
interface State {
  readonly online: boolean;
  readonly timestamp: number;
}

function stateOf(payload: Buffer): State | undefined {
  try {
    const state = JSON.parse(payload.toString()) as Partial<State> | null;
    return typeof state?.online === 'boolean' && typeof state.timestamp === 'number'
      ? { online: state.online, timestamp: state.timestamp }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the host that an edge node serves is there, by its STATE messages. */
export class PrimaryHost {
  readonly id: string;
  isOnline = false;
  /** Of the newest message; an older one is the will of a connection that the host has replaced. */
  #timestamp = -Infinity;
  #waiting: (() => void) | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** Takes a STATE message of this host; false when it is none. */
  take(payload: Buffer): boolean {
    const state = stateOf(payload);
    if (state === undefined) return false;
    if (state.timestamp < this.#timestamp) return true;
    this.#timestamp = state.timestamp;
    this.isOnline = state.online;
    if (this.isOnline) this.#waiting?.();
    return true;
  }

  /** A connection knows nothing of the host until it is told. */
  forget(): void {
    this.isOnline = false;
  }

  /** Resolves when the host is online; rejects with the signal's reason. */
  async online(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.isOnline) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    this.#waiting = resolve;
    try {
      await promise;
    } finally {
      this.#waiting = undefined;
      signal.removeEventListener('abort', abort);
    }
  }
}
