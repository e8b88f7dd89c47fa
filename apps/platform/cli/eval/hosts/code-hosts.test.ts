import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startFakeHost, type FakeHost } from "#testing/fake-code-host.ts";
import { findPlace, type HostName } from "./ci-place.ts";
import { setStatus, writeComment, type Publication } from "./publish.ts";

const SHA = "4f2a1bc04f2a1bc04f2a1bc04f2a1bc04f2a1bc0";
const TOKEN = "tok_of_ci";
const PUBLICATION: Publication = {
  dataset: "refunds",
  secret: "studio_1",
  state: "failed",
  title: "WORSE: this change makes the agent worse.",
  text: "### WORSE",
  link: "https://sightline.example/projects/1/experiments/2?baseline=main",
};

let host: FakeHost;
let folder: string;

beforeEach(async () => {
  [host, folder] = await Promise.all([startFakeHost(TOKEN), mkdtemp(join(tmpdir(), "sightline-ci-"))]);
});
afterEach(async () => {
  await Promise.all([host.stop(), rm(folder, { recursive: true })]);
});

/** The variables that each CI sets of a pull request 7, as its documents name them. */
async function variablesOf(name: HostName | "forgejo"): Promise<Readonly<Record<string, string>>> {
  const event = join(folder, "event.json");
  await writeFile(event, JSON.stringify({ action: "synchronize", number: 7, pull_request: { number: 7, head: { sha: SHA, ref: "fix" } } }));
  const actions = { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "acme/refunds", GITHUB_SHA: "a-merge", GITHUB_EVENT_PATH: event };
  const variables = {
    github: { ...actions, GITHUB_API_URL: host.url, GITHUB_TOKEN: TOKEN },
    gitea: { ...actions, GITEA_ACTIONS: "true", GITHUB_API_URL: `${host.url}/api/v1`, GITHUB_TOKEN: TOKEN },
    forgejo: { ...actions, FORGEJO_ACTIONS: "true", GITHUB_API_URL: `${host.url}/api/v1`, FORGEJO_TOKEN: TOKEN },
    gitlab: {
      GITLAB_CI: "true",
      CI_API_V4_URL: `${host.url}/api/v4`,
      CI_PROJECT_ID: "42",
      CI_COMMIT_SHA: SHA,
      CI_MERGE_REQUEST_IID: "7",
      CI_PIPELINE_ID: "99",
      GITLAB_TOKEN: TOKEN,
    },
    bitbucket: {
      BITBUCKET_BUILD_NUMBER: "5",
      BITBUCKET_REPO_FULL_NAME: "acme/refunds",
      BITBUCKET_COMMIT: SHA,
      BITBUCKET_PR_ID: "7",
      BITBUCKET_TOKEN: TOKEN,
    },
  };
  return variables[name];
}

const place = async (name: HostName | "forgejo") =>
  findPlace(name === "bitbucket" ? { codeHostApi: `${host.url}/2.0` } : {}, await variablesOf(name));

describe.for(["github", "gitea", "forgejo", "gitlab", "bitbucket"] as const)("on %s", (name) => {
  test("one comment is written, found again among hundreds, and changed in its place", async () => {
    const at = await place(name);
    host.say(150, "looks good");
    expect(await writeComment(at, PUBLICATION)).toBe("Pull request 7 has the comment.");
    host.say(1, "thanks");
    expect(await writeComment(at, { ...PUBLICATION, text: "### PASSED" })).toMatch(/changed in its place/);
    await writeComment(at, { ...PUBLICATION, dataset: "others" });
    const own = host.comments.filter((text) => text.includes("sightline-eval"));
    expect(own).toHaveLength(2);
    expect(own[0]).toMatch(/^### PASSED\n\n\[\/\/\]: # \(sightline-eval [0-9a-f]{64}\)\n$/);
  });

  test("a commit gets its status, with the way to the comparison", async () => {
    const at = await place(name);
    for (const state of ["passed", "failed", "broken"] as const) {
      // eslint-disable-next-line no-await-in-loop -- one after another, as pushes come.
      await setStatus(at, { ...PUBLICATION, state, title: "x".repeat(300) });
    }
    const states = { gitlab: ["success", "failed", "failed"], bitbucket: ["SUCCESSFUL", "FAILED", "FAILED"] };
    const expected = name === "gitlab" || name === "bitbucket" ? states[name] : ["success", "failure", "error"];
    const link = { [name === "bitbucket" ? "url" : "target_url"]: PUBLICATION.link };
    expect(host.statuses).toMatchObject(expected.map((state) => ({ state, ...link })));
  });

  test("a refusal is told without the token", async () => {
    const at = { ...(await place(name)), token: "revoked" };
    const refused = writeComment(at, PUBLICATION);
    await expect(refused).rejects.toThrow(/refuses with 401 \(.*\*\*\*.*\); may its token write there\? docs\/ci\.md/);
    await expect(refused).rejects.not.toThrow(/revoked/);
  });
});

test("a mark that somebody else wrote is of another secret, and left alone", async () => {
  const at = await place("github");
  host.say(1, "[//]: # (sightline-eval 0000)");
  await writeComment(at, PUBLICATION);
  await writeComment(at, { ...PUBLICATION, secret: "studio_2" });
  expect(host.comments).toHaveLength(3);
});

test("flags come before what CI says; without a pull request there is no comment; what is missing is named", async () => {
  const { GITHUB_EVENT_PATH: _, ...push } = await variablesOf("github");
  expect(await findPlace({ commit: "abc", pullRequest: "9", repository: "acme/other" }, push)).toMatchObject({
    host: "github",
    commit: "abc",
    pull: "9",
    repository: "acme/other",
  });
  expect(await writeComment(await findPlace({}, push), PUBLICATION)).toMatch(/no pull request here/);
  await expect(findPlace({}, { ...push, GITHUB_TOKEN: "" })).rejects.toThrow(/github needs a token .* GITHUB_TOKEN or GH_TOKEN/);
  await expect(findPlace({}, {})).rejects.toThrow(/name the code host with --code-host/);
  await expect(findPlace({ codeHost: "svn" }, {})).rejects.toThrow(/--code-host is one of github, gitlab, gitea, bitbucket, forgejo/);
  await expect(findPlace({ codeHostApi: "https://me:secret@host" }, push)).rejects.toThrow(/holds no name and no password/);
});
