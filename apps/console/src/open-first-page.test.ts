import { QueryClient } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { describe, expect, it, vi } from "vitest";
import type { Api } from "#http/api.ts";
import type { PageContext } from "#shell/first-data.ts";
import { lazyPage } from "#shell/lazy-page.ts";
import { openFirstPage, prefetchWithPages } from "./open-first-page.ts";

const Page = () => null;

function start({ hasSession, isFileThere = true }: { readonly hasSession: () => Promise<boolean>; readonly isFileThere?: boolean }) {
  const asked: PageContext[] = [];
  const sessions = vi.fn<() => Promise<boolean>>(hasSession);
  const root = createRootRoute();
  const quiet = createRoute({ getParentRoute: () => root, path: "/quiet", component: lazyPage(async () => ({ Page }), "Page") });
  const thing = createRoute({
    getParentRoute: () => root,
    path: "/things/$thingId",
    validateSearch: (search: Readonly<Record<string, string>>) => search,
    component: lazyPage(async () => {
      if (!isFileThere) {
        throw new TypeError("Failed to fetch dynamically imported module");
      }
      return { Page, prefetch: (what: PageContext) => void asked.push(what) };
    }, "Page"),
  });
  const router = createRouter({ routeTree: root.addChildren([quiet, thing]), history: createMemoryHistory() });
  const api: Api = {
    hasSession: sessions,
    request: () => Promise.reject(new Error("not asked here")),
    download: () => Promise.reject(new Error("not asked here")),
    signIn: () => undefined,
    signOut: () => Promise.resolve(),
    newLogin: {
      wait: () => Promise.resolve(false),
      pending: () => undefined,
      isWanted: () => false,
      subscribe: () => () => undefined,
      settle: () => undefined,
    },
  };
  const queries = new QueryClient();
  const open = async (pathname: string, search = "") => {
    openFirstPage({ router, location: { pathname, search }, api, queries });
    await new Promise((done) => setTimeout(done));
  };
  prefetchWithPages(router, { api, queries });
  return { open, asked, sessions, router };
}

describe("the first page", () => {
  it("asks for its data with what its address says, once, before it is shown", async () => {
    const { open, asked } = start({ hasSession: async () => true });
    await open("/things/7", "?q=a&sort=name");
    expect(asked).toMatchObject([{ params: { thingId: "7" }, search: { q: "a", sort: "name" } }]);
  });

  it("asks for nothing of a page that an address only begins with", async () => {
    const { open, asked, sessions } = start({ hasSession: async () => true });
    await open("/things/7/nowhere");
    expect(asked).toEqual([]);
    expect(sessions).not.toHaveBeenCalled();
  });

  it("asks for nothing without a session, or when it can't be known", async () => {
    const without = start({ hasSession: async () => false });
    await without.open("/things/7");
    const unknown = start({ hasSession: () => Promise.reject(new Error("identity is away")) });
    await unknown.open("/things/7");
    expect([...without.asked, ...unknown.asked]).toEqual([]);
    expect(unknown.sessions).toHaveBeenCalledOnce();
  });

  it("asks for no session where it asks for nothing: at a page of its own, one that is not there, one whose file is gone", async () => {
    const { open, sessions } = start({ hasSession: async () => true, isFileThere: false });
    await open("/quiet");
    await open("/nowhere");
    await open("/things/7");
    expect(sessions).not.toHaveBeenCalled();
  });
});

it("a link that is pointed at asks for the data of its page, and the open page not again when its address changes", async () => {
  const { asked, router } = start({ hasSession: async () => true });
  await router.preloadRoute({ to: "/things/$thingId", params: { thingId: "7" }, search: { q: "a" } });
  expect(asked).toMatchObject([{ params: { thingId: "7" }, search: { q: "a" } }]);
  router.history.push("/things/7");
  await router.load();
  const before = asked.length;
  router.history.push("/things/7?q=b");
  await router.load();
  expect(asked.length).toBe(before);
});
