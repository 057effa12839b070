import { abortable } from '@tagway/sdk/link';

/** A STATE message of a host. */
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

/** Whether the primary host of an edge node is online, by its STATE messages. */
export class PrimaryHost {
  readonly id: string;
  isOnline = false;
  /** Timestamp of the newest message. An older message is the will of an earlier connection of the host. */
  #timestamp = -Infinity;
  #waiting: (() => void) | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** Takes a STATE message of this host; false when its payload is not valid. */
  takeState(payload: Buffer): boolean {
    const state = stateOf(payload);
    if (state === undefined) return false;
    if (state.timestamp < this.#timestamp) return true;
    this.#timestamp = state.timestamp;
    this.isOnline = state.online;
    if (this.isOnline) this.#waiting?.();
    return true;
  }

  /** On a new connection the host counts as offline until its STATE message comes. */
  forget(): void {
    this.isOnline = false;
  }

  /** Resolves when the host is online; rejects with the signal's reason. */
  async online(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.isOnline) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = resolve;
    await abortable(promise, signal).finally(() => (this.#waiting = undefined));
  }
}
