import type { NodeContext } from './node-context.ts';

const names = { time: 'group_last_timer_ms', messages: 'group_last_send_msgs' } as const;

/** The counter in which drivers count the messages that they send. */
const sent = 'send_msgs';

/** Measures one poll of a group; what it returns is to be called at the end of it. */
export function measurePoll(context: NodeContext, group: number): () => void {
  const begin = performance.now();
  const before = context.meter(sent);
  return () => {
    context.gauge(names.time, Math.round(performance.now() - begin), group);
    context.gauge(names.messages, context.meter(sent) - before, group);
  };
}
