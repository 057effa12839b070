import type { UAVariable } from 'node-opcua-address-space';
import { AttributeIds } from 'node-opcua-data-model';
import type { MonitoredItem, OPCUAServer, ServerSession, Subscription } from 'node-opcua-server';
import type { ReadValueId } from 'node-opcua-types';

const valueAttribute: number = AttributeIds.Value;

/** What of an item is private to the library, or of Node's emitters. */
interface Item {
  _events: object | undefined;
  readonly itemToMonitor: ReadValueId;
}

/** Reads the value of the node of an item, for one that the library asks by a timer. */
const readNode: NonNullable<MonitoredItem['samplingFunc']> = function (
  this: MonitoredItem,
  context,
  _before,
  done,
) {
  (this.node as UAVariable).readValueAsync(context, done);
};

/**
 * Has monitored items share what is the same in all of them. A client may monitor every tag, and the library keeps of each item the whole
 * request, a function that reads its node and an object for listeners, of which it has none: a third of the memory of an item.
 */
export function keepItemsLean(server: OPCUAServer): void {
  let encoding: ReadValueId['dataEncoding'] | undefined;
  let range: ReadValueId['indexRange'] | undefined;
  const shrink = (item: MonitoredItem): void => {
    const { node } = item;
    const { itemToMonitor: asked } = item as unknown as Item;
    if (node === null || asked.attributeId !== valueAttribute) return;
    asked.nodeId = node.nodeId;
    if (asked.dataEncoding.isEmpty()) asked.dataEncoding = encoding ??= asked.dataEncoding;
    if (asked.indexRange.isEmpty()) asked.indexRange = range ??= asked.indexRange;
    (item as unknown as Item)._events = undefined;
    // The library's own listener, which comes after this one, gives the item its function.
    queueMicrotask(() => (item.samplingFunc = readNode));
  };
  server.on('create_session', (session: ServerSession) => {
    session.on('new_subscription', (subscription: Subscription) => {
      subscription.on('monitoredItem', shrink);
    });
  });
}
