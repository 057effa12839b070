import type { AlarmCause, AlarmPriority, AlarmState } from '@tagway/schemas';
import type { Point, Writer } from './point.ts';
import type { Value } from './value.ts';

/** What is known of one transition of an alarm between two states of ISA-18.2. */
export interface Transition {
  /** When it was by the samples, in milliseconds since the epoch. */
  readonly time: number;
  readonly from: AlarmState;
  readonly to: AlarmState;
  readonly cause: AlarmCause;
  /** What the condition is about, if that is known. */
  readonly value?: Exclude<Value, Uint8Array> | undefined;
  /** The limit of the condition, if it has one. */
  readonly limit?: number | undefined;
  readonly priority: AlarmPriority;
  /** What has happened, for people; empty when the alarm has no text. */
  readonly text: string;
  /** Who gave the command that it came of. */
  readonly by?: Writer | undefined;
  /** What was written with that command. */
  readonly comment?: string | undefined;
  /** Of a shelved alarm: when its shelf ends at the latest, in milliseconds since the epoch, and whether it ends with the condition. */
  readonly shelf?: { readonly until: number; readonly once: boolean } | undefined;
}

/** A transition as a driver has it recorded. */
export interface TransitionOf extends Transition {
  /** The tag that the alarm belongs to, as the driver got it. */
  readonly point: Point;
}

/** A transition as apps get it. */
export interface AlarmEvent extends Transition {
  /** Counts the transitions of the driver from 1 on, without a gap. */
  readonly sequence: number;
  /** When it was recorded by the clock of the gateway, in milliseconds since the epoch. */
  readonly recorded: number;
  /** Name of the tag that the alarm belongs to. */
  readonly tag: string;
}

/** Where a transition was. */
export interface AlarmPlace {
  readonly node: string;
  readonly group: string;
}

/** A transition with the members that the API and MQTT give it, absent where nothing is known; for `stringifyJson`, as values may be bigints. */
export function alarmMembers(
  event: AlarmEvent,
  { node, group }: AlarmPlace,
): Readonly<Record<string, unknown>> {
  const { sequence, time, recorded, tag, from, to, cause, value, limit, priority, text, by, comment, shelf } =
    event;
  return {
    sequence,
    time,
    recorded,
    node,
    group,
    tag,
    from,
    to,
    cause,
    ...(value !== undefined && { value }),
    ...(limit !== undefined && { limit }),
    priority,
    text,
    ...(by && { user: by.name, kind: by.kind }),
    ...(comment !== undefined && { comment }),
    ...(shelf && { until: shelf.until, once: shelf.once }),
  };
}
