import { createRoute, redirect } from "@tanstack/react-router";
import { z } from "zod";
import { lazyPage } from "#shell/lazy-page.ts";
import { signedInRoute, text, under } from "./base-routes.tsx";

/** What the pages of a project have in common: its name and the tabs. A trace's own page fills the screen and has none of it. */
const projectRoute = createRoute({
  ...under(signedInRoute, "/projects/$projectId"),
  component: lazyPage(() => import("#routes/project/project-frame.tsx"), "ProjectFrame"),
});

const projectIndexRoute = createRoute({
  ...under(projectRoute, "/"),
  beforeLoad: ({ params }) => {
    redirect({ throw: true, to: "/projects/$projectId/traces", params, replace: true });
  },
});

const tracesRoute = createRoute({
  ...under(projectRoute, "/traces"),
  validateSearch: z.object({ q: text, sort: text, order: text, columns: text, span: text, from: text, to: text }),
  component: lazyPage(() => import("#routes/traces-page.tsx"), "TracesPage"),
});

const dashboardsRoute = createRoute({
  ...under(projectRoute, "/dashboards"),
  validateSearch: z.object({ q: text, by: text, top: text, span: text, from: text, to: text }),
  component: lazyPage(() => import("#routes/project/dashboards-page.tsx"), "DashboardsPage"),
});

const settingsRoute = createRoute({
  ...under(projectRoute, "/settings"),
  validateSearch: z.object({ section: text, state: text, letter: text }),
  component: lazyPage(() => import("#routes/project/settings/settings-page.tsx"), "SettingsPage"),
});

const sessionsRoute = createRoute({
  ...under(projectRoute, "/sessions"),
  validateSearch: z.object({ q: text, sort: text }),
  component: lazyPage(() => import("#routes/project/group-pages.tsx"), "SessionsPage"),
});

const sessionRoute = createRoute({
  ...under(projectRoute, "/sessions/$sessionId"),
  validateSearch: z.object({ order: text }),
  component: lazyPage(() => import("#routes/project/session-page.tsx"), "SessionPage"),
});

const usersRoute = createRoute({
  ...under(projectRoute, "/users"),
  validateSearch: z.object({ q: text, sort: text }),
  component: lazyPage(() => import("#routes/project/group-pages.tsx"), "UsersPage"),
});

const alertsRoute = createRoute({
  ...under(projectRoute, "/alerts"),
  component: lazyPage(() => import("#routes/project/alerts-page.tsx"), "AlertsPage"),
});

const issuesRoute = createRoute({
  ...under(projectRoute, "/issues"),
  validateSearch: z.object({ state: text, sort: text }),
  component: lazyPage(() => import("#routes/project/issues-page.tsx"), "IssuesPage"),
});

const issueRoute = createRoute({
  ...under(projectRoute, "/issues/$issueId"),
  component: lazyPage(() => import("#routes/project/issue-page.tsx"), "IssuePage"),
});

const datasetsRoute = createRoute({
  ...under(projectRoute, "/datasets"),
  component: lazyPage(() => import("#routes/project/datasets-page.tsx"), "DatasetsPage"),
});

const datasetRoute = createRoute({
  ...under(projectRoute, "/datasets/$datasetId"),
  validateSearch: z.object({ show: text, version: text, split: text, branch: text, score: text }),
  component: lazyPage(() => import("#routes/project/dataset-page.tsx"), "DatasetPage"),
});

const experimentsRoute = createRoute({
  ...under(projectRoute, "/experiments"),
  validateSearch: z.object({ branch: text }),
  component: lazyPage(() => import("#routes/project/experiments-page.tsx"), "ExperimentsPage"),
});

const experimentRoute = createRoute({
  ...under(projectRoute, "/experiments/$experimentId"),
  validateSearch: z.object({ baseline: text, margin: text, only: text, score: text, view: text }),
  component: lazyPage(() => import("#routes/project/experiment-page.tsx"), "ExperimentPage"),
});

const pairRoute = createRoute({
  ...under(projectRoute, "/experiments/$experimentId/pairs/$baselineId"),
  component: lazyPage(() => import("#routes/project/pair-page.tsx"), "PairPage"),
});

const promptsRoute = createRoute({
  ...under(projectRoute, "/prompts"),
  component: lazyPage(() => import("#routes/project/prompts-page.tsx"), "PromptsPage"),
});

const promptRoute = createRoute({
  ...under(projectRoute, "/prompts/$promptId"),
  validateSearch: z.object({ show: text, version: text }),
  component: lazyPage(() => import("#routes/project/prompt-page.tsx"), "PromptPage"),
});

const playgroundRoute = createRoute({
  ...under(projectRoute, "/playground"),
  validateSearch: z.object({ trace: text, step: text, prompt: text, version: text }),
  component: lazyPage(() => import("#routes/project/playground-page.tsx"), "PlaygroundPage"),
});

const evaluatorsRoute = createRoute({
  ...under(projectRoute, "/evaluators"),
  component: lazyPage(() => import("#routes/project/evaluators-page.tsx"), "EvaluatorsPage"),
});

const evaluatorRoute = createRoute({
  ...under(projectRoute, "/evaluators/$evaluatorId"),
  component: lazyPage(() => import("#routes/project/evaluator-page.tsx"), "EvaluatorPage"),
});

const annotationRoute = createRoute({
  ...under(projectRoute, "/annotation"),
  component: lazyPage(() => import("#routes/project/annotation-page.tsx"), "AnnotationPage"),
});

const queueRoute = createRoute({
  ...under(projectRoute, "/annotation/$queueId"),
  validateSearch: z.object({ show: text }),
  component: lazyPage(() => import("#routes/project/queue-page.tsx"), "QueuePage"),
});

const compareRoute = createRoute({
  ...under(projectRoute, "/compare"),
  validateSearch: z.object({ a: text, b: text, show: text, step: text }),
  component: lazyPage(() => import("#routes/project/compare-page.tsx"), "ComparePage"),
});

const compareSetsRoute = createRoute({
  ...under(projectRoute, "/compare/sets"),
  validateSearch: z.object({ a: text, b: text, hours: text }),
  component: lazyPage(() => import("#routes/project/compare-sets-page.tsx"), "CompareSetsPage"),
});

const userRoute = createRoute({
  ...under(projectRoute, "/users/$userId"),
  component: lazyPage(() => import("#routes/project/user-page.tsx"), "UserPage"),
});

/** Each tab is a line here, and one in `project-frame.tsx`. */
export const projectRoutes = projectRoute.addChildren([
  projectIndexRoute,
  tracesRoute,
  dashboardsRoute,
  sessionsRoute,
  sessionRoute,
  usersRoute,
  userRoute,
  issuesRoute,
  issueRoute,
  datasetsRoute,
  datasetRoute,
  experimentsRoute,
  experimentRoute,
  pairRoute,
  promptsRoute,
  promptRoute,
  playgroundRoute,
  evaluatorsRoute,
  evaluatorRoute,
  annotationRoute,
  queueRoute,
  alertsRoute,
  settingsRoute,
  compareRoute,
  compareSetsRoute,
]);
