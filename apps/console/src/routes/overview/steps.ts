import { DEMO } from "@sightline/foundation/demo-names";
import type { Repository } from "@sightline/code-index/contract";
import type { Factor } from "@sightline/identity/contract";
import type { Project } from "@sightline/observability/contract";
import { type LinkProps, linkOptions } from "@tanstack/react-router";

/** What was asked of an API: neither data nor an error while it is on its way. */
export type QueryResult<Data> = { readonly data: Data | undefined; readonly error: Error | null };

export type Step = {
  readonly id: "second_factor" | "repository" | "assistant" | "agent";
  readonly title: string;
  /** `waiting`: begun, and ticks itself. `unknown`: the API doesn't say, which is not to do. */
  readonly state: "todo" | "waiting" | "done" | "unknown";
  /** What it is good for, or how far it is. */
  readonly words: string;
  /** Nothing where there is nothing to do but wait, or nothing more. */
  readonly action?: { readonly label: string; readonly link: LinkProps };
};

/** An assistant that is connected by a developer token, or by its owner in the browser. */
export type ConnectedAssistant = { readonly label: string; readonly last_used_at: string | null; readonly revoked_at: string | null };

type Answers = {
  readonly isAdmin: boolean;
  /** The kinds of second factor that whoever looks has set up. */
  readonly factors: readonly Factor[];
  readonly repositories: QueryResult<readonly Pick<Repository, "id" | "full_name" | "index_status" | "indexed_commit">[]>;
  readonly assistants: QueryResult<readonly ConnectedAssistant[]>;
  readonly projects: QueryResult<readonly Pick<Project, "id" | "name" | "last_trace_at">[]>;
};

/** The way from an empty product to a useful one, as far as whoever looks may go; undefined until everything was asked. */
export function listSteps({ isAdmin, factors, repositories, assistants, projects }: Answers): readonly Step[] | undefined {
  // The demo's own are an example: they show no newcomer how to add what is theirs.
  const ownRepositories = withoutDemo(repositories, ({ full_name: name }) => name === DEMO.repository);
  const ownProjects = withoutDemo(projects, ({ name }) => name === DEMO.project);
  const asked = [projects, assistants, ...(isAdmin ? [repositories] : [])];
  if (asked.some(({ data, error }) => data === undefined && error === null)) {
    return undefined;
  }
  return [
    ...(isAdmin
      ? [
          { id: "second_factor", title: TITLES.second_factor, ...secondFactorStep(factors) } as const,
          step("repository", ownRepositories, repositoryStep),
        ]
      : []),
    step("assistant", assistants, assistantStep),
    step("agent", ownProjects, agentStep),
  ];
}

function withoutDemo<Item>({ data, error }: QueryResult<readonly Item[]>, isDemo: (item: Item) => boolean): QueryResult<readonly Item[]> {
  return { data: data?.filter((item) => !isDemo(item)), error };
}

/** The steps to expect before all answers are there: what is not known yet is taken for not begun. */
export function expectedSteps(answers: Answers): readonly Step[] {
  return (
    listSteps({
      ...answers,
      repositories: expected(answers.repositories, []),
      assistants: expected(answers.assistants, []),
      projects: expected(answers.projects, []),
    }) ?? []
  );
}

function expected<Data>({ data, error }: QueryResult<Data>, otherwise: Data): QueryResult<Data> {
  return { data: data ?? (error === null ? otherwise : undefined), error };
}

export function isOpen({ state }: Step): boolean {
  return state === "todo" || state === "waiting";
}

/** The first that somebody can do something about. */
export function findNextStep(steps: readonly Step[]): Step | undefined {
  return steps.find(({ state }) => state === "todo") ?? steps.find(({ state }) => state === "waiting");
}

type Progress = Omit<Step, "id" | "title">;

function step<Data>(id: Step["id"], { data }: QueryResult<Data>, progressOf: (data: Data) => Progress): Step {
  const progress: Progress = data === undefined ? { state: "unknown", words: "Unavailable: its API does not answer." } : progressOf(data);
  return { id, title: TITLES[id], ...progress };
}

const TITLES: Readonly<Record<Step["id"], string>> = {
  second_factor: "Secure the admin with 2FA",
  repository: "Register a repository",
  assistant: "Connect an assistant",
  agent: "Trace an agent",
};

const done = (words: string): Progress => ({ state: "done", words });
const todo = (words: string, label: string, link: LinkProps): Progress => ({ state: "todo", words, action: { label, link } });
const waiting = (words: string, label: string, link: LinkProps): Progress => ({ state: "waiting", words, action: { label, link } });

function secondFactorStep(factors: readonly Factor[]): Progress {
  if (factors.length > 0) {
    return done(factors.includes("totp") ? "Login asks for a code as well." : "Login asks for a passkey as well.");
  }
  const setUp = linkOptions({ to: "/admin/security", search: { setup: "1" } });
  return todo("So that a leaked password alone is not enough to log in.", "Set it up", setUp);
}

function repositoryStep(repositories: NonNullable<Answers["repositories"]["data"]>): Progress {
  const ready = repositories
    .filter(({ indexed_commit: commit }) => commit !== null)
    .toSorted((one, other) => Number(one.index_status === "failed") - Number(other.index_status === "failed"))[0];
  if (ready !== undefined) {
    return done(`${ready.full_name} is searchable.`);
  }
  const list = linkOptions({ to: "/code/repos" });
  const indexing = repositories.find(({ index_status: status }) => status === "indexing");
  if (indexing !== undefined) {
    return waiting(`${indexing.full_name} is being indexed.`, "Watch it", list);
  }
  const failed = repositories.find(({ index_status: status }) => status === "failed");
  if (failed !== undefined) {
    const settings = linkOptions({ to: "/code/repos/$repositoryId", params: { repositoryId: failed.id } });
    return todo(`${failed.full_name} could not be indexed.`, "See why", settings);
  }
  const [registered] = repositories;
  return registered === undefined
    ? todo("It is searchable within minutes.", "Register one", linkOptions({ to: "/code/repos", search: { register: "1" } }))
    : todo(`${registered.full_name} is registered, and not indexed yet.`, "Index", list);
}

function assistantStep(assistants: readonly ConnectedAssistant[]): Progress {
  const used = assistants.find(({ last_used_at: at }) => at !== null);
  if (used !== undefined) {
    return done(`“${used.label}” has connected.`);
  }
  const unused = assistants.find(({ revoked_at: at }) => at === null);
  const connect = linkOptions({ to: "/code/connect" });
  return unused === undefined
    ? todo("Claude Code, Cursor and others search your code over MCP.", "Connect one", connect)
    : waiting(`“${unused.label}” has not connected yet.`, "Show how", connect);
}

function agentStep(projects: NonNullable<Answers["projects"]["data"]>): Progress {
  const traced = projects.find(({ last_trace_at: last }) => last !== null);
  if (traced !== undefined) {
    const another = linkOptions({ to: "/projects/$projectId/settings", params: { projectId: traced.id }, search: { section: "connect" } });
    return { ...done(`${traced.name} has traces.`), action: { label: "Connect another", link: another } };
  }
  const [project] = projects;
  if (project === undefined) {
    return todo("See what it does, step by step.", "Create a project", linkOptions({ to: "/projects", search: { new: "1" } }));
  }
  const traces = linkOptions({ to: "/projects/$projectId/traces", params: { projectId: project.id } });
  return waiting(`${project.name} waits for its first trace.`, "Show how", traces);
}
