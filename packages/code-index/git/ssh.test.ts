import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { thisProcess } from "@sightline/foundation/process-table";
import { needsPrograms } from "@sightline/foundation/testing/programs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { SSH_PROGRAMS, startSshServer, type SshServer } from "#testing/ssh-server.ts";
import { fetchMirror, type Mirror } from "./mirror.ts";
import { sweepPrivateFolders } from "./private-folder.ts";
import type { Remote, SourceCredential } from "./remote.ts";

const ssh = needsPrograms(...SSH_PROGRAMS);

describe(`a repository on ssh${ssh.note}`, { skip: ssh.skip }, () => {
  let server: SshServer;
  let repository: GitRepository;
  let dataDir: string;
  let commit: string;
  const signal = new AbortController().signal;

  beforeAll(async () => {
    server = await startSshServer();
  });

  afterAll(async () => {
    await server.stop();
  });

  beforeEach(async () => {
    repository = await createGitRepository();
    commit = await repository.commit({ "a.txt": "one" });
    dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await repository.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  function key(changes: { readonly knownHosts?: string; readonly privateKey?: string } = {}): SourceCredential {
    return { kind: "deploy_key", privateKey: server.privateKey, ...changes };
  }

  function fetchIt(changes: Partial<Remote> = {}): Promise<Mirror> {
    const cloneUrl = `ssh://${server.user}@localhost:${server.port}${repository.directory}`;
    return fetchMirror({ cloneUrl, credential: key(), allowPrivateHosts: ["localhost"], dataDir, repoId: "r1", signal, ...changes });
  }

  async function privateFolders(): Promise<readonly string[]> {
    return (await readdir(tmpdir())).filter((name) => name.startsWith("sightline-private-"));
  }

  test("is fetched with its deploy key, which is on the disk only meanwhile", async () => {
    const before = await privateFolders();
    expect(await fetchIt()).toMatchObject({ commit, ref: "main" });
    expect(await privateFolders()).toEqual(before);
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      const content = entry.isFile() ? await readFile(join(entry.parentPath, entry.name), "latin1") : "";
      expect(content).not.toContain("PRIVATE KEY");
    }
  });

  test("is not fetched by the keys of the user that runs the indexer", async () => {
    const home = await mkdtemp(join(tmpdir(), "sightline-home-"));
    await writeFile(join(home, "id_ed25519"), server.privateKey, { mode: 0o600 });
    vi.stubEnv("HOME", home);
    vi.stubEnv("SSH_AUTH_SOCK", join(home, "agent"));
    await expect(fetchIt({ credential: undefined })).rejects.toMatchObject({
      problem: "access_refused",
      message: expect.stringMatching(/permission denied/i),
    });
    await rm(home, { recursive: true, force: true });
  });

  test("is not fetched from a host whose key has changed, and the error says so", async () => {
    await fetchIt();
    const pinned = await readFile(join(dataDir, "mirrors", "r1", "known_hosts"), "utf8");
    expect(pinned).toContain(`[localhost]:${server.port} `);
    await server.changeHostKey();
    await repository.commit({ "a.txt": "two" });
    await expect(fetchIt()).rejects.toMatchObject({
      problem: "access_refused",
      transient: false,
      message: expect.stringContaining("another key than before"),
    });
    expect(await readFile(join(dataDir, "mirrors", "r1", "known_hosts"), "utf8")).toBe(pinned);
  });

  test("whose host's key is given is fetched from that host alone", async () => {
    const { knownHosts } = await startedAnew();
    expect(await fetchIt({ credential: key({ knownHosts }) })).toMatchObject({ commit });
    await server.changeHostKey();
    await expect(fetchIt({ credential: key({ knownHosts }) })).rejects.toMatchObject({ problem: "access_refused" });
    await expect(fetchIt({ credential: key({ knownHosts: "other ssh-ed25519 AAAA" }) })).rejects.toMatchObject({
      problem: "access_refused",
      message: expect.stringMatching(/host key/i),
    });
  });

  async function startedAnew(): Promise<SshServer> {
    await server.stop();
    server = await startSshServer();
    return server;
  }

  test("is refused in a private network, and an address can't bring options along", async () => {
    await expect(fetchIt({ allowPrivateHosts: [] })).rejects.toMatchObject({ problem: "address_refused" });
    for (const cloneUrl of [`ssh://-oProxyCommand=touch%20x@localhost:${server.port}/a`, "ssh://a;touch x@localhost/a"]) {
      await expect(fetchIt({ cloneUrl })).rejects.toMatchObject({ code: "invalid_clone_url" });
    }
    const strange = `ssh://${server.user}@localhost:${server.port}/$(touch%20${dataDir}/x)';touch\${IFS}${dataDir}/x;'`;
    await expect(fetchIt({ cloneUrl: strange })).rejects.toMatchObject({ name: "SourceError" });
    expect(await readdir(dataDir)).not.toContain("x");
  });
});

test("what a killed process left of its keys is removed, and of a living one is not", async () => {
  const [dead, alive] = [await mkdtemp(join(tmpdir(), "sightline-private-")), await mkdtemp(join(tmpdir(), "sightline-private-"))];
  const own = await thisProcess();
  await writeFile(join(dead, "owner.json"), JSON.stringify({ ...own, startedAt: "1" }));
  await writeFile(join(dead, "key"), "secret");
  await writeFile(join(alive, "owner.json"), JSON.stringify(own));
  await sweepPrivateFolders();
  const left = await readdir(tmpdir());
  expect(left).not.toContain(basename(dead));
  expect(left).toContain(basename(alive));
  await rm(alive, { recursive: true });
});
