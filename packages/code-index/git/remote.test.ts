import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCertificate, type Certificate } from "@sightline/foundation/testing/certificates";
import { startGitHttpsServer, type GitHttpsServer } from "#testing/git-https-server.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { listBranches } from "./branches.ts";
import { runGit } from "./git.ts";
import { fetchMirror, type Mirror } from "./mirror.ts";
import type { Remote } from "./remote.ts";

const TOKEN = "t0ken-that-nobody-may-see";
const BASIC = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");

let repository: GitRepository;
let certificate: Certificate;
let dataDir: string;
let commit: string;
const servers: GitHttpsServer[] = [];
const signal = new AbortController().signal;

beforeEach(async () => {
  repository = await createGitRepository();
  commit = await repository.commit({ "a.txt": "one" });
  certificate = await createCertificate();
  dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
  vi.stubEnv("GIT_SSL_CAINFO", certificate.file);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await repository.remove();
  await certificate.remove();
  await rm(dataDir, { recursive: true, force: true });
});

async function serve(options: Partial<Parameters<typeof startGitHttpsServer>[0]> = {}): Promise<GitHttpsServer> {
  const password = (user: string, given: string) => user === "x-access-token" && given === TOKEN;
  const server = await startGitHttpsServer({ certificate, directory: repository.directory, password, ...options });
  servers.push(server);
  return server;
}

function remoteAt({ host }: GitHttpsServer, changes: Partial<Remote> = {}): Remote {
  return { cloneUrl: `https://${host}/o/r.git`, credential: { kind: "token", token: TOKEN }, allowPrivateHosts: ["localhost"], ...changes };
}

function fetchFrom(server: GitHttpsServer, changes: Partial<Remote> = {}): Promise<Mirror> {
  return fetchMirror({ ...remoteAt(server, changes), dataDir, repoId: "r1", signal });
}

test("a private repository on https is fetched with its token", async () => {
  const server = await serve();
  expect(await fetchFrom(server)).toMatchObject({ commit, ref: "main" });
  expect(new Set(server.authorizations)).toEqual(new Set([`Basic ${BASIC}`]));
});

test("without a token, and with a wrong one, the error says that access was refused", async () => {
  const server = await serve();
  const refused = { name: "SourceError", problem: "access_refused", transient: false };
  await expect(fetchFrom(server, { credential: undefined })).rejects.toMatchObject(refused);
  await expect(fetchFrom(server, { credential: { kind: "token", token: "wrong" } })).rejects.toMatchObject(refused);
});

test("the token is in no process's arguments, in no file and in no error", async () => {
  const seen: string[] = [];
  const server = await serve({
    answer: (request, response) => {
      // While git waits for an answer.
      void Promise.all([commandLines(), everyFile(dataDir), everyFile(join(tmpdir()), "sightline-private")]).then((found) => {
        seen.push(...found.flat());
        response.writeHead(500, { "content-type": "text/plain" }).end(`you sent ${String(request.headers.authorization)} that is ${TOKEN}`);
      });
      return true;
    },
  });
  const error: unknown = await fetchFrom(server).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "SourceError", message: expect.stringContaining("500") });
  expect(seen.some((text) => text.includes("remote-https"))).toBe(true);
  for (const text of [...seen, JSON.stringify(error), String(error), ...(await everyFile(dataDir))]) {
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(BASIC);
  }
});

async function commandLines(): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
}

async function everyFile(folder: string, prefix = ""): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: prefix === "", withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && entry.name.startsWith(prefix));
  return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), "latin1").catch(() => "")));
}

test("a redirect is not followed, so that the token is shown to no other host", async () => {
  const other = await serve();
  const server = await serve({
    answer: (request, response) => {
      response.writeHead(302, { location: `https://${other.host}${request.url}` }).end();
      return true;
    },
  });
  await expect(fetchFrom(server)).rejects.toMatchObject({
    transient: false,
    message: expect.stringMatching(/302\nThe host says that the repository is at another address now/),
  });
  expect(other.requests).toEqual([]);
});

test("a server without git's protocol can't have us fetch objects from elsewhere", async () => {
  const other = await serve({ password: () => true });
  const server = await serve({
    answer: ({ url = "" }, response) => {
      if (url.includes("alternates")) {
        response.end(`https://${other.host}/o/r.git/objects\n`);
      } else if (url.includes("/info/refs")) {
        response.end(`${commit}\trefs/heads/main\n${commit}\tHEAD\n`);
      } else if (url.endsWith("/HEAD")) {
        response.end("ref: refs/heads/main\n");
      } else {
        response.writeHead(404).end();
      }
      return true;
    },
  });
  await expect(fetchFrom(server)).rejects.toMatchObject({ name: "SourceError" });
  expect(other.requests).toEqual([]);
});

test.for([
  "https://localhost:%/o/r.git",
  "https://127.0.0.1:%/o/r.git",
  "https://0x7f000001:%/o/r.git",
  "https://2130706433:%/o/r.git",
  "https://127.1:%/o/r.git",
  "https://0:%/o/r.git",
  "https://[::1]:%/o/r.git",
  "https://[::ffff:127.0.0.1]:%/o/r.git",
  "https://[64:ff9b::7f00:1]:%/o/r.git",
  "https://169.254.169.254/latest/meta-data",
  "https://10.1.2.3/a",
  "https://[fd00:ec2::254]/a",
  "https://[fe80::1]/a",
  "https://100.100.100.200/a",
  "https://168.63.129.16/a",
  "ssh://git@127.0.0.1/a",
  "git@localhost:a/b.git",
])("%s leads into a private network and is not asked", async (cloneUrl) => {
  const server = await serve();
  const remote = remoteAt(server, { cloneUrl: cloneUrl.replace("%", String(server.port)), allowPrivateHosts: [], credential: undefined });
  await expect(listBranches(remote, { signal })).rejects.toMatchObject({ problem: "address_refused", transient: false });
  expect(server.requests).toEqual([]);
});

test.for([["127.0.0.0/8", "::1/128"], ["127.0.0.1", "::1"], ["LOCALHOST"], ["*.corp.example", "localhost"]])(
  "what the operator allows by %j is asked",
  async (allowPrivateHosts) => {
    const server = await serve();
    expect(await listBranches(remoteAt(server, { allowPrivateHosts }), { signal })).toMatchObject({ defaultBranch: "main" });
  },
);

test("git connects to the addresses that were checked, whatever the name means by then", async () => {
  const server = await serve({ password: () => true });
  const answer = await runGit({
    arguments: ["ls-remote", `https://git.sightline.test:${server.port}/o/r.git`],
    settings: [["http.curloptResolve", `git.sightline.test:${server.port}:127.0.0.1,[::1]`]],
    signal,
  });
  expect(answer.toString()).toContain(commit);
});

test("the passwords of the user that runs the indexer are not used", async () => {
  const home = await mkdtemp(join(tmpdir(), "sightline-home-"));
  vi.stubEnv("HOME", home);
  await writeFile(join(home, ".netrc"), `machine localhost login x-access-token password ${TOKEN}\n`);
  await writeFile(join(home, ".gitconfig"), `[http]\n\textraHeader = Authorization: Basic ${BASIC}\n`);
  const server = await serve();
  await expect(fetchFrom(server, { credential: undefined })).rejects.toMatchObject({ problem: "access_refused" });
  expect(new Set(server.authorizations)).toEqual(new Set([undefined]));
  await rm(home, { recursive: true, force: true });
});

test("a credential that does not suit the address is not shown to it", async () => {
  const server = await serve();
  await expect(fetchFrom(server, { credential: { kind: "deploy_key", privateKey: TOKEN } })).rejects.toMatchObject({
    problem: "access_refused",
  });
  await expect(listBranches(remoteAt(server, { cloneUrl: "git@localhost:o/r.git" }), { signal })).rejects.toMatchObject({
    problem: "access_refused",
  });
  expect(server.requests).toEqual([]);
});

test("a repository that is larger than allowed is left as soon as it shows, and nothing of it stays", async () => {
  const noise = Buffer.alloc(6_000_000);
  for (let index = 0; index < noise.length; index += 4) {
    noise.writeUInt32LE(Math.imul(index + 1, 2_654_435_761) >>> 0, index);
  }
  await repository.commit({ noise });
  const server = await serve({ password: () => true });
  const fetching = fetchMirror({ ...remoteAt(server), dataDir, repoId: "r1", maxBytes: 2_000_000, signal });
  await expect(fetching).rejects.toMatchObject({
    problem: "too_large",
    transient: false,
    message: expect.stringContaining("MIRROR_MAX_MB"),
  });
  const sizes = (await everyFile(dataDir)).map((content) => content.length);
  expect(Math.max(0, ...sizes)).toBeLessThan(100_000);
});
