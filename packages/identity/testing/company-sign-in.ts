import type { HttpServer } from "@sightline/foundation/http/http-server";

/** A browser's cookies of the product. */
export type Browser = { cookie: string };

export async function startAt(server: HttpServer, browser: Browser, providerId: string) {
  const answer = await server.inject({ method: "POST", url: "/login/sso/start", payload: { provider_id: providerId } });
  browser.cookie = cookiesOf(answer);
  return answer;
}

/** Goes through the provider's pages as a browser does. @returns the query that it is sent back with. */
export async function throughProvider(address: string): Promise<string> {
  let at = new URL(address);
  const jar = new Map<string, string>();
  for (let step = 0; step < 10; step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(at, { redirect: "manual", headers: { cookie }, signal: AbortSignal.timeout(10_000) });
    for (const set of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split(/=(.*)/s);
      jar.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) {
      throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    }
    at = new URL(location, at);
    if (at.pathname === "/login/sso") {
      return at.search;
    }
  }
  throw new Error("the provider led in a circle");
}

export function finishAt(server: HttpServer, browser: Browser, query: string) {
  return server.inject({ method: "POST", url: "/login/sso", payload: { query }, headers: { cookie: browser.cookie } });
}

/** The whole way, in one browser. */
export async function signInAt(server: HttpServer, providerId: string) {
  const browser: Browser = { cookie: "" };
  const started = await startAt(server, browser, providerId);
  if (started.statusCode !== 200) {
    return started;
  }
  const { continue_to: address } = started.json<{ continue_to: string }>();
  return finishAt(server, browser, await throughProvider(address));
}

type Answer = Awaited<ReturnType<HttpServer["inject"]>>;

function cookiesOf(answer: Answer): string {
  return answer.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}
