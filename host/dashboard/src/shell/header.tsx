import { ActionIcon, Burger, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLanguage, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { session, useSession } from '../api/session.ts';
import { useGatewayName } from '../api/trends.ts';
import { changeLanguage, languages, type Language } from '../texts/index.ts';
import { useNow } from './age.ts';
import { ConnectionBadge } from './connection-state.tsx';
import { Mark } from './mark.tsx';
import { Search } from './search.tsx';

interface Props {
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
}

/** The mark, which gateway this is, the search over everything, and what is the user's own. */
export function Header({ isMenuOpen, onMenu }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <div className="frame-header">
      <Burger opened={isMenuOpen} onClick={onMenu} hiddenFrom="sm" size="sm" aria-label={t('app.menu')} />
      <div className="frame-brand">
        <Mark />
        <span className="word">{t('app.name')}</span>
      </div>
      <WhichGateway />
      <Search />
      <div className="frame-end">
        <ConnectionBadge />
        <LanguageMenu />
        <ThemeSwitch />
        <UserMenu />
      </div>
    </div>
  );
}

function WhichGateway(): ReactElement {
  const name = useGatewayName();
  const now = useNow();
  return (
    <div className="frame-gateway">
      <span className="name">{name}</span>
      <span className="clock">{new Date(now).toLocaleTimeString(undefined, { hour12: false })}</span>
    </div>
  );
}

function ThemeSwitch(): ReactElement {
  const { t } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
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
        <ActionIcon variant="subtle" color="gray" aria-label={t('app.language')}>
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
        <ActionIcon variant="subtle" color="gray" aria-label={user}>
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user}</Menu.Label>
        <Menu.Item component={Link} to="/users">
          {t('users.mine')}
        </Menu.Item>
        <Menu.Item component="a" href="docs/README.html" target="_blank">
          {t('app.documentation')}
        </Menu.Item>
        <Menu.Item component="a" href="api" target="_blank">
          {t('app.api')}
        </Menu.Item>
        <Menu.Item onClick={() => session.logOut()}>{t('app.logout')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
