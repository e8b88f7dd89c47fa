import { describe, expect, it } from "vitest";
import { listen } from "./listen.ts";

const ID = "01a2031f-c06b-76ea-a754-08b5094d98ef";
const READY = "event: ready\ndata: {}\n\n";
const CHANGED = `event: traces\ndata: {"trace_ids":["${ID}"],"truncated":false,"revision":1}\n\n`;
const MANY = `event: traces\ndata: {"trace_ids":["${ID}"],"truncated":true,"revision":2}\n\n`;

/** What happens, in order, when the server answers each connection with one of these; it stops after the last. */
async function heard(...answers: readonly (string | Error)[]): Promise<readonly string[]> {
  const stop = new AbortController();
  const happened: string[] = [];
  let at = 0;
  await listen({
    connect: () => {
      const answer = answers[at];
      at += 1;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(new Blob([answer ?? ""]).stream());
    },
    signal: stop.signal,
    wait: (milliseconds) => {
      happened.push(`waits ${milliseconds}`);
      if (at === answers.length) {
        stop.abort();
      }
      return Promise.resolve();
    },
    onLive: () => happened.push("live"),
    onChange: (ids) => happened.push(`changed ${ids.join()}`),
    onHeard: () => undefined,
    onLost: () => happened.push("lost"),
  });
  return happened;
}

describe("listening to what changes", () => {
  it("tells when it is live and which traces changed, and none of them when there are more", async () => {
    expect(await heard(`${READY}${CHANGED}: beat\n\n${MANY}`)).toEqual(["live", `changed ${ID}`, "changed ", "lost", "waits 500"]);
  });

  it("comes back after an end, a refusal and nonsense, later each time that nothing began", async () => {
    const refused = "event: refused\ndata: {}\n\n";
    expect(await heard(new Error("down"), refused, "event: traces\ndata: nonsense\n\n", READY, READY)).toEqual([
      "lost",
      "waits 500",
      "lost",
      "waits 1000",
      "lost",
      "waits 2000",
      "live",
      "lost",
      "waits 500",
      "live",
      "lost",
      "waits 500",
    ]);
  });
});
