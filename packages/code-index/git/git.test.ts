import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { runGit } from "./git.ts";

let silent: Server | undefined;

afterEach(() => {
  silent?.close();
});

/** A host that takes connections and never says a word. */
async function listen(): Promise<{ readonly url: string; readonly asked: Promise<unknown> }> {
  const server = createServer((socket) => socket.on("error", () => undefined));
  silent = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const asked = once(server, "connection");
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/a`, asked };
}

async function processesWith(text: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(text));
}

test("a git whose indexer was killed ends at once, with its helpers", async () => {
  const { url, asked } = await listen();
  const script = `
    import { runGit } from ${JSON.stringify(join(import.meta.dirname, "git.ts"))};
    await runGit({ arguments: ["ls-remote", process.argv[1]], signal: new AbortController().signal });
  `;
  const indexer = spawn(process.execPath, ["--input-type=module", "-e", script, url], { stdio: "ignore" });
  await asked;
  expect((await processesWith(url)).some((line) => line.includes("remote-https"))).toBe(true);
  indexer.kill("SIGKILL");
  await vi.waitFor(async () => expect(await processesWith(url)).toEqual([]), { timeout: 5_000, interval: 20 });
});

test("nothing is left of a git that ended, failed or was broken off", async () => {
  const { url, asked } = await listen();
  const control = new AbortController();
  const running = runGit({ arguments: ["ls-remote", url], signal: control.signal });
  await asked;
  control.abort(new Error("enough"));
  await expect(running).rejects.toThrowError("enough");
  await expect(runGit({ arguments: ["no-such-command", url], signal: new AbortController().signal })).rejects.toMatchObject({
    name: "SourceError",
  });
  await runGit({ arguments: ["version", "--build-options"], signal: new AbortController().signal });
  await vi.waitFor(async () => expect(await processesWith(url)).toEqual([]), { timeout: 5_000, interval: 20 });
});

test("what git reads is given to it, and its exit is told", async () => {
  const signal = new AbortController().signal;
  const printed = await runGit({ arguments: ["stripspace"], signal }, "a  \n\n\n\nb");
  expect(printed.toString()).toBe("a\n\nb\n");
});
