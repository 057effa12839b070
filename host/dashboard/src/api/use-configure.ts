import { useStatus } from './pair.ts';
import { useMay } from './use-role.ts';

/** Whether the configuration is changed at its source alone: what is changed here would be put back, so it is refused. */
export const useIsLocked = (): boolean => useStatus().data?.source?.locked === true;

/** Whether the user who is logged in may change nodes, groups, tags, templates, subscriptions and settings here. */
export function useMayConfigure(): boolean {
  const isEngineer = useMay('engineer');
  return !useIsLocked() && isEngineer;
}
