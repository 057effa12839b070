/** Whether a topic can be one of alarms, whatever names stand in the place of the placeholders of a pattern. */
export function alarmTopics(pattern: string | undefined): (topic: string) => boolean {
  if (!pattern) return () => false;
  const parts = pattern.split(/\{[^{}]*\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const topics = new RegExp(`^${parts.join('.*')}$`, 's');
  return (topic) => topics.test(topic);
}
