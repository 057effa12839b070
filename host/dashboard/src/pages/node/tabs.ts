import { NodeType } from '@tagway/schemas';
import type { ComponentType } from 'react';
import { lazyPart } from '../../parts/lazy-part.ts';
import type { TabProps } from './tab-props.ts';
import type { Texts } from '../../texts/en.ts';

export interface NodeTab {
  /** The last part of the address. */
  readonly path: string;
  readonly text: `tabs.${keyof Texts['tabs']}`;
  /** The type of nodes that have the tab; absent for both types. */
  readonly of?: NodeType;
  /** What the node has of it, or what its plugin says that it has, where the tab needs it. */
  readonly needs?: 'clients' | 'certificates' | 'profile';
  readonly content: ComponentType<TabProps>;
}

/** The tabs of a node's page, each loaded when it is first opened. */
export const tabs: readonly NodeTab[] = [
  { path: 'state', text: 'tabs.state', content: lazyPart(() => import('./state.tsx')) },
  { path: 'settings', text: 'tabs.settings', content: lazyPart(() => import('./settings.tsx')) },
  {
    path: 'groups',
    text: 'tabs.groups',
    of: NodeType.DRIVER,
    content: lazyPart(() => import('./groups.tsx')),
  },
  {
    path: 'profile',
    text: 'tabs.profile',
    of: NodeType.DRIVER,
    needs: 'profile',
    content: lazyPart(() => import('./profile.tsx')),
  },
  {
    path: 'trace',
    text: 'tabs.trace',
    of: NodeType.DRIVER,
    content: lazyPart(() => import('./trace.tsx')),
  },
  {
    path: 'subscriptions',
    text: 'tabs.subscriptions',
    of: NodeType.APP,
    content: lazyPart(() => import('./subscriptions.tsx')),
  },
  {
    path: 'messages',
    text: 'tabs.messages',
    of: NodeType.APP,
    content: lazyPart(() => import('./messages.tsx')),
  },
  {
    path: 'clients',
    text: 'tabs.clients',
    needs: 'clients',
    content: lazyPart(() => import('./clients.tsx')),
  },
  {
    path: 'certificates',
    text: 'tabs.certificates',
    needs: 'certificates',
    content: lazyPart(() => import('./certificates.tsx')),
  },
];
