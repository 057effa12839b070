import {
  IconActivity,
  IconCloudUp,
  IconCpu,
  IconFileText,
  IconHistory,
  IconInfoCircle,
  IconLayoutDashboard,
  IconPlug,
  IconUsers,
  type Icon,
} from '@tabler/icons-react';
import type { Role } from '@tagway/schemas';
import type { Texts } from '../texts/en.ts';

/** A place of the menu: the first part of its address, its name and its sign. */
export interface Place {
  readonly path: string;
  readonly text: `nav.${keyof Texts['nav']}`;
  readonly icon: Icon;
  /** Who may see it; absent: everybody. */
  readonly role?: Role;
}

/** In the order of the menu. */
export const places: readonly Place[] = [
  { path: '/', text: 'nav.overview', icon: IconLayoutDashboard },
  { path: '/drivers', text: 'nav.drivers', icon: IconCpu },
  { path: '/apps', text: 'nav.apps', icon: IconCloudUp },
  { path: '/live', text: 'nav.live', icon: IconActivity },
  { path: '/plugins', text: 'nav.plugins', icon: IconPlug },
  { path: '/logs', text: 'nav.logs', icon: IconFileText },
  { path: '/audit', text: 'nav.audit', icon: IconHistory, role: 'admin' },
  { path: '/users', text: 'nav.users', icon: IconUsers },
  { path: '/about', text: 'nav.about', icon: IconInfoCircle },
];
