import './mantine-styles.js';
import './frame/fonts.css';
import './frame/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRouter, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { rememberSignedIn } from './api/ask-ahead.js';
import { renewPage } from './api/lost-part.js';
import { meQuery } from './api/queries.js';
import { createQueryClient } from './api/query-client.js';
import { PageWaiting } from './frame/page-waiting.js';
import { loadWords, wantedLanguage } from './i18n/words.js';
import { WordsProvider } from './i18n/words-provider.js';
import { FailedPart } from './pages/failed-page.js';
import { showToast, Toasts } from './parts/toast.js';
import { LoadingWord } from './parts/waiting.js';
import { routeTree } from './route-table.js';
import { parseSearch, stringifySearch } from './search-params.js';
import { theme } from './theme.js';

/** The session has ended while pages were open: after signing in again the person returns to the same place. */
function goToSignIn(): void {
  const { pathname, href } = router.state.location;
  if (!/^\/(g|admin)(\/|$)/.test(pathname)) return;
  rememberSignedIn(false);
  queryClient.setQueryData(meQuery.queryKey, null);
  void router.navigate({ to: '/sign-in', search: { returnTo: href, lost: true } });
}

const queryClient = createQueryClient(goToSignIn, (message) => showToast({ message }));

const router = createRouter({
  routeTree,
  context: { queryClient },
  parseSearch,
  stringifySearch,
  defaultPreload: false,
  defaultErrorComponent: FailedPart,
  defaultPendingComponent: PageWaiting,
  defaultPendingMs: 100,
  defaultPendingMinMs: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// After a new version of the service, the old one's parts are gone. Until then the page says that a part is missing.
addEventListener('vite:preloadError', () => void renewPage());

// The page's script and data are asked for while the words are on their way.
void router.load();
const words = await loadWords(wantedLanguage()).catch(() => loadWords('en'));
const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no #root.');
createRoot(place).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <WordsProvider first={words}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <LoadingWord />
          <Toasts />
        </QueryClientProvider>
      </WordsProvider>
    </MantineProvider>
  </StrictMode>,
);
