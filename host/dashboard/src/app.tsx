import { Center, Loader } from '@mantine/core';
import { lazy, Suspense, type ComponentType, type ReactElement } from 'react';
import { createHashRouter, RouterProvider } from 'react-router';
import { useSession } from './api/session.ts';
import { Login } from './pages/login.tsx';
import { NotFound } from './pages/not-found.tsx';
import { PageError } from './shell/page-error.tsx';
import { Shell } from './shell/shell.tsx';

/** A page of its own file, loaded when it is opened first. */
function page(load: () => Promise<{ default: ComponentType }>): ReactElement {
  const Page = lazy(load);
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

// The part behind the # never reaches the gateway, so the page works below any path of a proxy.
const router = createHashRouter([
  {
    path: '/',
    element: <Shell />,
    errorElement: <PageError />,
    children: [
      {
        errorElement: <PageError />,
        children: [
          { index: true, element: page(() => import('./pages/overview.tsx')) },
          { path: '*', element: <NotFound /> },
        ],
      },
    ],
  },
]);

/** The login, or the page that the address names. What is behind `#` stays as it is while somebody logs in. */
export function App(): ReactElement {
  return useSession() === undefined ? <Login /> : <RouterProvider router={router} />;
}
