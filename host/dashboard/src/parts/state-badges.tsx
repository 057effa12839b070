import { Badge } from '@mantine/core';
import { LinkState, RunningState, type NodeStateRecord } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnection } from '../live/use-live.ts';

const running = {
  [RunningState.IDLE]: ['state.idle', 'gray'],
  [RunningState.INIT]: ['state.init', 'gray'],
  [RunningState.READY]: ['state.ready', 'gray'],
  [RunningState.RUNNING]: ['state.running', 'gray'],
  [RunningState.STOPPED]: ['state.stopped', 'gray'],
} as const;

const linked = {
  [LinkState.DISCONNECTED]: ['state.disconnected', 'red'],
  [LinkState.CONNECTING]: ['state.connecting', 'yellow'],
  [LinkState.CONNECTED]: ['state.connected', 'gray'],
} as const;

/** What is well is grey. So is everything while the connection is lost. */
function useTint(): (color: string) => string {
  const { state } = useConnection();
  return (color) => (state === 'lost' ? 'gray' : color);
}

/** Whether a node is started or stopped. */
export function RunningBadge({ state }: { readonly state: NodeStateRecord }): ReactElement {
  const { t } = useTranslation();
  const tint = useTint();
  const [text, color] = running[state.running];
  return (
    <Badge color={tint(color)} variant="light" miw="max-content">
      {t(text)}
    </Badge>
  );
}

/** Whether a running node is connected to its device or its server. */
export function LinkBadge({ state }: { readonly state: NodeStateRecord }): ReactElement | null {
  const { t } = useTranslation();
  const tint = useTint();
  if (state.running !== RunningState.RUNNING) return null;
  const [text, color] = linked[state.link];
  return (
    <Badge color={tint(color)} variant="light" miw="max-content">
      {t(text)}
    </Badge>
  );
}
