import type { AlarmEvent } from '@tagway/sdk';
import { stringifyJson } from '@tagway/sdk/json';

/** The message of one transition of an alarm. */
export function alarmMessage(event: AlarmEvent, node: string, group: string): Buffer {
  const { sequence, time, recorded, tag, from, to, cause, value, limit, priority, text, by, comment } = event;
  const who = by && { user: by.name, kind: by.kind };
  return Buffer.from(
    stringifyJson({
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
      ...who,
      ...(comment !== undefined && { comment }),
    }),
  );
}

/** Whether a topic can be one of alarms, whatever names stand in the place of the placeholders of a pattern. */
export function alarmTopics(pattern: string | undefined): (topic: string) => boolean {
  if (!pattern) return () => false;
  const parts = pattern.split(/\{[^{}]*\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const topics = new RegExp(`^${parts.join('.*')}$`, 's');
  return (topic) => topics.test(topic);
}
