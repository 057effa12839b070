import type { AlarmEvent, AlarmPriority } from '@tagway/sdk';
import { plain } from './plain.ts';

/** What people are sent a line about. */
export type ItemEvent = 'raised' | 'returned' | 'acknowledged' | 'reminder' | 'escalation';

/** An alarm or a signal as it was when something has happened to it. All texts are plain. */
export interface Item {
  readonly event: ItemEvent;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly node: string;
  readonly group: string;
  readonly tag: string;
  readonly priority: AlarmPriority;
  readonly state: string;
  readonly text: string;
  readonly value?: string;
  readonly limit?: number;
  readonly by?: string;
  readonly comment?: string;
}

export type Subject = Omit<Item, 'event'>;

/** What a transition says of its alarm. */
export function subjectOf(event: AlarmEvent, node: string, group: string): Subject {
  const { time, tag, priority, to, text, value, limit, by, comment } = event;
  return {
    time,
    node: plain(node),
    group: plain(group),
    tag: plain(tag),
    priority,
    state: to,
    text: plain(text),
    ...(value !== undefined && { value: plain(String(value), 100) }),
    ...(limit !== undefined && { limit }),
    ...(by !== undefined && { by: plain(by.name, 100) }),
    ...(comment !== undefined && { comment: plain(comment) }),
  };
}

export function itemOf(subject: Subject, event: ItemEvent): Item {
  return { event, ...subject };
}
