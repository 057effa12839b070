import { isFault, type Context, type Fault } from '@tagway/sdk';
import type { Link } from '@tagway/sdk/link';
import type { Exchange } from './exchange.ts';
import { anyInstance, objectOf, ObjectType, Property } from './properties.ts';
import { Kind, Service } from './protocol.ts';
import { readProperty } from './services.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';

/** Milliseconds of silence after which a device is asked whether it is there, and between two questions whether it has restarted. */
const pause = 10_000;

export interface PresenceParts {
  readonly context: Context<Settings>;
  readonly link: Link<Session>;
  readonly exchange: Exchange;
  /** Whether something would be lost by a restart. */
  readonly isWatching: () => boolean;
  /** The device has restarted, though the link was never lost. */
  readonly restarted: (session: Session) => void;
}

/**
 * Asks the device when it started. A device that only reports changes says nothing for hours, dead or alive, and one that has restarted
 * has forgotten its subscriptions. Any answer shows that it is there; the time is one that not every device tells.
 */
export class Presence {
  readonly #parts: PresenceParts;
  #life = new AbortController();

  constructor(parts: PresenceParts) {
    this.#parts = parts;
  }

  /** There is a new session, which lasts until `down`. */
  up(session: Session): void {
    this.#life = new AbortController();
    void this.#keep(session, this.#life.signal);
  }

  down(): void {
    this.#life.abort();
  }

  async #keep(session: Session, life: AbortSignal): Promise<void> {
    const { context, exchange, isWatching, link, restarted } = this.#parts;
    const object = objectOf(ObjectType.DEVICE, session.device ?? anyInstance);
    const question = readProperty({ object, property: Property.RESTART_TIME, index: undefined });
    let tells = true;
    let known: Buffer | undefined;
    try {
      while (!life.aborted) {
        await context.clock.sleep(pause, life);
        if (link.quietFor < pause && !(tells && isWatching())) continue;
        // Without an answer the link sees to the rest.
        const answer = await exchange.ask(Service.READ_PROPERTY, question, life).catch(faultOnly);
        if (isFault(answer)) continue;
        tells = answer.kind === Kind.COMPLEX_ACK;
        if (!tells) continue;
        if (known !== undefined && !known.equals(answer.data)) restarted(session);
        known = answer.data;
      }
    } catch (error) {
      if (!life.aborted) context.log.error('The device is no longer asked whether it is there.', { error });
    }
  }
}

function faultOnly(error: unknown): Fault {
  if (isFault(error)) return error;
  throw error;
}
