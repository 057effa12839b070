import { IconActivity, IconLayoutDashboard, type Icon } from '@tabler/icons-react';

/** A place of the menu: the first part of its address, its name and its sign. */
export interface Place {
  readonly path: string;
  readonly text: 'nav.overview' | 'nav.live';
  readonly icon: Icon;
}

/** In the order of the menu. */
export const places: readonly Place[] = [
  { path: '/', text: 'nav.overview', icon: IconLayoutDashboard },
  { path: '/live', text: 'nav.live', icon: IconActivity },
];
