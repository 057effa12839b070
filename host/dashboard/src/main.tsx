import './older-browsers.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './shell/tokens.css';
import './shell/density.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { askEarly } from './ask-early.ts';
import { ApiError } from './api/call.ts';
import { session } from './api/session.ts';
import { feed } from './live/feed.ts';
import { openHub } from './live/open-hub.ts';
import { theme, tokenColors } from './shell/theme.ts';
import { prepareTexts } from './texts/index.ts';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal is final. A request that got no reply is retried twice, and then at the interval of the query.
      retry: (count, error) => error instanceof ApiError && error.status === 0 && count < 2,
      staleTime: 2000,
    },
  },
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id "root".');
askEarly(queries);
await prepareTexts();
feed.start(openHub);

// Data that one user may see is not for the next user.
let user = session.get()?.user;
session.watch(() => {
  const next = session.get()?.user;
  if (next !== undefined && next !== user) queries.clear();
  user = next ?? user;
});

// An error boundary shows the error in place of the part that has thrown it.
createRoot(root, { onCaughtError: () => undefined }).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={tokenColors} defaultColorScheme="auto">
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
