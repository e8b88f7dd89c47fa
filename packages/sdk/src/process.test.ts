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

  it("has its goodbye said by the next one when it exits before all is sent", async () => {
    expect((await runApplication(`process.exit(0);`)).output).toContain("ended with 4 events that the stream had not taken");
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
