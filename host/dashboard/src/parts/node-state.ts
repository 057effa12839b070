import { LinkState, RunningState, type NodeStateRecord } from '@tagway/schemas';

/** True of a node that runs and does not do what it should: no link, or tags in error. */
export function isTroubled({ running, link, tags_in_error: inError }: NodeStateRecord): boolean {
  if (running !== RunningState.RUNNING) return false;
  return link !== LinkState.CONNECTED || Object.values(inError ?? {}).some((count) => count > 0);
}
