import type { AnyRoute, AnyRouter } from "@tanstack/react-router";
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
