import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider, createMemoryHistory, createRootRoute, createRouter } from "@tanstack/react-router";
import { cleanup, configure, render } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { onTestFinished } from "vitest";
import { ApiContext } from "#http/api-context.ts";
import { createApi } from "#http/api.ts";
import { createQueryClient } from "#http/query-client.ts";
import { NotificationArea } from "#shell/notification-area.tsx";
import { theme } from "#shell/theme.ts";
import { createAppRouter } from "#router.tsx";
import { type Answers, serve } from "./serve.ts";

// A page is loaded when it is first shown, and on a busy machine that takes its time.
configure({ asyncUtilTimeout: 10_000 });

/** A component as it stands on a page, with the APIs that it asks. */
export function renderPart(part: ReactNode, answers: Answers = {}) {
  return renderRouter(answers, () => {
    const root = createRootRoute({ component: () => part });
    return createRouter({ routeTree: root, history: createMemoryHistory() });
  });
}

/** The whole console at an address, for somebody who is logged in unless nobody is. */
export function renderConsole(address: string, answers: Answers = {}, isSignedIn = true) {
  return renderRouter({ ...(isSignedIn ? { "GET /api/identity/login/me": ME } : {}), ...answers }, (context) => {
    if (isSignedIn) {
      context.api.signIn("token");
    }
    const router = createAppRouter(context);
    router.update({ context, history: createMemoryHistory({ initialEntries: [address] }) });
    return router;
  });
}

export const ME = {
  id: "0190a1b2-0000-7000-8000-000000000001",
  email: "ada@example.com",
  name: "Ada",
  role: "admin",
  tenant: { id: "0190a1b2-0000-7000-8000-000000000002", name: "Example" },
  must_change_password: false,
  totp_enabled: true,
  second_factor_due: null,
  passkeys: 0,
  may_add_passkeys: true,
  step_up_until: null,
};

function renderRouter(
  answers: Answers,
  makeRouter: (context: Parameters<typeof createAppRouter>[0]) => Parameters<typeof RouterProvider>[0]["router"],
) {
  // Of each test by itself: files share a process, which loads this module once, and each has a window of its own.
  onTestFinished(cleanup);
  giveRoom();
  const { fetch, requests } = serve(answers);
  const api = createApi({ fetch, exclusive: (run) => run(), onSessionEnd: () => undefined });
  const queries = createQueryClient(api);
  const router = makeRouter({ api, queries });
  render(
    <MantineProvider theme={theme} env="test">
      <ApiContext value={api}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
          <NotificationArea />
        </QueryClientProvider>
      </ApiContext>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), requests, router };
}

/** Nothing is laid out here, and what is virtual shows rows by the room it has. */
function giveRoom(): void {
  const room = (pixels: number) => ({ configurable: true, get: () => pixels });
  Object.defineProperties(HTMLElement.prototype, { clientHeight: room(800), clientWidth: room(1_200) });
}
