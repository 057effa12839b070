import { Center, Loader } from '@mantine/core';
import { Activity, Suspense, useState, type ComponentType, type ReactElement } from 'react';
import { createHashRouter, RouterProvider } from 'react-router';
import { session as sessions, useSession } from './api/session.ts';
import { Login } from './pages/login.tsx';
import Overview from './pages/overview.tsx';
import { NotFound } from './pages/not-found.tsx';
import { lazyPart } from './parts/lazy-part.ts';
import { PageError } from './shell/page-error.tsx';
import { Shell } from './shell/shell.tsx';

/** A page in its own file, which is loaded when the page is first opened. */
function page(load: () => Promise<{ default: ComponentType }>): ReactElement {
  const Page = lazyPart(load);
  return (
    <Suspense
      fallback={
        <Center h="60vh">
          <Loader />
        </Center>
      }
    >
      <Page />
    </Suspense>
  );
}

// The part after the # is never sent to the gateway, so the page works below any path of a proxy.
const router = createHashRouter([
  {
    path: '/',
    element: <Shell />,
    errorElement: <PageError />,
    children: [
      {
        errorElement: <PageError />,
        children: [
          { index: true, element: <Overview /> },
          { path: 'drivers', element: page(() => import('./pages/nodes.tsx')) },
          { path: 'drivers/add', element: page(() => import('./pages/add-driver.tsx')) },
          { path: 'apps', element: page(() => import('./pages/nodes.tsx')) },
          { path: 'apps/add', element: page(() => import('./pages/add-node.tsx')) },
          { path: 'nodes/:name', element: page(() => import('./pages/node.tsx')) },
          { path: 'nodes/:name/:tab', element: page(() => import('./pages/node.tsx')) },
          { path: 'templates', element: page(() => import('./pages/templates.tsx')) },
          { path: 'templates/:template', element: page(() => import('./pages/template.tsx')) },
          { path: 'templates/:template/:group', element: page(() => import('./pages/template-tags.tsx')) },
          { path: 'profiles', element: page(() => import('./pages/profiles.tsx')) },
          { path: 'profiles/:profile', element: page(() => import('./pages/profile.tsx')) },
          { path: 'transfer', element: page(() => import('./pages/transfer.tsx')) },
          { path: 'plugins', element: page(() => import('./pages/plugins.tsx')) },
          { path: 'alarms', element: page(() => import('./pages/alarms.tsx')) },
          { path: 'plugins/find', element: page(() => import('./pages/find-plugins.tsx')) },
          { path: 'plugins/registries', element: page(() => import('./pages/registries.tsx')) },
          { path: 'plugins/find/:package', element: page(() => import('./pages/found-package.tsx')) },
          { path: 'fleet', element: page(() => import('./pages/fleet.tsx')) },
          { path: 'logs', element: page(() => import('./pages/logs.tsx')) },
          { path: 'audit', element: page(() => import('./pages/audit.tsx')) },
          { path: 'users', element: page(() => import('./pages/users.tsx')) },
          { path: 'sign-in', element: page(() => import('./pages/sign-in.tsx')) },
          { path: 'about', element: page(() => import('./pages/about.tsx')) },
          { path: 'live', element: page(() => import('./pages/live.tsx')) },
          { path: 'nodes/:name/groups/:group', element: page(() => import('./pages/tags.tsx')) },
          { path: '*', element: <NotFound /> },
        ],
      },
    ],
  },
]);

/**
 * The login, or the page that the address names. The part after `#` stays the same during the login. When a session ends without a
 * logout, the page stays hidden behind the login, with everything that was typed into it, until the same user logs in again.
 */
export function App(): ReactElement {
  const session = useSession();
  const [last, setLast] = useState(session?.user);
  if (session !== undefined && session.user !== last) setLast(session.user);
  const isKept = session !== undefined || sessions.hasEnded();
  return (
    <>
      {isKept && last !== undefined && (
        <Activity key={last} mode={session === undefined ? 'hidden' : 'visible'}>
          <RouterProvider router={router} />
        </Activity>
      )}
      {session === undefined && <Login />}
    </>
  );
}
