import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { closeRedisPublisher, currentTrace, initializeRedisPublisher, observe, trace, traceTool } from "../index.ts";
import { recordEachTest } from "#testing/recording.ts";

const { options, recorded } = recordEachTest();

describe("trace, observe and traceTool", () => {
  it("nest by asynchronous context, also side by side", async () => {
    const work = (name: string) =>
      observe({ name }, async () => await traceTool({ name: `tool-${name}`, parameters: { name } }, async () => name));
    const result = await trace({ name: "request", threadId: "t", sessionId: "s", input: { q: 1 } }, () =>
      Promise.all([work("a"), work("b")]),
    );
    expect(result).toEqual(["a", "b"]);
    const { traces, traceEnds, tree, find } = await recorded();
    expect(traces).toMatchObject([{ name: "request", thread_id: "t", session_id: "s", input: { q: 1 } }]);
    expect(traceEnds).toMatchObject([{ status: "success", output: ["a", "b"] }]);
    expect(tree.toSorted()).toEqual(["span a < -", "span b < -", "tool tool-a < a", "tool tool-b < b"]);
    expect(find("tool-a").end).toMatchObject({
      duration_ms: expect.any(Number),
      tool_entry: { tool_name: "tool-a", parameters: { name: "a" }, result: "a", status: "success" },
    });
  });

  it("say where the console shows the running trace, if its address is known", async () => {
    const running = () => trace({ name: "t" }, () => currentTrace());
    expect(running()?.url).toBeUndefined();
    await closeRedisPublisher();
    await initializeRedisPublisher({ ...options(), consoleUrl: "https://sightline.acme.dev/" });
    const { traceId, url } = running() ?? {};
    expect(url).toBe(`https://sightline.acme.dev/projects/${options().projectId}/traces/${traceId}`);
  });

  it("record a generator with what it yielded until it ended, failed or was left, its own calls inside", async () => {
    const items = async function* (fails: boolean) {
      yield "a";
      await observe({ name: "inside" }, async () => 1);
      yield "b";
      if (fails) {
        throw new Error("model died");
      }
    };
    const read = async (name: string, fails: boolean, most: number) => {
      const found: string[] = [];
      for await (const item of observe({ name }, () => items(fails))) {
        found.push(item);
        if (found.length === most) {
          break;
        }
      }
      return found;
    };
    expect(await read("whole", false, 9)).toEqual(["a", "b"]);
    await expect(read("failed", true, 9)).rejects.toThrow("model died");
    expect(await read("left", true, 1)).toEqual(["a"]);
    const numbers = traceTool({ name: "numbers", parameters: {} }, function* () {
      const sent: unknown = yield 1;
      return sent;
    });
    expect([numbers.next(), numbers.next("sent")]).toEqual([
      { value: 1, done: false },
      { value: "sent", done: true },
    ]);
    const { find, tree, traceEnds } = await recorded();
    expect(find("whole").end).toMatchObject({ status: "success", output: ["a", "b"] });
    expect(find("failed").end).toMatchObject({ status: "failure", output: ["a", "b"], error: "Error: model died" });
    expect(find("left").end).toMatchObject({ status: "interrupted", output: ["a"], attributes: { cancelled: true } });
    expect(find("numbers").end).toMatchObject({ status: "success", tool_entry: { result: [1], status: "success" } });
    expect(tree).toContain("span inside < whole");
    expect(traceEnds.map(({ status }) => status)).toEqual(["success", "failure", "interrupted", "success"]);
  });

  it("say which line called, each time, whether a library is in between or not", async () => {
    const folder = join(await mkdtemp(join(tmpdir(), "sightline-library-")), "node_modules");
    await mkdir(folder);
    await writeFile(join(folder, "library.mjs"), "export const run = (observe, options) => observe(options, () => 0);");
    const library = (await import(pathToFileURL(join(folder, "library.mjs")).href)) as {
      run: (use: typeof observe, given: object) => number;
    };
    trace({ name: "request" }, () => {
      observe({ name: "same" }, () => 1);
      observe({ name: "same" }, () => 2);
      traceTool({ name: "same", parameters: {} }, () => 3);
      library.run(observe, { name: "same" });
      library.run(observe, { name: "same" });
      observe({ name: "same" }, () => 4);
    });
    await rm(folder, { recursive: true });
    const { starts } = await recorded();
    const lines = starts.map(({ code }) => (code as { line: number } | undefined)?.line);
    const [first = 0] = lines;
    expect(lines).toEqual([0, 1, 2, 3, 4, 5].map((offset) => first + offset));
  });

  it("tell the lines of one source that was copied under one name apart after a while", async () => {
    trace({ name: "request" }, () => {
      for (let turn = 0; turn < 1000; turn += 1) {
        observe({ name: "copied" }, () => 1);
        observe({ name: "copied" }, () => 1);
      }
    });
    const { starts } = await recorded();
    const lines = starts.map(({ code }) => (code as { line: number } | undefined)?.line ?? 0);
    // One call in sixteen is looked at: that none of the first 1,800 was is as likely as one in 10^50.
    const [one = 0, other] = lines.slice(-2);
    expect(other).toBe(one + 1);
    expect(lines.slice(1800)).toEqual(Array.from({ length: 100 }, () => [one, other]).flat());
  });

  it.each([undefined, null, 7, {}, Symbol("name")])("run the body once when the name is %s, which can't be recorded", (name) => {
    let runs = 0;
    const count = () => (runs += 1);
    const unnamed = { name: name as string };
    expect([observe(unnamed, count), traceTool({ ...unnamed, parameters: {} }, count), trace(unnamed, count)]).toEqual([1, 2, 3]);
  });

  it("tell what a trace is to be found by, and the process says where it runs", async () => {
    vi.stubEnv("OBS_ENVIRONMENT", "staging");
    vi.stubEnv("OBS_RELEASE", "2026.11");
    trace({ name: "labelled", version: "1.4", tags: ["beta"], metadata: { customer: "acme" }, attributes: { a: 1 } }, () => 1);
    trace({ name: "own", environment: "production" }, () => 1);
    vi.unstubAllEnvs();
    const { traces } = await recorded();
    expect(traces).toMatchObject([
      {
        environment: "staging",
        release: "2026.11",
        version: "1.4",
        tags: ["beta"],
        attributes: { a: 1, metadata: { customer: "acme" } },
      },
      { environment: "production", release: "2026.11" },
    ]);
    expect(traces[1]).not.toHaveProperty("tags");
  });

  it("say where they were called, and nothing when the application forbids to look", async () => {
    function lookUp() {
      return traceTool({ name: "tool", parameters: {} }, () => observe({ name: "inner" }, () => 1));
    }
    lookUp();
    const spied = vi.spyOn(Error, "captureStackTrace").mockImplementation(() => {
      throw new Error("not here");
    });
    expect(observe({ name: "forbidden" }, () => 2)).toBe(2);
    spied.mockRestore();
    const { find } = await recorded();
    const file = expect.stringMatching(/src\/capture\/span\.test\.ts$/);
    expect(find("tool").start).toMatchObject({ code: { file, line: expect.any(Number), function: "lookUp" } });
    expect(find("inner").start).toMatchObject({ code: { file } });
    expect(find("forbidden").start).not.toHaveProperty("code");
  });

  it("end with the answer of a query that runs when it is awaited, once, and leave it the object that it was", async () => {
    const [slow, broken] = [new LazyQuery(() => "rows"), new LazyQuery(() => Promise.reject(new Error("no such table")))];
    const asked = traceTool({ name: "slow", parameters: {} }, () => slow);
    expect(asked).toBe(slow);
    expect(asked.where("id = 7")).toBe(slow);
    expect(slow.runs).toBe(0);
    expect(await asked).toBe("rows");
    await expect(trace({ name: "broken" }, async () => await traceTool({ name: "query", parameters: {} }, () => broken))).rejects.toThrow(
      "no such table",
    );
    expect([slow.runs, broken.runs]).toEqual([1, 1]);
    // oxlint-disable-next-line unicorn/no-thenable -- What is tried.
    const frozen = Object.freeze({ then: (fulfilled: (value: string) => void) => fulfilled("frozen") });
    expect(await traceTool({ name: "frozen", parameters: {} }, () => frozen)).toBe("frozen");
    const { find, traceEnds } = await recorded();
    expect(find("slow").end).toMatchObject({ status: "success", output: "rows", tool_entry: { result: "rows" } });
    expect(find("query").end).toMatchObject({ status: "failure", error: "Error: no such table", tool_entry: { status: "failure" } });
    expect(traceEnds.map(({ status }) => status)).toEqual(["success", "failure", "success"]);
  });

  it("return the very values and promises and throw the very errors of the application", async () => {
    const promise = Promise.resolve({});
    expect(observe({ name: "promise" }, () => promise)).toBe(promise);
    const failure = new Error("mine");
    expect(() =>
      traceTool({ name: "sync", parameters: {} }, () => {
        throw failure;
      }),
    ).toThrow(failure);
    await expect(trace({ name: "async" }, () => Promise.reject(failure))).rejects.toBe(failure);
    const { find, traces, traceEnds } = await recorded();
    expect(find("sync").end).toMatchObject({ status: "failure", error: "Error: mine", tool_entry: { status: "failure" } });
    const statusOf = (name: string) => {
      const started = traces.find((start) => start["name"] === name);
      return traceEnds.find((end) => end["trace_id"] === started?.["trace_id"])?.["status"];
    };
    expect(["promise", "sync", "async"].map(statusOf)).toEqual(["success", "failure", "failure"]);
  });

  it("take results and errors that can't be read", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(observe({ name: "revoked" }, () => proxy) === proxy).toBe(true);
    const failure = Object.defineProperty(new Error("mine"), "message", {
      get() {
        throw new Error("no");
      },
    });
    for (const [name, thrown] of [
      ["getter", failure],
      ["proxy", proxy],
      ["bare", Object.create(null)],
    ] as const) {
      let caught: unknown;
      try {
        observe({ name }, () => {
          // oxlint-disable-next-line typescript/only-throw-error -- an application may throw anything
          throw thrown;
        });
      } catch (error) {
        caught = error;
      }
      expect(caught === thrown).toBe(true);
    }
    const { find } = await recorded();
    expect(find("revoked").end).toMatchObject({ status: "success", output: "[unreadable]" });
    for (const name of ["getter", "proxy", "bare"]) {
      expect(find(name).end).toMatchObject({ status: "failure", error: "[unreadable]" });
    }
  });

  it("make a trace of their own when there is none, and do nothing but the work when nothing is published", async () => {
    observe({ name: "alone" }, () => 1);
    const { traces, tree } = await recorded();
    expect(traces).toMatchObject([{ name: "alone" }]);
    expect(tree).toEqual(["span alone < -"]);
    expect(traceTool({ name: "off", parameters: {} }, () => 2)).toBe(2);
    expect(trace({ name: "off" }, () => 3)).toBe(3);
  });

  it("mask by the application's function before anything leaves", async () => {
    await initializeRedisPublisher({
      ...options(),
      mask: (payload) => JSON.parse(JSON.stringify(payload).replaceAll("4111-1111", "****")) as unknown,
    });
    observe({ name: "pay", input: { card: "4111-1111" } }, () => "paid with 4111-1111");
    const { events } = await recorded();
    expect(JSON.stringify(events)).toContain("paid with ****");
    expect(JSON.stringify(events)).not.toContain("4111-1111");
  });
});

/** As Prisma, knex, Supabase and Mongoose make them: nothing runs before somebody awaits it, and each time somebody does. */
class LazyQuery {
  runs = 0;
  readonly #answer: () => unknown;

  constructor(answer: () => unknown) {
    this.#answer = answer;
  }

  where(_condition: string): this {
    return this;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- What these libraries do.
  then<T, U>(fulfilled?: (value: unknown) => T, rejected?: (error: unknown) => U): Promise<T | U> {
    this.runs += 1;
    return Promise.resolve(this.#answer()).then<T, U>(fulfilled, rejected);
  }
}
