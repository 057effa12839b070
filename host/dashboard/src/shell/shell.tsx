import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { includesRole } from '@tagway/schemas';
import { useDisclosure } from '@mantine/hooks';
import { IconLanguage, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import { useEffect, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLocation } from 'react-router';
import { session, useSession } from '../api/session.ts';
import { useRole } from '../api/use-role.ts';
import { languages, changeLanguage, type Language } from '../texts/index.ts';
import { ConnectionBadge, LostBanner } from './connection-state.tsx';
import { menuPages } from './menu-pages.ts';
import { StandbyBanner } from './standby-banner.tsx';

/** The menu around every page. */
export function Shell(): ReactElement {
  const { t } = useTranslation();
  const role = useRole();
  const mine = menuPages.filter(({ role: least }) => least === undefined || includesRole(role, least));
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  const here = menuPages.find(({ path }) => (path === '/' ? pathname === '/' : pathname.startsWith(path)));
  useEffect(() => {
    // Other pages set the title themselves.
    if (here !== undefined) document.title = `${t(here.text)} · ${t('app.name')}`;
  }, [here, t]);

  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t('app.menu')} />
            <Title order={1} size="h4" visibleFrom="xs">
              {t('app.name')}
            </Title>
            <ConnectionBadge />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <LanguageMenu />
            <ThemeSwitch />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <ScrollArea>
          {mine.map(({ path, text, icon: Icon }) => (
            <NavLink
              key={path}
              component={Link}
              to={path}
              label={t(text)}
              leftSection={<Icon size={18} aria-hidden />}
              active={here?.path === path}
              aria-current={here?.path === path ? 'page' : undefined}
            />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main>
        <LostBanner />
        <StandbyBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function ThemeSwitch(): ReactElement {
  const { t } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  return (
    <ActionIcon
      variant="default"
      aria-label={t('app.theme')}
      onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
    >
      {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}

function LanguageMenu(): ReactElement {
  const { t } = useTranslation();
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" aria-label={t('app.language')}>
          <IconLanguage size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.Item key={language} lang={language} onClick={() => void changeLanguage(language)}>
            {languages[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function UserMenu(): ReactElement {
  const { t } = useTranslation();
  const user = useSession()?.user ?? '';
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" aria-label={user}>
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user}</Menu.Label>
        <Menu.Item component={Link} to="/users">
          {t('nav.users')}
        </Menu.Item>
        <Menu.Item component="a" href="docs/README.html" target="_blank">
          {t('app.documentation')}
        </Menu.Item>
        <Menu.Item component="a" href="api" target="_blank">
          {t('app.api')}
        </Menu.Item>
        <Menu.Item onClick={() => session.end()}>{t('app.logout')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
