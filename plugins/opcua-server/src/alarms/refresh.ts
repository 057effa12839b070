import type { Clock } from '@tagway/sdk';
import type { AddressSpace } from 'node-opcua-address-space';
import { AttributeIds } from 'node-opcua-data-model';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import type { LibraryEvent } from './condition-event.ts';
import type { Conditions } from './conditions.ts';

/** Milliseconds between two looks whether a client has fetched, and for which it may fetch nothing. */
const look = 50;
const patience = 60_000;

/** What of the library is not in its types. */
interface Item {
  readonly itemToMonitor: { readonly attributeId: AttributeIds };
  readonly queue: readonly unknown[];
  readonly queueSize: number;
  _on_opcua_event(event: LibraryEvent): void;
}
export interface RefreshedSubscription {
  readonly monitoredItems: ReadonlyMap<number, Item>;
}
interface Space {
  _condition_refresh_scope: object | null;
  readonly rootFolder: { readonly objects: { readonly server: Server } };
}
interface Server {
  raiseEvent(type: string, data: object): void;
}

/** Sends a client what its alarms are (OPC 10000-9, 5.5.7): a mark, all conditions that are retained, and a mark. */
export class Refreshes {
  readonly #conditions: Conditions;
  readonly #space: Space;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #signal: AbortSignal;
  readonly #running = new Set<RefreshedSubscription>();

  constructor(conditions: Conditions, space: AddressSpace, clock: Pick<Clock, 'sleep'>, signal: AbortSignal) {
    this.#conditions = conditions;
    this.#space = space as unknown as Space;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Begins to refresh a subscription, or one of its items. */
  begin(subscription: RefreshedSubscription | null, item?: number): StatusCode {
    if (subscription === null) return StatusCodes.BadSubscriptionIdInvalid;
    if (this.#running.has(subscription)) return StatusCodes.BadRefreshInProgress;
    const isEvents = ({ itemToMonitor }: Item): boolean =>
      itemToMonitor.attributeId === AttributeIds.EventNotifier;
    const one = item === undefined ? undefined : subscription.monitoredItems.get(item);
    if (item !== undefined && (one === undefined || !isEvents(one)))
      return StatusCodes.BadMonitoredItemIdInvalid;
    this.#running.add(subscription);
    void this.#refresh(subscription, item).finally(() => this.#running.delete(subscription));
    return StatusCodes.Good;
  }

  async #refresh(subscription: RefreshedSubscription, item: number | undefined): Promise<void> {
    const items = (): Item[] =>
      [...subscription.monitoredItems]
        .filter(([id, { itemToMonitor }]) => {
          const isAsked = item === undefined || item === id;
          return isAsked && itemToMonitor.attributeId === AttributeIds.EventNotifier;
        })
        .map(([, one]) => one);
    // The library sends these events to the client that asked alone, past its filter.
    const mark = (type: string): void => {
      this.#space._condition_refresh_scope = { subscription, monitoredItemId: item };
      try {
        this.#space.rootFolder.objects.server.raiseEvent(type, {});
      } finally {
        this.#space._condition_refresh_scope = null;
      }
    };
    mark('RefreshStartEventType');
    for (const event of this.#conditions.retained()) {
      if (!(await this.#roomIn(items))) return;
      for (const one of items()) one._on_opcua_event(event);
    }
    if (await this.#roomIn(items)) mark('RefreshEndEventType');
  }

  /** Waits until the queues take one more event; false when the client does not fetch any, or is gone. */
  async #roomIn(items: () => Item[]): Promise<boolean> {
    for (let waited = 0; waited < patience; waited += look) {
      const all = items();
      if (all.length === 0) return false;
      if (all.every(({ queue, queueSize }) => queue.length < queueSize)) return true;
      try {
        await this.#clock.sleep(look, this.#signal);
      } catch {
        return false;
      }
    }
    return false;
  }
}
