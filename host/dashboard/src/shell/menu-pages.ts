import {
  IconActivity,
  IconBell,
  IconCloudUp,
  IconCpu,
  IconFileText,
  IconGauge,
  IconHistory,
  IconInfoCircle,
  IconLayoutDashboard,
  IconLogin2,
  IconPlug,
  IconTemplate,
  IconTransfer,
  IconTopologyStar3,
  IconUsers,
  type Icon,
} from '@tabler/icons-react';
import { includesRole, NodeType, type Role } from '@tagway/schemas';
import type { Texts } from '../texts/en.ts';

/** A page in the menu: its path, its text and its icon. */
export interface MenuPage {
  readonly path: string;
  readonly text: `nav.${keyof Texts['nav']}`;
  readonly icon: Icon;
  /** The lowest role that sees it; absent when all users see it. */
  readonly role?: Role;
  /** The nodes that it lists; the menu counts those of them that are down or degraded. */
  readonly lists?: NodeType;
  /** It is about other gateways: seen where there is a fleet, and by those who may make one. */
  readonly isOfFleet?: true;
  /** The menu counts the alarms that nobody has acknowledged. */
  readonly countsAlarms?: true;
}

export interface MenuPart {
  readonly text: `menu.${keyof Texts['menu']}`;
  readonly pages: readonly MenuPage[];
}

/** The three parts of the menu, each in its order. */
export const menuParts: readonly MenuPart[] = [
  {
    text: 'menu.operate',
    pages: [
      { path: '/', text: 'nav.overview', icon: IconLayoutDashboard },
      { path: '/live', text: 'nav.live', icon: IconActivity },
      { path: '/alarms', text: 'nav.alarms', icon: IconBell, countsAlarms: true },
      { path: '/logs', text: 'nav.logs', icon: IconFileText },
      { path: '/fleet', text: 'nav.fleet', icon: IconTopologyStar3, isOfFleet: true },
    ],
  },
  {
    text: 'menu.configure',
    pages: [
      { path: '/drivers', text: 'nav.drivers', icon: IconCpu, lists: NodeType.DRIVER },
      { path: '/apps', text: 'nav.apps', icon: IconCloudUp, lists: NodeType.APP },
      { path: '/templates', text: 'nav.templates', icon: IconTemplate },
      { path: '/profiles', text: 'nav.profiles', icon: IconGauge },
      { path: '/transfer', text: 'nav.transfer', icon: IconTransfer },
    ],
  },
  {
    text: 'menu.administer',
    pages: [
      { path: '/plugins', text: 'nav.plugins', icon: IconPlug },
      { path: '/users', text: 'nav.users', icon: IconUsers },
      { path: '/sign-in', text: 'nav.signIn', icon: IconLogin2, role: 'admin' },
      { path: '/audit', text: 'nav.audit', icon: IconHistory, role: 'admin' },
      { path: '/about', text: 'nav.about', icon: IconInfoCircle },
    ],
  },
];

export const menuPages: readonly MenuPage[] = menuParts.flatMap(({ pages }) => pages);

/** Whether the menu has a page for a user of this role. `hasFleet`: see `useHasFleet`. */
export const isInMenu = ({ role: least, isOfFleet }: MenuPage, role: Role, hasFleet: boolean): boolean =>
  (least === undefined || includesRole(role, least)) && (isOfFleet !== true || hasFleet);

/** The menu's page that a path belongs to. */
export const menuPageOf = (pathname: string): MenuPage | undefined =>
  menuPages.find(({ path }) => (path === '/' ? pathname === '/' : pathname.startsWith(path)));
