import { createRootRouteWithContext, createRoute, redirect } from "@tanstack/react-router";
import { z } from "zod";
import { findRequiredPage, meQuery } from "#features/auth/api/me.ts";
import { rememberPassword } from "#features/auth/typed-password.ts";
import { Frame } from "#shell/frame.tsx";
import { NotFoundPage, NotFoundScreen } from "#shell/not-found-page.tsx";
import { Root } from "#shell/root.tsx";
import { type RouterContext, safeTarget } from "#shell/routing.ts";

/** A search parameter: plain text, and left out where it makes no sense. */
export const text = z.string().optional().catch(undefined);

/** A route's place in the tree. */
export function under<Parent, const Path extends string>(parent: Parent, path: Path) {
  return { getParentRoute: () => parent, path };
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({ component: Root, notFoundComponent: NotFoundScreen });

/** Everything that needs a session: without one, to the login and back; or to the page that is required first. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  beforeLoad: async ({ context: { api, queries }, location }) => {
    if (!(await api.hasSession())) {
      redirect({ throw: true, to: "/login", search: location.href === "/" ? {} : { next: location.href }, replace: true });
    }
    const me = await queries.ensureQueryData(meQuery);
    const requiredPage = findRequiredPage(me);
    if (!me.must_change_password) {
      rememberPassword(undefined);
    }
    if (requiredPage === undefined || requiredPage === location.pathname) {
      return;
    }
    const search = requiredPage === "/account/password" ? { next: safeTarget(location.href) } : { setup: "1" };
    redirect({ throw: true, to: requiredPage, search, replace: true });
  },
  component: Frame,
  notFoundComponent: NotFoundPage,
});
