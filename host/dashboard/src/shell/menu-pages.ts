import {
  IconActivity,
  IconCloudUp,
  IconCpu,
  IconFileText,
  IconHistory,
  IconInfoCircle,
  IconLayoutDashboard,
  IconPlug,
  IconTemplate,
  IconTransfer,
  IconUsers,
  type Icon,
} from '@tabler/icons-react';
import type { Role } from '@tagway/schemas';
import type { Texts } from '../texts/en.ts';

/** A page in the menu: its path, its text and its icon. */
export interface MenuPage {
  readonly path: string;
  readonly text: `nav.${keyof Texts['nav']}`;
  readonly icon: Icon;
  /** The lowest role that sees it; absent when all users see it. */
  readonly role?: Role;
}

/** In the order of the menu. */
export const menuPages: readonly MenuPage[] = [
  { path: '/', text: 'nav.overview', icon: IconLayoutDashboard },
  { path: '/drivers', text: 'nav.drivers', icon: IconCpu },
  { path: '/apps', text: 'nav.apps', icon: IconCloudUp },
  { path: '/live', text: 'nav.live', icon: IconActivity },
  { path: '/templates', text: 'nav.templates', icon: IconTemplate },
  { path: '/transfer', text: 'nav.transfer', icon: IconTransfer },
  { path: '/plugins', text: 'nav.plugins', icon: IconPlug },
  { path: '/logs', text: 'nav.logs', icon: IconFileText },
  { path: '/audit', text: 'nav.audit', icon: IconHistory, role: 'admin' },
  { path: '/users', text: 'nav.users', icon: IconUsers },
  { path: '/about', text: 'nav.about', icon: IconInfoCircle },
];
