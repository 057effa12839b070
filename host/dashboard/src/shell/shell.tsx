import { AppShell } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation } from 'react-router';
import { useGatewayName } from '../api/trends.ts';
import { LostBanner } from './connection-state.tsx';
import { FirstPasswordBanner } from './first-password-banner.tsx';
import { Header } from './header.tsx';
import { menuPageOf } from './menu-pages.ts';
import { MenuLinks } from './menu.tsx';
import { rememberPlace } from './recent.ts';
import { SourceBanner } from './source-banner.tsx';
import { StandbyBanner } from './standby-banner.tsx';
import './shell.css';

/** The header and the menu around every page. */
export function Shell(): ReactElement {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname, search } = useLocation();
  useEffect(() => rememberPlace(pathname, search), [pathname, search]);
  useEffect(close, [pathname, close]);
  const here = menuPageOf(pathname);
  const gateway = useGatewayName();
  useEffect(() => {
    // Other pages set the title themselves.
    if (here !== undefined)
      document.title = `${t(here.text)} · ${gateway === undefined ? t('app.name') : gateway}`;
  }, [here, gateway, t]);

  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{
        width: { base: 208, sm: 56, lg: 208 },
        breakpoint: 'sm',
        collapsed: { mobile: !isOpen },
      }}
      padding={{ base: 'sm', sm: 'md', lg: 'lg' }}
      styles={{ header: surface, navbar: surface }}
    >
      <a
        className="skip-link"
        href="#main"
        onClick={(event) => {
          // The part after # is the place in the page.
          event.preventDefault();
          document.querySelector('main')?.focus();
        }}
      >
        {t('app.skip')}
      </a>
      <AppShell.Header>
        <Header isMenuOpen={isOpen} onMenu={toggle} />
      </AppShell.Header>
      <AppShell.Navbar p={8} withBorder>
        <MenuLinks />
      </AppShell.Navbar>
      <AppShell.Main tabIndex={-1} style={{ outline: 'none' }}>
        <LostBanner />
        <StandbyBanner />
        <SourceBanner />
        <FirstPasswordBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

const surface = { background: 'var(--surface)', borderColor: 'var(--line)' };
