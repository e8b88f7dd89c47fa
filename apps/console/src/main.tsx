import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "#shell/mantine-styles.ts";
import "#shell/base.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { ApiContext } from "#http/api-context.ts";
import { createApi, exclusiveOverTabs } from "#http/api.ts";
import { createConnection } from "#http/connection.ts";
import { takeEarlyRefresh, withEarlyRefresh } from "#http/early-refresh.ts";
import { createQueryClient } from "#http/query-client.ts";
import { ConnectionBanner } from "#shell/connection-banner.tsx";
import { adoptTheme, theme } from "#shell/theme.ts";
import { openFirstPage, prefetchWithPages } from "./open-first-page.ts";
import { createAppRouter } from "./router.tsx";
import { lazyPart } from "#ui/page/lazy-part.ts";

// Not needed for the first page; what is told before it is there waits for it.
const NotificationArea = lazyPart(async () => (await import("#shell/notification-area.tsx")).NotificationArea);

adoptTheme(document);

const connection = createConnection();
const watchedFetch = connection.watch(withEarlyRefresh((input, init) => fetch(input, init), takeEarlyRefresh()));
const api = createApi({
  fetch: watchedFetch,
  exclusive: exclusiveOverTabs,
  onSessionEnd: () => {
    // Nobody logged in over the open page; the gate of the signed-in pages then leads to the login.
    void router.invalidate().then(() => queries.clear());
  },
});
const queries = createQueryClient(api);
const router = createAppRouter({ api, queries });

openFirstPage({ router, location, api, queries });
prefetchWithPages(router, { api, queries });

const root = document.getElementById("root");
if (root === null) {
  throw new Error("index.html has no element #root");
}
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <ApiContext value={api}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
          <ConnectionBanner connection={connection} fetch={watchedFetch} router={router} />
          <Suspense fallback={null}>
            <NotificationArea />
          </Suspense>
        </QueryClientProvider>
      </ApiContext>
    </MantineProvider>
  </StrictMode>,
);
