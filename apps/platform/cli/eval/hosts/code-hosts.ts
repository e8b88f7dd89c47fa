import type { CiPlace, HostName } from "./ci-place.ts";

export type State = "passed" | "failed" | "broken";
export type Status = {
  readonly state: State;
  readonly description: string;
  readonly link: string | undefined;
  /** Of the dataset: a commit has one status of each. */
  readonly key: string;
  readonly name: string;
};
type Call = { readonly method: "POST" | "PUT" | "PATCH"; readonly path: string; readonly body: object };

/** A host's published API, as paths and bodies. */
export type CodeHost = {
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  /** Of a pull request; pages are of 100 and the oldest comment comes first. */
  readonly comments: (place: CiPlace, pull: string) => string;
  /** Whether there are further pages than the first. */
  readonly hasPages: boolean;
  readonly add: (place: CiPlace, pull: string, text: string) => Call;
  readonly change: (place: CiPlace, pull: string, id: number, text: string) => Call;
  readonly status: (place: CiPlace, status: Status) => Call;
};

const MAX_DESCRIPTION = 140;
const shorten = (text: string) => (text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text);
const encode = (repository: string) => repository.split("/").map(encodeURIComponent).join("/");
const GITHUB_STATES: Readonly<Record<State, string>> = { passed: "success", failed: "failure", broken: "error" };

/** GitHub's, which Gitea and Forgejo have alike. */
const OF_ISSUES = {
  add: (place, pull, body) => ({ method: "POST", path: `/repos/${encode(place.repository)}/issues/${pull}/comments`, body: { body } }),
  change: (place, _pull, id, body) => ({
    method: "PATCH",
    path: `/repos/${encode(place.repository)}/issues/comments/${id}`,
    body: { body },
  }),
  status: ({ repository, commit }, { state, description, link, name }) => ({
    method: "POST",
    path: `/repos/${encode(repository)}/statuses/${commit}`,
    body: {
      state: GITHUB_STATES[state],
      description: shorten(description),
      context: name,
      ...(link === undefined ? {} : { target_url: link }),
    },
  }),
} satisfies Partial<CodeHost>;

const notes = ({ repository }: CiPlace, pull: string) => `/projects/${encodeURIComponent(repository)}/merge_requests/${pull}/notes`;
const replies = ({ repository }: CiPlace, pull: string) => `/repositories/${encode(repository)}/pullrequests/${pull}/comments`;

export const CODE_HOSTS: Readonly<Record<HostName, CodeHost>> = {
  github: {
    ...OF_ISSUES,
    headers: (token) => ({ authorization: `Bearer ${token}`, accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" }),
    comments: ({ repository }, pull) => `/repos/${encode(repository)}/issues/${pull}/comments?per_page=100`,
    hasPages: true,
  },
  gitea: {
    ...OF_ISSUES,
    headers: (token) => ({ authorization: `token ${token}`, accept: "application/json" }),
    comments: ({ repository }, pull) => `/repos/${encode(repository)}/issues/${pull}/comments`,
    hasPages: false,
  },
  gitlab: {
    headers: (token) => ({ "private-token": token }),
    comments: (place, pull) => `${notes(place, pull)}?sort=asc&order_by=created_at&per_page=100`,
    hasPages: true,
    add: (place, pull, body) => ({ method: "POST", path: notes(place, pull), body: { body } }),
    change: (place, pull, id, body) => ({ method: "PUT", path: `${notes(place, pull)}/${id}`, body: { body } }),
    status: ({ repository, commit, build }, { state, description, link, name }) => ({
      method: "POST",
      path: `/projects/${encodeURIComponent(repository)}/statuses/${commit}`,
      body: {
        state: state === "passed" ? "success" : "failed",
        description: shorten(description),
        name,
        ...(link === undefined ? {} : { target_url: link }),
        // Without it, GitLab may add another pipeline beside the one that asks.
        ...(build === undefined ? {} : { pipeline_id: Number(build) }),
      },
    }),
  },
  bitbucket: {
    headers: (token) => ({ authorization: `Bearer ${token}`, accept: "application/json" }),
    comments: (place, pull) => `${replies(place, pull)}?sort=created_on&pagelen=100`,
    hasPages: true,
    add: (place, pull, raw) => ({ method: "POST", path: replies(place, pull), body: { content: { raw } } }),
    change: (place, pull, id, raw) => ({ method: "PUT", path: `${replies(place, pull)}/${id}`, body: { content: { raw } } }),
    status: ({ repository, commit, build }, { state, description, link, name, key }) => ({
      method: "POST",
      path: `/repositories/${encode(repository)}/commit/${commit}/statuses/build`,
      body: {
        key,
        name,
        state: state === "passed" ? "SUCCESSFUL" : "FAILED",
        description: shorten(description),
        // The one host that demands an address.
        url:
          link ?? `https://bitbucket.org/${encode(repository)}/${build === undefined ? `commits/${commit}` : `pipelines/results/${build}`}`,
      },
    }),
  },
};
