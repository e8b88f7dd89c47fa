import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestStream, ofType, PROJECT_ID } from "#testing/stream.ts";

let stream: ReturnType<typeof createTestStream>;
/** A folder for each test: what a process of another could not say is not said here. */
let cache: string;

beforeEach(async () => {
  stream = createTestStream();
  cache = await mkdtemp(join(tmpdir(), "sightline-sdk-"));
});

afterEach(async () => {
  await stream.stop();
  await rm(cache, { recursive: true });
});

type Exit = { readonly code: number | null; readonly signal: string | null; readonly output: string; readonly milliseconds: number };

/** Runs an application of its own process; it is signalled when it prints `ready`. */
function runApplication(source: string, signal?: NodeJS.Signals, redisUrl = stream.url): Promise<Exit> {
  const door = fileURLToPath(new URL("index.ts", import.meta.url));
  const options = JSON.stringify({ redisUrl, streamName: stream.streamName, projectId: stream.options.projectId });
  const program = `import { initializeRedisPublisher, observe } from ${JSON.stringify(door)};
    const verification = await initializeRedisPublisher(${options});
    observe({ name: "work" }, () => 1);
    ${source}`;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", program], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, XDG_CACHE_HOME: cache },
    });
    let output = "";
    let readyAt = performance.now();
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("ready")) {
        readyAt = performance.now();
        if (signal !== undefined) {
          child.kill(signal);
        }
      }
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("exit", (code, ended) => resolve({ code, signal: ended, output, milliseconds: performance.now() - readyAt }));
  });
}

async function expectFlushed(): Promise<void> {
  const events = await stream.read();
  expect(ofType(events, "observation.end")).toHaveLength(1);
  expect(ofType(events, "producer.bye")).toHaveLength(1);
}

describe("A process that publishes", () => {
  it("ends by itself when it has no more work, and what it recorded has arrived", async () => {
    expect(await runApplication(`console.log("ready");`)).toMatchObject({
      code: 0,
      signal: null,
      output: "ready\n",
      milliseconds: expect.closeTo(500, -3),
    });
    await expectFlushed();
  });

  it.each(["redis://127.0.0.1:1", "redis://no-such-host.invalid"])("ends two seconds after its last work with %s, too", async (url) => {
    const { code, milliseconds } = await runApplication(`console.log("ready");`, undefined, url);
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(3000);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("dies of %s as before, a flush later", async (signal) => {
    expect(await runApplication(`setInterval(() => {}, 1000); console.log("ready");`, signal)).toMatchObject({ code: null, signal });
    await expectFlushed();
  });

  it("is ended at once by whoever presses Ctrl-C twice", async () => {
    const source = `setInterval(() => {}, 1000); console.log("ready"); setTimeout(() => process.kill(process.pid, "SIGINT"), 300);`;
    const { signal, milliseconds } = await runApplication(source, "SIGINT", "redis://127.0.0.1:1");
    expect(signal).toBe("SIGINT");
    expect(milliseconds).toBeLessThan(1500);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("leaves %s to the application that handles it", async (signal) => {
    const source = `process.on("${signal}", () => setTimeout(() => process.exit(7), 300)); setInterval(() => {}, 1000); console.log("ready");`;
    expect(await runApplication(source, signal)).toMatchObject({ code: 7, signal: null });
    expect(ofType(await stream.read(), "observation.end")).toHaveLength(1);
  });

  it("keeps its exit code and its uncaught error", async () => {
    expect(await runApplication(`process.exitCode = 3;`)).toMatchObject({ code: 3 });
    const failed = await runApplication(`throw new Error("mine");`);
    expect(failed.code).toBe(1);
    expect(failed.output).toContain("mine");
  });

  it("sends what is left while it exits in the middle of its work", async () => {
    const { code, output } = await runApplication(`observe({ name: "häß 🚀" }, () => process.exit(5));`);
    expect({ code, output }).toEqual({ code: 5, output: "" });
    const events = await stream.read();
    expect(ofType(events, "observation.start").map(({ name }) => name)).toEqual(["work", "häß 🚀"]);
    expect(ofType(events, "producer.bye")).toEqual([{ last_seq: events.length }]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  });

  it("sends what is left, and what was on its way, while it exits in the middle of sending", async () => {
    const source = `let left = 40;
      setInterval(() => {
        for (let turn = 0; turn < 50; turn += 1) observe({ name: "work" }, () => "x".repeat(2_000) + turn);
        if ((left -= 1) === 0) process.exit(0);
      }, 3);`;
    expect(await runApplication(source)).toMatchObject({ code: 0, output: "" });
    const numbers = new Set((await stream.read()).map(({ seq }) => seq));
    expect(numbers.size).toBeGreaterThan(8_000);
    expect(Math.max(...numbers)).toBe(numbers.size);
  });

  it.each([
    ["an error", `observe({ name: "charge" }, () => { throw new Error("card declined"); });`],
    ["a rejection", `await Promise.all([observe({ name: "charge" }, async () => { throw new Error("card declined"); })]);`],
    ["a rejection that nobody waits for", `void observe({ name: "charge" }, async () => { throw new Error("card declined"); });`],
  ])("tells of the failure that it dies of: %s", async (_what, source) => {
    const { code, output } = await runApplication(source);
    expect(code).toBe(1);
    expect(output).toContain("card declined");
    const failed = ofType(await stream.read(), "observation.end").filter(({ status }) => status === "failure");
    expect(failed).toEqual([expect.objectContaining({ error: "Error: card declined" })]);
    expect(ofType(await stream.read(), "trace.end").map(({ status }) => status)).toContain("failure");
  });

  it("goes on when a rejection is handled inside of what is observed", async () => {
    const source = `observe({ name: "charge" }, () => {
      const charged = Promise.reject(new Error("card declined"));
      charged.catch(() => console.log("handled"));
      return charged;
    });`;
    expect(await runApplication(source)).toMatchObject({ code: 0, output: "handled\n" });
  });

  it.each([
    ["openai", "wrapOpenAI", `chat.completions.create({ model: "m", messages: [] })`],
    ["anthropic", "wrapAnthropic", `messages.create({ model: "m", max_tokens: 1, messages: [] })`],
  ])("dies of a failed call of %s that nobody waits for, as without tracing", async (client, wrap, call) => {
    const library = import.meta.resolve(client === "openai" ? "openai" : "@anthropic-ai/sdk");
    const source = (wrapped: string) => `
      const { default: Client } = await import(${JSON.stringify(library)});
      const { ${wrap} } = await import(${JSON.stringify(new URL(`${client}.ts`, import.meta.url).href)});
      const client = new Client({ baseURL: "http://127.0.0.1:1", apiKey: "none", maxRetries: 0 });
      void ${wrapped}.${call};`;
    const exits = [await runApplication(source("client")), await runApplication(source(`${wrap}(client)`))];
    expect(exits.map(({ code, output }) => [code, output.includes("Connection error")])).toEqual([
      [1, true],
      [1, true],
    ]);
    const failed = ofType(await stream.read(), "observation.end").filter(({ status }) => status === "failure");
    expect(failed).toEqual([expect.objectContaining({ error: expect.stringContaining("Connection error") as string })]);
  });

  it("has its goodbye said by the next one when it exits while Redis is away", async () => {
    const { output, milliseconds } = await runApplication(`console.log("ready"); process.exit(0);`, undefined, "redis://127.0.0.1:1");
    expect(output).toContain("ended with 6 events that the stream had not taken");
    expect(milliseconds).toBeLessThan(1000);
    await runApplication("");
    const byes = (await stream.read()).filter(({ type }) => type === "producer.bye");
    expect(byes.map(({ seq, body }) => [seq, body["last_seq"]])).toEqual([
      [6, 6],
      [6, 6],
    ]);
    expect(new Set(byes.map((bye) => bye.producer_id)).size).toBe(2);
  });

  it.runIf(process.platform === "linux")("says in a terminal where its first trace is, once, and nowhere else", async () => {
    const door = fileURLToPath(new URL("index.ts", import.meta.url));
    const program = `import { closeRedisPublisher, initializeRedisPublisher, observe } from ${JSON.stringify(door)};
      await initializeRedisPublisher(${JSON.stringify({ ...stream.options, logger: undefined })});
      observe({ name: "first" }, () => 1);
      observe({ name: "second" }, () => 2);
      await closeRedisPublisher();`;
    const inTerminal = (more: Readonly<Record<string, string>>) =>
      promisify(execFile)(
        "script",
        ["--quiet", "--return", "--command", `exec "$NODE" --input-type=module --eval "$PROGRAM"`, "/dev/null"],
        {
          env: {
            PATH: process.env["PATH"],
            NODE: process.execPath,
            PROGRAM: program,
            OBS_CONSOLE_URL: "https://sightline.acme.dev/",
            ...more,
          },
        },
      );
    const { stdout } = await inTerminal({});
    const [first] = ofType(await stream.read(), "trace.start");
    expect(stdout).toBe(`Sightline: https://sightline.acme.dev/projects/${PROJECT_ID}/traces/${String(first?.["trace_id"])}\r\n`);
    const quiet = await Promise.all([{ CI: "true" }, { NODE_ENV: "test" }, { OBS_CONSOLE_URL: "" }].map(inTerminal));
    expect(quiet.map((ended) => ended.stdout)).toEqual(["", "", ""]);
  });
});
