import type { NodeType } from '@tagway/schemas';
import { lazy, type ComponentType } from 'react';
import type { NodeEntry } from '../../api/queries.ts';
import type { Texts } from '../../texts/en.ts';

/** What a tab of a node's page is given. */
export interface TabProps {
  readonly node: NodeEntry;
}

export interface NodeTab {
  /** The last part of the address. */
  readonly path: string;
  readonly text: `tabs.${keyof Texts['tabs']}`;
  /** Whose tab it is; absent: of drivers and apps. */
  readonly of?: NodeType;
  readonly content: ComponentType<TabProps>;
}

/** The tabs of a node's page, each loaded when it is opened first. */
export const tabs: readonly NodeTab[] = [
  { path: 'state', text: 'tabs.state', content: lazy(() => import('./state.tsx')) },
  { path: 'settings', text: 'tabs.settings', content: lazy(() => import('./settings.tsx')) },
];
