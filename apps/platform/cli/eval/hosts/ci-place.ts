import { readFile } from "node:fs/promises";
import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";

export const HOST_NAMES = ["github", "gitlab", "gitea", "bitbucket"] as const;
export type HostName = (typeof HOST_NAMES)[number];

/** A commit, and where there is one a pull request, on a code host. */
export type CiPlace = {
  readonly host: HostName;
  /** Where its API begins, without a slash at its end. */
  readonly api: string;
  /** As the API's paths name it, such as `acme/refunds`. */
  readonly repository: string;
  readonly commit: string;
  readonly pull: string | undefined;
  /** Of CI's run, as far as it says one. */
  readonly build: string | undefined;
  readonly token: string;
};

/** What flags say, which comes before what CI says. */
export type PlaceOptions = {
  readonly codeHost?: string;
  readonly codeHostApi?: string;
  readonly repository?: string;
  readonly commit?: string;
  readonly pullRequest?: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Names of variables, the first that is set counts. Gitea and Forgejo set GitHub's, too. */
type Variables = Readonly<Record<"api" | "repository" | "commit" | "pull" | "build" | "token", readonly string[]>>;
const OF_ACTIONS = {
  api: ["GITHUB_API_URL"],
  repository: ["GITHUB_REPOSITORY"],
  commit: ["GITHUB_SHA"],
  pull: [],
  build: ["GITHUB_RUN_ID"],
};
const VARIABLES: Readonly<Record<HostName, Variables>> = {
  github: { ...OF_ACTIONS, token: ["GITHUB_TOKEN", "GH_TOKEN"] },
  gitea: { ...OF_ACTIONS, token: ["GITEA_TOKEN", "FORGEJO_TOKEN", "GITHUB_TOKEN"] },
  gitlab: {
    api: ["CI_API_V4_URL"],
    repository: ["CI_PROJECT_ID"],
    commit: ["CI_COMMIT_SHA"],
    pull: ["CI_MERGE_REQUEST_IID"],
    build: ["CI_PIPELINE_ID"],
    token: ["GITLAB_TOKEN"],
  },
  bitbucket: {
    api: [],
    repository: ["BITBUCKET_REPO_FULL_NAME"],
    commit: ["BITBUCKET_COMMIT"],
    pull: ["BITBUCKET_PR_ID"],
    build: ["BITBUCKET_BUILD_NUMBER"],
    token: ["BITBUCKET_TOKEN"],
  },
};
const PUBLIC_API: Readonly<Record<HostName, string>> = {
  github: "https://api.github.com",
  gitlab: "https://gitlab.com/api/v4",
  gitea: "",
  bitbucket: "https://api.bitbucket.org/2.0",
};

/**
 * Where CI runs, by the variables it sets and the flags that say otherwise.
 * @throws {Error} where that does not say enough, naming what is missing.
 */
export async function findPlace(options: PlaceOptions, environment: Environment): Promise<CiPlace> {
  const host = findHost(options.codeHost, environment);
  const read = (key: keyof Variables) => VARIABLES[host][key].map((name) => environment[name]).find((value) => (value ?? "") !== "");
  const ofEvent = host === "github" || host === "gitea" ? await readPullOfEvent(environment["GITHUB_EVENT_PATH"]) : undefined;
  const need = (value: string | undefined, what: string, key: keyof Variables) => {
    if ((value ?? "") === "") {
      throw new Error(`${what}${VARIABLES[host][key].length === 0 ? "." : `, or set ${VARIABLES[host][key].join(" or ")}.`}`);
    }
    return value ?? "";
  };
  const api = need(options.codeHostApi ?? read("api") ?? PUBLIC_API[host], "Name the host's API with --code-host-api", "api");
  if (!/^https?:\/\/[^@]+$/.test(api)) {
    throw new Error("The address of the code host's API starts with https:// or http:// and holds no name and no password.");
  }
  return {
    host,
    api: api.replace(/\/+$/, ""),
    repository: need(options.repository ?? read("repository"), "Name the repository with --repository", "repository"),
    // Of a pull request GITHUB_SHA is a merge that nobody sees.
    commit: need(options.commit ?? ofEvent?.head.sha ?? read("commit"), "Name the commit with --commit", "commit"),
    pull: options.pullRequest ?? ofEvent?.number.toString() ?? read("pull"),
    build: read("build"),
    token: need(read("token"), `${host} needs a token in the environment that may write there`, "token"),
  };
}

function findHost(given: string | undefined, environment: Environment): HostName {
  if (given !== undefined) {
    const named = HOST_NAMES.find((name) => name === (given === "forgejo" ? "gitea" : given));
    if (named === undefined) {
      throw new Error(`--code-host is one of ${HOST_NAMES.join(", ")}, forgejo.`);
    }
    return named;
  }
  const isSet = (name: string) => (environment[name] ?? "") !== "";
  if (isSet("GITEA_ACTIONS") || isSet("FORGEJO_ACTIONS")) {
    return "gitea";
  }
  const found = (
    [
      ["GITHUB_ACTIONS", "github"],
      ["GITLAB_CI", "gitlab"],
      ["BITBUCKET_BUILD_NUMBER", "bitbucket"],
    ] as const
  ).find(([name]) => isSet(name));
  if (found === undefined) {
    throw new Error("This is no CI that is known here: name the code host with --code-host.");
  }
  return found[1];
}

const eventSchema = z.object({ pull_request: z.object({ number: z.int(), head: z.object({ sha: z.string() }) }) });

async function readPullOfEvent(path: string | undefined) {
  const text = (path ?? "") === "" ? "" : await readFile(path ?? "", "utf8").catch(() => "");
  return eventSchema.safeParse(parseJson(text)).data?.pull_request;
}
