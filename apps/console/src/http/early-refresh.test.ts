import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { takeEarlyRefresh, withEarlyRefresh } from "./early-refresh.ts";

const REFRESH = "/api/identity/login/refresh";

function start({ early }: { readonly early: Promise<Response> | undefined }) {
  let now = 0;
  const asked: string[] = [];
  const fetch = withEarlyRefresh(
    async (input) => {
      asked.push(input);
      return new Response("asked");
    },
    early,
    () => now,
  );
  const ask = async (url: string) => (await fetch(url, { method: "POST" })).text();
  return { ask, asked, pass: (milliseconds: number) => (now += milliseconds) };
}

describe("the refresh that was sent before the app was there", () => {
  it("answers the first refresh, and only that", async () => {
    const { ask, asked } = start({ early: Promise.resolve(new Response("early")) });
    expect(await ask("/api/identity/login/me")).toBe("asked");
    expect(await ask(REFRESH)).toBe("early");
    expect(await ask(REFRESH)).toBe("asked");
    expect(asked).toEqual(["/api/identity/login/me", REFRESH]);
  });

  it("says nothing of a session much later", async () => {
    const { ask, pass } = start({ early: Promise.resolve(new Response("early")) });
    pass(10_000);
    expect(await ask(REFRESH)).toBe("asked");
  });

  it("fails as a refresh does, and the next one is sent", async () => {
    const { ask } = start({ early: Promise.reject(new TypeError("Failed to fetch")) });
    await expect(ask(REFRESH)).rejects.toThrow("Failed to fetch");
    expect(await ask(REFRESH)).toBe("asked");
  });

  it("need not have been sent", async () => {
    const { ask } = start({ early: undefined });
    expect(await ask(REFRESH)).toBe("asked");
  });
});

describe("the script before the app", () => {
  function run(pathname: string) {
    const sent: string[] = [];
    const page: Record<string, unknown> = {
      location: { pathname },
      matchMedia: () => ({ matches: false }),
      document: { documentElement: { setAttribute: () => undefined } },
      AbortSignal,
      navigator: {
        locks: {
          request: (name: string, send: () => Promise<Response>) => {
            sent.push(`lock ${name}`);
            return send();
          },
        },
      },
      fetch: async (url: string, { method }: RequestInit) => {
        sent.push(`${method} ${url}`);
        return new Response("early");
      },
    };
    runInNewContext(readFileSync(new URL("../../public/before-app.js", import.meta.url), "utf8"), page);
    return { sent, early: page["earlyRefresh"] as Promise<Response> | undefined };
  }

  it("asks for the session's token, one tab at a time, where a page needs one", async () => {
    const { sent, early } = run("/projects/1/traces");
    expect(sent).toEqual(["lock sightline-session", `POST ${REFRESH}`]);
    globalThis.earlyRefresh = early;
    expect(await (await takeEarlyRefresh())?.text()).toBe("early");
    expect(takeEarlyRefresh()).toBeUndefined();
  });

  it.each(["/login", "/login/verify"])("asks for none at %s", (path) => {
    expect(run(path)).toEqual({ sent: [], early: undefined });
  });
});
