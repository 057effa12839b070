import { getHeapStatistics } from 'node:v8';
import { MonitoredItem } from 'node-opcua-server';

/** Bytes of memory that a value in a queue takes. */
const valueBytes = 200;
/** Share of the memory of this process that values in queues may take. A subscription that is being sent holds as many once more. */
const share = 1 / 8;

/** Values that wait in the queues of all monitored items of this process, for clients that fetch them. */
export const queuedValues = {
  now: 0,
  most: Math.floor((getHeapStatistics().heap_size_limit * share) / valueBytes),
};

/** What of an item is private to the library. */
interface Queue {
  queue: unknown[];
  overflow: boolean;
  readonly discardOldest: boolean;
  _setOverflowBit(value: unknown): void;
  _enqueue_notification: (this: Queue, value: unknown) => void;
  _empty_queue: (this: Queue) => void;
  _adjust_queue_to_match_new_queue_size: (this: Queue) => void;
  dispose: (this: Queue) => void;
}

let isBound = false;

/**
 * Bounds the values that all queues together hold. Clients choose how many each of their items may keep, and one that monitors every tag with
 * long queues and does not fetch would take the memory of the whole plugin. At the bound every queue behaves as a full one: it marks the overflow and
 * loses a value for each that comes. Every item keeps one value at least.
 */
export function boundQueuedValues(): void {
  if (isBound) return;
  isBound = true;
  const items = MonitoredItem.prototype as unknown as Queue;
  for (const method of ['_empty_queue', '_adjust_queue_to_match_new_queue_size', 'dispose'] as const) {
    const original = items[method];
    items[method] = function (this: Queue) {
      const before = this.queue.length;
      original.call(this);
      queuedValues.now += this.queue.length - before;
    };
  }
  const enqueue = items._enqueue_notification;
  items._enqueue_notification = function (this: Queue, value) {
    const before = this.queue.length;
    if (before > 0 && queuedValues.now >= queuedValues.most) replaceOne(this, value);
    else enqueue.call(this, value);
    queuedValues.now += this.queue.length - before;
  };
}

/** As the library does in a queue that is full. */
function replaceOne(item: Queue, value: unknown): void {
  item.overflow = true;
  if (item.discardOldest) {
    item.queue.push(value);
    item.queue.shift();
    item._setOverflowBit(item.queue[0]);
  } else {
    item._setOverflowBit(value);
    item.queue[item.queue.length - 1] = value;
  }
}
