import { createRootRouteWithContext, createRoute, redirect } from "@tanstack/react-router";
import { z } from "zod";
import { meQuery, mustSetUpSecondFactor } from "#features/auth/api/me.ts";
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

/** Everything that needs a session: without one, to the login and back; with a one-time password, to a new one first. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  beforeLoad: async ({ context: { api, queries }, location }) => {
    if (!(await api.hasSession())) {
      redirect({ throw: true, to: "/login", search: location.href === "/" ? {} : { next: location.href }, replace: true });
    }
    const me = await queries.ensureQueryData(meQuery);
    if (me.must_change_password && location.pathname !== "/account/password") {
      redirect({ throw: true, to: "/account/password", search: { next: safeTarget(location.href) }, replace: true });
    } else if (mustSetUpSecondFactor(me) && location.pathname !== "/admin/security") {
      redirect({ throw: true, to: "/admin/security", search: { setup: "1" }, replace: true });
    }
  },
  component: Frame,
  notFoundComponent: NotFoundPage,
});
