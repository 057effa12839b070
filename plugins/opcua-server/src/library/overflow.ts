import { MonitoredItem } from 'node-opcua-server';
import { MonitoredItemNotification } from 'node-opcua-types';
import { StatusCode } from 'node-opcua-status-code';

/** What of an item is private to the library. */
interface Queueing {
  _setOverflowBit(notification: unknown): void;
}

interface Counted {
  readonly $subscription?: { readonly subscriptionDiagnostics?: { monitoringQueueOverflowCount: number } };
}

/**
 * Has a full queue mark values of any status. The library marks good ones alone and throws at others, so that one item whose queue is full
 * of uncertain or bad values would cost all tags of the sample.
 */
export function markOverflowOfAnyStatus(): void {
  const items = MonitoredItem.prototype as unknown as Queueing;
  items._setOverflowBit = function (this: Counted, notification) {
    const diagnostics = this.$subscription?.subscriptionDiagnostics;
    if (diagnostics !== undefined) diagnostics.monitoringQueueOverflowCount++;
    if (!(notification instanceof MonitoredItemNotification)) return;
    const { value } = notification;
    value.statusCode = StatusCode.makeStatusCode(value.statusCode, 'Overflow | InfoTypeDataValue');
  };
}
