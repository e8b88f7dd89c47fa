import { createMemoryHistory, createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { expect, test } from "vitest";
import { codeLink } from "./code-link.ts";

test.for(["acme/webshop", "group/sub/project"])("the address of %s leads to its page", async (fullName) => {
  const root = createRootRoute();
  const page = createRoute({ getParentRoute: () => root, path: "/code/$owner/$repo" });
  const commit = createRoute({ getParentRoute: () => root, path: "/code/$owner/$repo/commit/$commit" });
  const router = createRouter({ routeTree: root.addChildren([page, commit]), history: createMemoryHistory() });
  const { href } = router.buildLocation(codeLink(fullName));
  router.update({ history: createMemoryHistory({ initialEntries: [href] }) });
  await router.load();
  const { params } = router.state.matches.at(-1) ?? {};
  expect({ href, name: Object.values(params ?? {}).join("/") }).toEqual({
    href: `/code/${fullName.replace("/", "|").replaceAll("/", "%2F").replace("|", "/")}`,
    name: fullName,
  });
});
