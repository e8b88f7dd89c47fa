import type { AnyRoute, AnyRouter, LoaderFnContext } from "@tanstack/react-router";
import type { QueryClient } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import { isLazyPage } from "#shell/lazy-page.ts";
import { parseSearch } from "#shell/routing.ts";

type Start = {
  readonly router: AnyRouter;
  readonly location: Pick<Location, "pathname" | "search">;
  readonly api: Api;
  readonly queries: QueryClient;
};

/**
 * The first page's code comes while the session is asked for, not after it, and its data while it is asked whose session it is.
 * What fails is asked for again, and told, when it is needed.
 */
export function openFirstPage({ router, location, api, queries }: Start): void {
  const [routes, params] = router.getMatchedRoutes(location.pathname);
  const asked = { api, queries, params, search: parseSearch(location.search) };
  // What is left of the address is in here where no page has all of it.
  const isPage = !params["**"];
  for (const route of routes) {
    open(route).catch(() => undefined);
  }

  async function open(route: AnyRoute): Promise<void> {
    await router.loadRouteChunk(route);
    const page: unknown = route.options.component;
    const prefetch = isLazyPage(page) ? page.prefetch() : undefined;
    if (isPage && prefetch !== undefined && (await api.hasSession())) {
      prefetch(asked);
    }
  }
}

/** Asks for a page's data also while a link to it is pointed at: whoever clicks waits for less. */
export function prefetchWithPages(router: AnyRouter, { api, queries }: Pick<Start, "api" | "queries">): void {
  for (const route of Object.values<AnyRoute>(router.routesById)) {
    const page: unknown = route.options.component;
    if (isLazyPage(page)) {
      route.options.loader = async ({ cause, params, location }: LoaderFnContext) => {
        // A file that can't be loaded is told by the page, and an open page asks by itself.
        await page.preload().catch(() => undefined);
        if (cause !== "stay") {
          page.prefetch()?.({ api, queries, params, search: parseSearch(location.searchStr) });
        }
      };
    }
  }
}
