import type { Response } from "playwright-core";

const COMPRESSIBLE = /javascript|json|text\/(?:html|css)|svg/;
/** What fits into a packet or so gains nothing by it. */
const WORTH_BYTES = 1500;
const IMMUTABLE = "public, max-age=31536000, immutable";

/** What is wrong with how an answer of this origin was sent. */
export async function complaintsOf(answer: Response, origin: string): Promise<readonly string[]> {
  const address = new URL(answer.url());
  // A page that was left has nothing to look at any more.
  const headers = await answer.allHeaders().catch(() => undefined);
  // A stream does not end, and its events are to arrive one by one.
  if (headers === undefined || address.origin !== origin || !answer.ok() || headers["content-type"]?.includes("event-stream") === true) {
    return [];
  }
  const is = (name: string) => headers[name] ?? "";
  // A file in the browser's own cache, or a page that was left, has no body to look at.
  const size = await answer.body().then(
    ({ length }) => length,
    () => 0,
  );
  const rules: readonly [string, boolean][] = [
    ["not compressed", size < WORTH_BYTES || !COMPRESSIBLE.test(is("content-type")) || /^(?:br|gzip)$/.test(is("content-encoding"))],
    ["its type may be guessed", is("x-content-type-options") === "nosniff"],
    ["tells other sites where one came from", is("referrer-policy") === "no-referrer"],
    ["may be framed", is("content-security-policy").includes("frame-ancestors 'none'") || is("x-frame-options") === "SAMEORIGIN"],
    ...cachingOf(address.pathname, is("content-type"), is("cache-control")),
    ...(is("content-type").includes("text/html") ? policyOf(is("content-security-policy")) : []),
  ];
  return rules.filter(([, holds]) => !holds).map(([complaint]) => `${address.pathname}: ${complaint} (${JSON.stringify(headers)})`);
}

function cachingOf(path: string, type: string, caching: string): readonly [string, boolean][] {
  if (path.startsWith("/assets/")) {
    return [["not cached for good", caching === IMMUTABLE]];
  }
  // Asked about each time, so that a new version is seen at once, and not sent again while it is the same.
  return type.includes("text/html") ? [["may be outdated", caching === "no-cache"]] : [];
}

function policyOf(policy: string): readonly [string, boolean][] {
  return [
    ["not closed by default", policy.includes("default-src 'none'")],
    ["lets scripts of others run", /script-src 'self'(?:;|$)/.test(policy)],
    ["lets inline code or styles run", !policy.includes("unsafe")],
    ["may be framed", policy.includes("frame-ancestors 'none'")],
  ];
}
