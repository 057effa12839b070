import { isFault, type Context } from '@tagway/sdk';
import type { Link } from '@tagway/sdk/link';
import type { Exchange } from './exchange.ts';
import { anyInstance, objectOf, ObjectType, Property } from './properties.ts';
import { Kind, Service } from './protocol.ts';
import { readProperty } from './services.ts';
import type { DeviceInfo } from './session.ts';
import type { Settings } from './settings.ts';

/** Milliseconds of silence after which a device is asked whether it is there, and between two questions whether it has restarted. */
const pause = 10_000;

export interface PresenceParts {
  readonly context: Context<Settings>;
  readonly link: Link<DeviceInfo>;
  readonly exchange: Exchange;
  /** Whether something would be lost by a restart. */
  readonly isWatching: () => boolean;
  /** The device has restarted, though the link was never lost. */
  readonly restarted: (device: DeviceInfo) => void;
}

/**
 * Asks the device when it started. A device that only reports changes may send nothing for hours, and one that has restarted
 * has forgotten its subscriptions. Any answer shows that it is there; not every device gives the time.
 */
export class Presence {
  readonly #parts: PresenceParts;
  #life = new AbortController();

  constructor(parts: PresenceParts) {
    this.#parts = parts;
  }

  /** There is a new session, which lasts until `down`. */
  up(device: DeviceInfo): void {
    this.#life = new AbortController();
    void this.#keep(device, this.#life.signal);
  }

  down(): void {
    this.#life.abort();
  }

  async #keep(device: DeviceInfo, life: AbortSignal): Promise<void> {
    const { context, exchange, isWatching, link, restarted } = this.#parts;
    const object = objectOf(ObjectType.DEVICE, device.instance ?? anyInstance);
    const question = readProperty({ object, property: Property.RESTART_TIME, index: undefined });
    let gives = true;
    let known: Buffer | undefined;
    try {
      while (!life.aborted) {
        await context.clock.sleep(pause, life);
        if (link.quietFor < pause && !(gives && isWatching())) continue;
        // Without an answer the link ends the connection.
        const answer = await exchange.ask(Service.READ_PROPERTY, question, life);
        if (isFault(answer)) continue;
        gives = answer.kind === Kind.COMPLEX_ACK;
        if (!gives) continue;
        if (known !== undefined && !known.equals(answer.data)) restarted(device);
        known = answer.data;
      }
    } catch (error) {
      if (!life.aborted) context.log.error('The device is no longer asked whether it is there.', { error });
    }
  }
}
