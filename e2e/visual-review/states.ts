import type { BrowserContext, Route } from "playwright-core";

export const STATES = ["data", "empty", "loading", "failing"] as const;
export type State = (typeof STATES)[number];

const EVERY_CALL = /\/api\/(?:identity|code-index|observability)\//;

/** Who is logged in is answered in every state: without it there is no page to look at. */
const SESSION = /\/api\/identity\/login\/(?:me|options|refresh|access-token)$/;

const FAILURE = { error: "internal", message: "Something went wrong on our side. Its reference is 01a204e6." };

/** Makes every answer of the APIs that a page reads look like the state. What changes something goes through. */
export async function imposeState(context: BrowserContext, state: State, calls = EVERY_CALL): Promise<void> {
  await context.unrouteAll({ behavior: "ignoreErrors" });
  if (state === "data") {
    return;
  }
  await context.route(calls, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (SESSION.test(pathname) || route.request().method() !== "GET") {
      return route.continue();
    }
    if (state === "failing") {
      return route.fulfill({ status: 500, json: FAILURE });
    }
    // Never answered: the route is dropped with the next state.
    return state === "empty" ? answerNothing(route) : undefined;
  });
}

/** The real answer with nothing in its lists, so that it still is what the contract says. */
async function answerNothing(route: Route): Promise<void> {
  const response = await route.fetch();
  const text = await response.text();
  if (!response.headers()["content-type"]?.includes("json")) {
    return route.fulfill({ response, body: text });
  }
  return route.fulfill({ response, json: emptied(JSON.parse(text)) });
}

function emptied(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    return answer;
  }
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]: [string, unknown]) => {
      if (Array.isArray(value)) {
        return [name, []];
      }
      return [name, name === "next_cursor" ? null : name.startsWith("total") ? nothingOf(value) : value];
    }),
  );
}

/** A sum of nothing, or several. */
function nothingOf(sum: unknown): unknown {
  if (typeof sum !== "object" || sum === null) {
    return typeof sum === "number" ? 0 : sum;
  }
  return Object.fromEntries(Object.entries(sum).map(([name, value]: [string, unknown]) => [name, nothingOf(value)]));
}
