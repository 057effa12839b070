import type { AlarmRecord } from './alarm-records.ts';
import { NodeJournal } from './node-journal.ts';

/** What is kept of the alarms of a node: their journal, and the latest transition of each that is not normal. */
export class NodeAlarms {
  readonly journal = new NodeJournal();
  /** By the number of the tag. */
  readonly active = new Map<number, AlarmRecord>();
}
