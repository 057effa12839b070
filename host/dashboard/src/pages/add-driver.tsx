import { Loader, Stack } from '@mantine/core';
import { Suspense, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router';
import { useMayConfigure } from '../api/use-configure.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { MayNot } from '../parts/may-not.tsx';
import { RegistryProfilePage } from '../profiles/registry-profile.tsx';
import { WhatDevice } from '../profiles/what-device.tsx';
import { addTexts } from '../texts/index.ts';
import * as texts from '../texts/profiles.ts';

addTexts(texts);

const ByPlugin = lazyPart(() => import('./add-node.tsx'));
const ByProfile = lazyPart(() => import('../profiles/profile-form.tsx'));

/** Adds a driver: first what device it is, then what its profile or its plugin leaves to ask. */
export default function AddDriver(): ReactElement {
  const { t } = useTranslation();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const mayAdd = useMayConfigure();
  const profile = params.get('profile');
  const found = params.get('package');
  if (!mayAdd) return <MayNot role={t('nodes.mayNotAdd')} />;
  if (params.has('plugin') || params.has('template'))
    return (
      <Suspense fallback={<Loader />}>
        <ByPlugin />
      </Suspense>
    );
  if (profile === null && found === null) return <WhatDevice />;
  const use = (id: string): void =>
    void navigate(`/drivers/add?profile=${encodeURIComponent(id)}`, { replace: true });
  return (
    <Stack>
      <Crumbs
        steps={[
          { to: '/drivers', text: t('nav.drivers') },
          { to: '/drivers/add', text: t('nodes.addDriver') },
        ]}
        here={profile ?? found ?? ''}
      />
      {profile === null ? (
        <RegistryProfilePage name={found ?? ''} onInstalled={use} />
      ) : (
        <Suspense fallback={<Loader />}>
          <ByProfile key={profile} profile={profile} />
        </Suspense>
      )}
    </Stack>
  );
}
