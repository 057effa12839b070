import type { AlarmPriority } from '@tagway/sdk';
import type { ItemEvent } from './item.ts';

export type Language = 'en' | 'zh';

/** What messages say by themselves. */
export type Words = Readonly<Record<ItemEvent | AlarmPriority, string>> & {
  /** How many had no room in the message. */
  further(count: number): string;
  /** It is the last one for a while. */
  last(most: number, until: string): string;
  digest(date: string): string;
  /** Of a digest: how many were raised, by priority, and how many returned and were acknowledged. */
  counts(counts: Readonly<Record<AlarmPriority | 'returned' | 'acknowledged', number>>): string;
  readonly often: string;
  readonly open: string;
};

export const words: Readonly<Record<Language, Words>> = {
  en: {
    raised: 'raised',
    returned: 'returned to normal',
    acknowledged: 'acknowledged',
    reminder: 'still not acknowledged',
    escalation: 'not acknowledged, escalated',
    low: 'low',
    medium: 'medium',
    high: 'high',
    further: (count) => `${count} more are not listed here.`,
    last: (most, until) =>
      `This is the last of ${most} messages an hour. What comes before ${until} is listed and counted in the next one.`,
    digest: (date) => `Alarms until ${date}`,
    counts: (counts) =>
      `Raised: ${counts.high} high, ${counts.medium} medium, ${counts.low} low. Returned to normal: ${counts.returned}. Acknowledged: ${counts.acknowledged}.`,
    often: 'Most often raised:',
    open: 'Not acknowledged now:',
  },
  zh: {
    raised: '报警',
    returned: '恢复正常',
    acknowledged: '已确认',
    reminder: '仍未确认',
    escalation: '未确认，已升级',
    low: '低',
    medium: '中',
    high: '高',
    further: (count) => `另有 ${count} 条未在此列出。`,
    last: (most, until) =>
      `这是一小时内 ${most} 条消息中的最后一条。${until} 之前发生的报警将在下一条消息中列出并计数。`,
    digest: (date) => `截至 ${date} 的报警`,
    counts: (counts) =>
      `报警：高 ${counts.high}，中 ${counts.medium}，低 ${counts.low}。恢复正常：${counts.returned}。已确认：${counts.acknowledged}。`,
    often: '最频繁的报警：',
    open: '当前未确认：',
  },
};
