import type { AlarmTransition, Health } from '@tagway/schemas';

type State = AlarmTransition['to'];

/** What is known of the states of alarms: the key of their names, their marks, and the part of the list that has them. */
export const alarmStates = {
  normal: { text: 'alarms.normal', health: 'good', part: 'open' },
  unacknowledged: { text: 'alarms.unacknowledged', health: 'down', part: 'open' },
  acknowledged: { text: 'alarms.acknowledged', health: 'degraded', part: 'open' },
  returned: { text: 'alarms.returned', health: 'degraded', part: 'open' },
  latched: { text: 'alarms.latched', health: 'down', part: 'open' },
  'latched acknowledged': { text: 'alarms.latchedAcknowledged', health: 'degraded', part: 'open' },
  shelved: { text: 'alarms.shelved', health: 'stopped', part: 'shelved' },
  suppressed: { text: 'alarms.suppressed', health: 'stopped', part: 'suppressed' },
  'out of service': { text: 'alarms.outOfService', health: 'stopped', part: 'outOfService' },
} as const satisfies Readonly<Record<State, { text: string; health: Health; part: string }>>;

export const alarmParts = ['open', 'shelved', 'suppressed', 'outOfService'] as const;

export type AlarmPart = (typeof alarmParts)[number];

/** Somebody has to acknowledge it. */
export const wantsAcknowledgement = ({ to }: Pick<AlarmTransition, 'to'>): boolean =>
  to === 'unacknowledged' || to === 'returned' || to === 'latched';

/** What has happened, in words; of an alarm without a text its value and its limit. */
export function whatOf({ limit, text, value }: AlarmTransition): string {
  if (text !== '' || value === undefined) return text;
  return limit === undefined ? String(value) : `${String(value)} / ${String(limit)}`;
}
