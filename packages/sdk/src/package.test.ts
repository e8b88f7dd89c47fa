import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestStream, ofType } from "#testing/stream.ts";

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
const project = mkdtempSync(join(tmpdir(), "sightline-sdk-package-"));
const installed = join(project, "node_modules", "@sightline", "sdk");

/** The Nodes on this machine's path, one per major version, from the oldest that is supported. */
const nodes = findNodes();

beforeAll(() => {
  execFileSync(process.execPath, [join(packageFolder, "tools", "build.ts")], { env: withWorkspaceTools() });
  execFileSync("npm", ["pack", join(packageFolder, "dist"), "--pack-destination", project], { stdio: "ignore" });
  mkdirSync(installed, { recursive: true });
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["-xzf", join(project, tarball), "-C", installed, "--strip-components", "1"]);
  mkdirSync(join(project, "node_modules", "@langchain"));
  for (const name of ["ioredis", "@langchain/core"]) {
    symlinkSync(realpathSync(join(packageFolder, "node_modules", name)), join(project, "node_modules", name));
  }
}, 120_000);

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

const body = (options: string) => `
  const run = async () => {
    const verification = await initializeRedisPublisher(${options});
    observe({ name: "packed", input: { answer: 42 } }, () => "done");
    await closeRedisPublisher();
    console.log(JSON.stringify(verification));
  };
  run();`;

const graphBody = (options: string) => `
  const run = async () => {
    await initializeRedisPublisher(${options});
    const State = Annotation.Root({ text: Annotation });
    const graph = createTracedGraph(State, { traceName: "packed-graph" })
      .addNode("say", () => ({ text: "hello" })).addEdge(START, "say").compile();
    console.log(JSON.stringify(await graph.invoke({ text: "" })));
    await closeRedisPublisher();
  };
  run();`;

const SOURCES = {
  "main.mjs": (options: string) =>
    `import { initializeRedisPublisher, observe, closeRedisPublisher } from "@sightline/sdk";${body(options)}`,
  "main.cjs": (options: string) =>
    `const { initializeRedisPublisher, observe, closeRedisPublisher } = require("@sightline/sdk");${body(options)}`,
};
const GRAPH_SOURCES = {
  "graph.mjs": (options: string) =>
    `import { initializeRedisPublisher, closeRedisPublisher } from "@sightline/sdk";
     import { createTracedGraph } from "@sightline/sdk/langgraph";
     import { Annotation, START } from "@langchain/langgraph";${graphBody(options)}`,
  "graph.cjs": (options: string) =>
    `const { initializeRedisPublisher, closeRedisPublisher } = require("@sightline/sdk");
     const { createTracedGraph } = require("@sightline/sdk/langgraph");
     const { Annotation, START } = require("@langchain/langgraph");${graphBody(options)}`,
};

async function runPacked(node: string, file: string, source: (options: string) => string) {
  const stream = createTestStream();
  try {
    const options = { redisUrl: stream.url, streamName: stream.streamName, projectId: stream.options.projectId };
    writeFileSync(join(project, file), source(JSON.stringify(options)));
    const output = execFileSync(node, [join(project, file)], { encoding: "utf8", timeout: 20_000 });
    return { output, events: await stream.read() };
  } finally {
    await stream.stop();
  }
}

describe("The packed package", () => {
  it("holds what is built of the sources, and neither tests nor their fixtures", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    expect(files).toContain(join("esm", "publish", "sender.js"));
    expect(files.filter((file) => /\.test\.|testing|fixture|fake/.test(file))).toEqual([]);
  });
});

describe.each(nodes)("The packed package under Node $major", ({ path }) => {
  it.each(Object.entries(SOURCES))("publishes from %s, without LangGraph being there", async (file, source) => {
    rmSync(join(project, "node_modules", "@langchain", "langgraph"), { force: true });
    const { output, events } = await runPacked(path, file, source);
    expect(JSON.parse(output)).toMatchObject({ ok: true, redis: "up" });
    expect(ofType(events, "observation.start")).toMatchObject([{ name: "packed", input: { answer: 42 } }]);
    expect(ofType(events, "producer.bye")).toHaveLength(1);
  });

  it.each([
    ["doors.mjs", (door: string) => `await import("@sightline/sdk/${door}")`],
    ["doors.cjs", (door: string) => `require("@sightline/sdk/${door}")`],
  ])("opens the other doors from %s, without the libraries they are for", (file, load) => {
    rmSync(join(project, "node_modules", "@langchain", "langgraph"), { force: true });
    const doors = {
      openai: "wrapOpenAI",
      anthropic: "wrapAnthropic",
      "ai-sdk": "traceAiSdk",
      langchain: "createCallbackHandler",
      evaluate: "evaluate",
    };
    const kinds = Object.entries(doors).map(([door, name]) => `typeof (${load(door)}).${name}`);
    writeFileSync(join(project, file), `console.log([${kinds.join(", ")}].join());`);
    expect(execFileSync(path, [join(project, file)], { encoding: "utf8" })).toBe("function,function,function,function,function\n");
  });

  it.each(Object.entries(GRAPH_SOURCES))("traces a graph from %s", async (file, source) => {
    const link = join(project, "node_modules", "@langchain", "langgraph");
    if (!existsSync(link)) {
      symlinkSync(realpathSync(join(packageFolder, "node_modules", "@langchain", "langgraph")), link);
    }
    const { output, events } = await runPacked(path, file, source);
    expect(JSON.parse(output)).toEqual({ text: "hello" });
    expect(ofType(events, "trace.start")).toMatchObject([{ name: "packed-graph" }]);
    expect(ofType(events, "observation.end")).toMatchObject([{ status: "success", output: { text: "hello" } }]);
  });
});

describe.each(nodes)("Set-up without code under Node $major", ({ path }) => {
  it.each([
    ["--import", "zero.mjs", 'import { observe } from "@sightline/sdk";'],
    ["--require", "zero.cjs", 'const { observe } = require("@sightline/sdk");'],
  ])("publishes by the variables alone with %s", async (flag, file, load) => {
    const stream = createTestStream();
    try {
      writeFileSync(join(project, file), `${load} console.log(observe({ name: "zero" }, () => "worked"));`);
      const variables = { OBS_REDIS_URL: stream.url, OBS_STREAM_NAME: stream.streamName, OBS_PROJECT_ID: stream.options.projectId };
      const options = { cwd: project, encoding: "utf8", timeout: 20_000, env: { ...process.env, ...variables } } as const;
      expect(execFileSync(path, [flag, "@sightline/sdk/register", file], options)).toBe("worked\n");
      const events = await stream.read();
      expect(ofType(events, "observation.end")).toHaveLength(1);
      expect(ofType(events, "producer.bye")).toHaveLength(1);
      // Without the variables there is one warning, and the application does what it does.
      const bare = execFileSync(path, [flag, "@sightline/sdk/register", file], {
        cwd: project,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      expect(bare).toBe("worked\n");
    } finally {
      await stream.stop();
    }
  });
});

function findNodes(): { path: string; major: number }[] {
  const paths = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"));
  const byMajor = new Map<number, string>([[Number(process.versions.node.split(".")[0]), process.execPath]]);
  for (const path of paths.filter((candidate) => existsSync(candidate))) {
    const major = Number(execFileSync(path, ["--version"], { encoding: "utf8" }).slice(1).split(".")[0]);
    if (major >= 20 && !byMajor.has(major)) {
      byMajor.set(major, path);
    }
  }
  return [...byMajor].map(([major, path]) => ({ major, path }));
}

/** The build calls tsc, which npm scripts find by themselves. */
function withWorkspaceTools(): NodeJS.ProcessEnv {
  const tools = join(packageFolder, "..", "..", "node_modules", ".bin");
  return { ...process.env, PATH: [tools, process.env["PATH"]].join(delimiter) };
}
