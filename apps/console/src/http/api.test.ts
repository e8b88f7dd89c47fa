import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApi } from "./api.ts";
import type { Call, Download } from "./send.ts";

const call: Call<{ ok: boolean }> = { part: "code-index", path: "/thing", answer: z.object({ ok: z.boolean() }) };

/** A server with one session: its refreshes give `token 1`, `token 2`, …; only the newest opens anything. */
function start({ alive = true }: { readonly alive?: boolean } = {}) {
  const seen: string[] = [];
  let issued = 0;
  let sessionAlive = alive;
  let ended = 0;
  const api = createApi({
    exclusive: (run) => run(),
    onSessionEnd: () => {
      ended += 1;
    },
    fetch: async (url, init) => {
      const token = new Headers(init.headers).get("authorization");
      seen.push(`${init.method ?? "GET"} ${url}`);
      await Promise.resolve();
      if (url.endsWith("/login/refresh")) {
        issued += 1;
        return sessionAlive ? json(200, { token_type: "bearer", access_token: `token ${issued}`, expires_in: 3600 }) : json(401, refused);
      }
      if (url.endsWith("/logout")) {
        return json(200, {});
      }
      return token === `Bearer token ${issued}` ? json(200, { ok: true }) : json(401, refused);
    },
  });
  return {
    api,
    seen,
    ended: () => ended,
    expireToken: () => {
      issued += 1;
    },
    endSession: () => {
      sessionAlive = false;
      issued += 1;
    },
    newToken: () => {
      issued += 1;
      return `token ${issued}`;
    },
  };
}

const refused = { error: "auth_failed", message: "Log in again." };

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

describe("the session of a page", () => {
  it("begins with the refresh cookie", async () => {
    const { api } = start();
    expect(await api.hasSession()).toBe(true);
    expect(await api.request(call)).toEqual({ ok: true });
  });

  it("is none when the cookie is refused, and that is no error", async () => {
    expect(await start({ alive: false }).api.hasSession()).toBe(false);
  });

  it("refreshes once for calls that fail at the same time, then repeats each", async () => {
    const { api, seen, expireToken, ended } = start();
    await api.hasSession();
    expireToken();
    seen.length = 0;
    expect(await Promise.all([api.request(call), api.request(call), api.request(call)])).toEqual([
      { ok: true },
      { ok: true },
      { ok: true },
    ]);
    expect(seen.filter((line) => line.endsWith("/login/refresh"))).toHaveLength(1);
    expect(ended()).toBe(0);
  });

  it("ends when the refresh is refused too", async () => {
    const { api, endSession, ended } = start();
    await api.hasSession();
    endSession();
    await expect(api.request(call)).rejects.toMatchObject({ status: 401, code: "auth_failed" });
    expect(ended()).toBe(1);
  });
});

describe("a session that ended under an open page", () => {
  const refusalOf = (answer: Promise<unknown>): Promise<unknown> => answer.catch((error: unknown) => error);

  async function endUnderAPage() {
    const server = start();
    await server.api.hasSession();
    let wanted = false;
    const leave = server.api.newLogin.subscribe(() => {
      wanted = server.api.newLogin.isWanted();
    });
    server.endSession();
    return { ...server, leave, wanted: () => wanted };
  }

  it("holds calls back until somebody has logged in again, then sends each once more", async () => {
    const { api, ended, wanted, newToken } = await endUnderAPage();
    const answers = Promise.all([api.request(call), api.request(call)]);
    await expect.poll(wanted).toBe(true);
    const later = api.request(call);
    api.signIn(newToken());
    expect(await answers).toEqual([{ ok: true }, { ok: true }]);
    expect(await later).toEqual({ ok: true });
    expect(wanted()).toBe(false);
    expect(ended()).toBe(0);
  });

  it("lets them fail when nobody wants to log in there", async () => {
    const { api, ended, wanted } = await endUnderAPage();
    const refusal = refusalOf(api.request(call));
    await expect.poll(wanted).toBe(true);
    api.newLogin.settle(false);
    expect(await refusal).toMatchObject({ code: "auth_failed" });
    expect(ended()).toBe(1);
  });

  it("lets them fail when the page that asked is left", async () => {
    const { api, leave, wanted } = await endUnderAPage();
    const refusal = refusalOf(api.request(call));
    await expect.poll(wanted).toBe(true);
    leave();
    expect(await refusal).toMatchObject({ code: "auth_failed" });
  });

  it("is not asked for again by who logged out", async () => {
    const { api, ended, wanted, endSession } = await endUnderAPage();
    await api.signOut();
    endSession();
    await expect(api.request(call)).rejects.toMatchObject({ code: "auth_failed" });
    expect(wanted()).toBe(false);
    expect(ended()).toBe(0);
  });
});

describe("a refusal that is not about the session", () => {
  it("neither refreshes the session nor repeats the call, which would cost a second try", async () => {
    const seen: string[] = [];
    const api = createApi({
      exclusive: (run) => run(),
      onSessionEnd: () => seen.push("session ended"),
      fetch: async (url) => {
        seen.push(url);
        return json(401, { error: "invalid_code", message: "The code is wrong." });
      },
    });
    api.signIn("token");
    await expect(api.request({ ...call, part: "identity", path: "/step-up" })).rejects.toMatchObject({ code: "invalid_code" });
    expect(seen).toEqual(["/api/identity/step-up"]);
  });

  it("comes of a call of the login, which is sent without the token that the page may still have", async () => {
    const seen: (string | null)[] = [];
    const api = createApi({
      exclusive: (run) => run(),
      onSessionEnd: () => seen.push("session ended"),
      fetch: async (_url, init) => {
        seen.push(new Headers(init.headers).get("authorization"));
        return json(401, refused);
      },
    });
    api.signIn("token");
    await expect(api.request({ ...call, anonymous: true })).rejects.toMatchObject({ status: 401 });
    expect(seen).toEqual([null]);
  });
});

describe("an answer", () => {
  const none = { exclusive: <Result>(run: () => Promise<Result>) => run(), onSessionEnd: () => undefined };

  it("that is not what the contract says is an error, not a guess", async () => {
    const api = createApi({ ...none, fetch: async () => json(200, { ok: "yes" }) });
    await expect(api.request(call)).rejects.toMatchObject({ code: "unexpected_answer" });
  });

  it("that holds values of an application has their numbers as they were written", async () => {
    const api = createApi({ ...none, fetch: async () => new Response('{"input":[1.10,12345678901234567890]}') });
    const asked = { part: "observability", path: "/x", answer: z.object({ input: z.unknown() }) } as const;
    expect(JSON.stringify(await api.request({ ...asked, exact: true }))).toBe('{"input":[1.10,12345678901234567890]}');
  });

  it("of a refusal carries the code, the details and the wait", async () => {
    const body = { error: "too_many_attempts", message: "Wait.", details: [{ path: "email", message: "is locked" }] };
    const api = createApi({
      ...none,
      fetch: async () => new Response(JSON.stringify(body), { status: 429, headers: { "retry-after": "42" } }),
    });
    await expect(api.request(call)).rejects.toMatchObject({
      status: 429,
      code: "too_many_attempts",
      message: "email: is locked",
      retryAfter: 42,
    });
  });

  it("of a refusal whose only detail repeats it is told without the name of the field", async () => {
    const message = "Alerts are sent to https addresses only.";
    const body = { error: "address_refused", message, details: [{ path: "url", message }] };
    const api = createApi({ ...none, fetch: async () => json(400, body) });
    await expect(api.request(call)).rejects.toMatchObject({ message });
  });

  it("that never comes is told in words", async () => {
    const api = createApi({ ...none, fetch: () => Promise.reject(new TypeError("fetch failed")) });
    await expect(api.request(call)).rejects.toMatchObject({ status: 0, code: "unreachable" });
  });

  it("that is no JSON, as of a proxy in between, is told by its status", async () => {
    const api = createApi({ ...none, fetch: async () => new Response("<h1>Bad gateway</h1>", { status: 502 }) });
    await expect(api.request(call)).rejects.toMatchObject({ status: 502, message: "The server answered 502; its log says why." });
  });
});

describe("a download", () => {
  const file: Download = { part: "identity", path: "/lines", accept: "application/jsonl" };

  it("carries the session's token, which is refreshed for it, and gives the body as it comes", async () => {
    const seen: (string | null)[] = [];
    const api = createApi({
      exclusive: (run) => run(),
      onSessionEnd: () => undefined,
      fetch: async (url, init) => {
        const headers = new Headers(init.headers);
        if (url.endsWith("/login/refresh")) {
          return json(200, { token_type: "bearer", access_token: "new", expires_in: 3600 });
        }
        seen.push(`${headers.get("accept")} ${headers.get("authorization")}`);
        return headers.get("authorization") === "Bearer new" ? new Response("{}\n{}\n") : json(401, refused);
      },
    });
    api.signIn("old");
    const response = await api.download(file);
    expect(await response.text()).toBe("{}\n{}\n");
    expect(seen).toEqual(["application/jsonl Bearer old", "application/jsonl Bearer new"]);
  });

  it("that is refused is told in the words of the API", async () => {
    const api = createApi({
      exclusive: (run) => run(),
      onSessionEnd: () => undefined,
      fetch: async () => json(403, { error: "admin_only", message: "Ask an admin." }),
    });
    await expect(api.download(file)).rejects.toMatchObject({ status: 403, message: "Ask an admin." });
  });
});
