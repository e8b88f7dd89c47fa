import { Center, Loader } from "@mantine/core";
import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { z } from "zod";
import { lazyPage } from "#shell/lazy-page.ts";
import { ErrorPage } from "#shell/error-page.tsx";
import { NotFoundPage } from "#shell/not-found-page.tsx";
import { type RouterContext, parseSearch, stringifySearch } from "#shell/routing.ts";
import { rootRoute, signedInRoute, text, under } from "./base-routes.tsx";
import { projectRoutes } from "./project-routes.tsx";

const loginRoute = createRoute({
  ...under(rootRoute, "/login"),
  validateSearch: z.object({ next: text }),
  component: lazyPage(() => import("#routes/login/login-frame.tsx"), "LoginFrame"),
});

const passwordStepRoute = createRoute({
  ...under(loginRoute, "/"),
  component: lazyPage(() => import("#routes/login/login-page.tsx"), "LoginPage"),
});

const verifyRoute = createRoute({
  ...under(loginRoute, "/verify"),
  component: lazyPage(() => import("#routes/login/verify-page.tsx"), "VerifyPage"),
});

const ssoRoute = createRoute({
  ...under(loginRoute, "/sso"),
  // What a provider sends a browser back with (OpenID Connect, RFC 9207).
  validateSearch: z.object({ code: text, state: text, iss: text, error: text }),
  component: lazyPage(() => import("#routes/login/sso-page.tsx"), "SsoPage"),
});

const forgotRoute = createRoute({
  ...under(loginRoute, "/forgot"),
  component: lazyPage(() => import("#routes/login/forgot-page.tsx"), "ForgotPage"),
});

const resetRoute = createRoute({
  ...under(loginRoute, "/reset"),
  component: lazyPage(() => import("#routes/login/mailed-link-page.tsx"), "ResetPage"),
});

const invitationRoute = createRoute({
  ...under(loginRoute, "/invitation"),
  component: lazyPage(() => import("#routes/login/mailed-link-page.tsx"), "InvitationPage"),
});

/** A trace, for people without an account. */
const sharedRoute = createRoute({
  ...under(rootRoute, "/shared/$token"),
  component: lazyPage(() => import("#routes/shared-page.tsx"), "SharedPage"),
});

const overviewRoute = createRoute({
  ...under(signedInRoute, "/"),
  component: lazyPage(() => import("#routes/overview-page.tsx"), "OverviewPage"),
});

const passwordRoute = createRoute({
  ...under(signedInRoute, "/account/password"),
  validateSearch: z.object({ next: text }),
  component: lazyPage(() => import("#routes/password-page.tsx"), "PasswordPage"),
});

const securityRoute = createRoute({
  ...under(signedInRoute, "/admin/security"),
  validateSearch: z.object({ setup: text }),
  component: lazyPage(() => import("#routes/security-page.tsx"), "SecurityPage"),
});

const codeRoute = createRoute({
  ...under(signedInRoute, "/code"),
  validateSearch: z.object({
    q: text,
    mode: text,
    repo: text,
    path: text,
    lang: text,
    ref: text,
    kind: text,
    regex: text,
    case: text,
    explain: text,
  }),
  component: lazyPage(() => import("#routes/code-page.tsx"), "CodePage"),
});

const repositoriesRoute = createRoute({
  ...under(signedInRoute, "/code/repos"),
  validateSearch: z.object({ register: text, q: text }),
  component: lazyPage(() => import("#routes/repositories-page.tsx"), "RepositoriesPage"),
});

const repositorySettingsRoute = createRoute({
  ...under(signedInRoute, "/code/repos/$repositoryId"),
  component: lazyPage(() => import("#routes/repository-settings-page.tsx"), "RepositorySettingsPage"),
});

const jobsRoute = createRoute({
  ...under(signedInRoute, "/code/jobs"),
  validateSearch: z.object({ status: text, repository: text }),
  component: lazyPage(() => import("#routes/jobs-page.tsx"), "JobsPage"),
});

const webhooksRoute = createRoute({
  ...under(signedInRoute, "/code/webhooks"),
  validateSearch: z.object({ status: text, repository: text }),
  component: lazyPage(() => import("#routes/webhooks-page.tsx"), "WebhooksPage"),
});

const connectRoute = createRoute({
  ...under(signedInRoute, "/code/connect"),
  validateSearch: z.object({ new: text }),
  component: lazyPage(() => import("#routes/connect-page.tsx"), "ConnectPage"),
});

const authorizeRoute = createRoute({
  ...under(signedInRoute, "/connect/authorize/$uid"),
  component: lazyPage(() => import("#routes/authorize-page.tsx"), "AuthorizePage"),
});

const repositoryRoute = createRoute({
  ...under(signedInRoute, "/code/$owner/$repo"),
  validateSearch: z.object({
    path: text,
    ref: text,
    commit: text,
    at: text,
    blame: text,
    panel: text,
    symbol: text,
    from: text,
    view: text,
  }),
  component: lazyPage(() => import("#routes/repository/repository-page.tsx"), "RepositoryPage"),
});

const commitRoute = createRoute({
  ...under(signedInRoute, "/code/$owner/$repo/commit/$commit"),
  validateSearch: z.object({ ref: text, view: text }),
  component: lazyPage(() => import("#routes/commit-page.tsx"), "CommitPage"),
});

const commitsRoute = createRoute({
  ...under(signedInRoute, "/code/$owner/$repo/commits"),
  validateSearch: z.object({ ref: text }),
  component: lazyPage(() => import("#routes/commits-page.tsx"), "CommitsPage"),
});

const compareRoute = createRoute({
  ...under(signedInRoute, "/code/$owner/$repo/compare"),
  validateSearch: z.object({ ref: text, base: text, head: text, view: text }),
  component: lazyPage(() => import("#routes/compare-commits-page.tsx"), "CompareCommitsPage"),
});

const projectsRoute = createRoute({
  ...under(signedInRoute, "/projects"),
  validateSearch: z.object({ new: text }),
  component: lazyPage(() => import("#routes/projects-page.tsx"), "ProjectsPage"),
});

/** From a line of a log to its trace, whichever project has it. */
const findTraceRoute = createRoute({
  ...under(signedInRoute, "/traces/$traceId"),
  component: lazyPage(() => import("#routes/find-trace-page.tsx"), "FindTracePage"),
});

const traceRoute = createRoute({
  ...under(signedInRoute, "/projects/$projectId/traces/$traceId"),
  beforeLoad({ params: { traceId } }) {
    if (/^[0-9a-f]{32}$/i.test(traceId)) {
      redirect({ throw: true, to: "/traces/$traceId", params: { traceId }, replace: true });
    }
  },
  validateSearch: z.object({ observation: text, view: text, find: text, kind: text, only: text, mark: text }),
  component: lazyPage(() => import("#routes/trace-page.tsx"), "TracePage"),
});

/** What members may not see; they are told whom to ask. */
const adminsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  id: "admins",
  component: lazyPage(() => import("#routes/admins-only.tsx"), "AdminsOnly"),
});

const credentialsRoute = createRoute({
  ...under(adminsRoute, "/code/credentials"),
  component: lazyPage(() => import("#routes/credentials-page.tsx"), "CredentialsPage"),
});

const usersRoute = createRoute({
  ...under(adminsRoute, "/admin/users"),
  validateSearch: z.object({ q: text, role: text }),
  component: lazyPage(() => import("#routes/users-page.tsx"), "UsersPage"),
});

const auditRoute = createRoute({
  ...under(adminsRoute, "/admin/audit"),
  validateSearch: z.object({ event: text, user: text, ip: text, from: text, to: text }),
  component: lazyPage(() => import("#routes/audit-page.tsx"), "AuditPage"),
});

const routeTree = rootRoute.addChildren([
  loginRoute.addChildren([passwordStepRoute, verifyRoute, ssoRoute, forgotRoute, resetRoute, invitationRoute]),
  sharedRoute,
  signedInRoute.addChildren([
    overviewRoute,
    passwordRoute,
    securityRoute,
    codeRoute,
    repositoriesRoute,
    repositorySettingsRoute,
    jobsRoute,
    webhooksRoute,
    connectRoute,
    authorizeRoute,
    repositoryRoute,
    commitRoute,
    commitsRoute,
    compareRoute,
    projectsRoute,
    projectRoutes,
    findTraceRoute,
    traceRoute,
    adminsRoute.addChildren([credentialsRoute, usersRoute, auditRoute]),
  ]),
]);

/** All pages of the console, each split from the first load. */
export function createAppRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPendingMs: 150,
    scrollRestoration: true,
    defaultPendingComponent: Waiting,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
  });
}

function Waiting() {
  return (
    <Center h="60vh" role="status" aria-label="Loading">
      <Loader type="dots" />
    </Center>
  );
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
