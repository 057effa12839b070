import { NavLink, ScrollArea } from '@mantine/core';
import { NodeType, type NodeStateRecord, countHealths } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useAlarmCounts } from '../api/alarms.ts';
import { useHasFleet } from '../api/fleet.ts';
import { useIsStandby } from '../api/pair.ts';
import { useRole } from '../api/use-role.ts';
import { useConnection, useStates } from '../live/use-live.ts';
import { isInMenu, menuPageOf, menuParts } from './menu-pages.ts';

/** Apps have a number of subscriptions in their states, drivers do not. */
const typeOf = ({ sub_group_count: count }: NodeStateRecord): NodeType =>
  count === undefined ? NodeType.DRIVER : NodeType.APP;

/** The pages by what they are for; lists of nodes with the number of those that are not well. */
export function MenuLinks(): ReactElement {
  const { t } = useTranslation();
  const role = useRole();
  const hasFleet = useHasFleet();
  const { pathname } = useLocation();
  const here = menuPageOf(pathname);
  return (
    <ScrollArea component="nav" aria-label={t('app.menu')}>
      {menuParts.map(({ text, pages }) => (
        <section key={text} aria-label={t(text)}>
          <div className="menu-part">{t(text)}</div>
          {pages
            .filter((page) => isInMenu(page, role, hasFleet))
            .map(({ path, text: name, icon: Icon, lists, countsAlarms }) => (
              <NavLink
                key={path}
                component={Link}
                to={path}
                label={t(name)}
                title={t(name)}
                leftSection={<Icon size={16} stroke={1.8} aria-hidden />}
                rightSection={
                  countsAlarms === true ? (
                    <AlarmCount />
                  ) : (
                    lists !== undefined && <TroubledCount type={lists} />
                  )
                }
                active={here?.path === path}
                aria-current={here?.path === path ? 'page' : undefined}
              />
            ))}
        </section>
      ))}
    </ScrollArea>
  );
}

/** How many alarms nobody has acknowledged; nothing when there is none. */
function AlarmCount(): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useAlarmCounts();
  const isOld = useConnection().state === 'lost';
  const n = (data?.['unacknowledged'] ?? 0) + (data?.['latched'] ?? 0);
  if (isOld || n === 0) return null;
  return (
    <span className="menu-count down" title={t('alarms.owed', { n })}>
      {n}
    </span>
  );
}

/** How many of these nodes are down or degraded; nothing when all are well. */
function TroubledCount({ type }: { readonly type: NodeType }): ReactElement | null {
  const { t } = useTranslation();
  const states = useStates();
  const isOld = useConnection().state === 'lost';
  const isStandby = useIsStandby();
  if (states === undefined || isOld || isStandby) return null;
  const { down, degraded } = countHealths([...states.values()].filter((state) => typeOf(state) === type));
  if (down + degraded === 0) return null;
  return (
    <span
      className={`menu-count ${down > 0 ? 'down' : 'degraded'}`}
      title={t('health.troubled', { down, degraded })}
    >
      {down + degraded}
    </span>
  );
}
