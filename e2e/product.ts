import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { processesOf, type RunningProcess } from "./processes.ts";

/** The product as a user starts it, in a folder and on ports of its own. */
export type Product = {
  readonly consoleUrl: string;
  readonly codeIndexUrl: string;
  readonly observabilityUrl: string;
  /** The first admin, who is printed at the first start alone. */
  readonly admin: { readonly email: string; readonly password: string };
  /** Milliseconds from the command to the printed addresses. */
  readonly startedInMs: number;
  /** Everything printed so far. */
  readonly output: () => string;
  /** Waits until what is printed from now on matches. */
  readonly printed: (pattern: RegExp, timeoutMs: number) => Promise<RegExpExecArray>;
  /** Every process that belongs to it, wherever in the tree. */
  readonly processes: () => Promise<readonly RunningProcess[]>;
  /** What Ctrl-C in its terminal does; resolves with how `npm start` ended, or null when it does not. */
  readonly interrupt: () => Promise<number | NodeJS.Signals | null>;
  /** What a service manager does, which knows of npm alone. */
  readonly terminate: () => Promise<number | NodeJS.Signals | null>;
};

/** Where a product keeps its data and listens; a second start in the same place finds both again. */
export type Place = { readonly home: string; readonly environment: Readonly<Record<string, string>>; readonly remove: () => Promise<void> };

/** A product that was started, and what ends it and removes what it kept. */
export type Stage = { readonly product: Product; readonly end: () => Promise<void> };

const repository = fileURLToPath(new URL("..", import.meta.url));
const PORT_VARIABLES = [
  "IDENTITY_PORT",
  "CODEINDEX_PORT",
  "OBSERVABILITY_PORT",
  "OBSERVABILITY_CONSUMER_PORT",
  "CONSOLE_PORT",
  "SIGHTLINE_POSTGRES_PORT",
  "SIGHTLINE_REDIS_PORT",
];
const UP = /Sightline \S+ is up/;
const START_MS = 300_000;
const STOP_MS = 20_000;

export async function makePlace(): Promise<Place> {
  const home = await mkdtemp(join(tmpdir(), "sightline-e2e-"));
  const ports = await freePorts(PORT_VARIABLES.length);
  return {
    home,
    environment: {
      SIGHTLINE_HOME: home,
      CODEINDEX_ALLOW_FILE_URLS: "true",
      OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS: "true",
      IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      ...Object.fromEntries(PORT_VARIABLES.map((name, index) => [name, String(ports[index])])),
    },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}

/** Every role once, with the embedded stores. */
export async function startAlone(words: readonly string[], environment: Place["environment"] = {}): Promise<Stage> {
  const place = await makePlace();
  const product = await startProduct({ ...place, environment: { ...place.environment, ...environment } }, words);
  return {
    product,
    end: async () => {
      await product.interrupt();
      await place.remove();
    },
  };
}

/** Runs `npm start` and waits for the addresses. */
export async function startProduct(place: Place, words: readonly string[] = []): Promise<Product> {
  const startedAt = performance.now();
  let output = "";
  const child = spawn("npm", ["start", "--", ...words], {
    cwd: repository,
    env: { ...ownEnvironment(), ...place.environment },
    // A process group of its own, like a job of a terminal.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }

  async function printed(pattern: RegExp, timeoutMs: number, from = output.length): Promise<RegExpExecArray> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const match = pattern.exec(output.slice(from));
      if (match !== null) {
        return match;
      }
      if (Date.now() > deadline || child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`${child.exitCode ?? child.signalCode ?? `not printed within ${timeoutMs} ms`}: ${pattern}\n${output}`);
      }
      await delay(20);
    }
  }

  async function end(signal: NodeJS.Signals, whom: (npm: number) => number): Promise<number | NodeJS.Signals | null> {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      const exited = once(child, "exit");
      process.kill(whom(child.pid), signal);
      await Promise.race([exited, delay(STOP_MS, undefined, { ref: false })]);
    }
    return child.exitCode ?? child.signalCode;
  }
  const interrupt = () => end("SIGINT", (npm) => -npm);

  let startedInMs: number;
  try {
    await printed(UP, START_MS, 0);
    startedInMs = performance.now() - startedAt;
    await printed(words.includes("--demo") ? /The demo is done/ : /Ctrl-C stops everything/, START_MS, 0);
  } catch (error) {
    await interrupt();
    throw error;
  }
  const [, email = "", password = ""] = /First admin +(\S+)\s+Password +(\S+)/.exec(output) ?? [];
  const at = (name: string) => `http://localhost:${place.environment[name]}`;
  return {
    consoleUrl: at("CONSOLE_PORT"),
    codeIndexUrl: at("CODEINDEX_PORT"),
    observabilityUrl: at("OBSERVABILITY_PORT"),
    admin: { email, password },
    startedInMs,
    output: () => output,
    printed: (pattern, timeoutMs) => printed(pattern, timeoutMs),
    processes: () => processesOf(place.home),
    interrupt,
    terminate: () => end("SIGTERM", (npm) => npm),
  };
}

/** Without what a developer may have set for their own Sightline or tests. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(SIGHTLINE_|CODEINDEX_|OBSERVABILITY_|IDENTITY_|CONSOLE_|TEST_|VITEST|npm_|ADMIN_)|_URL$|^(NODE_ENV|API_KEY|SECRET_KEY|ENCRYPTION_KEYS)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name) || /^npm_config_|proxy/i.test(name)));
}

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      server.close();
      await once(server, "close");
      return typeof address === "object" && address !== null ? address.port : 0;
    }),
  );
}
