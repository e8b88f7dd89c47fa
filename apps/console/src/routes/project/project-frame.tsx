import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, getRouteApi, useLocation } from "@tanstack/react-router";
import { projectQuery } from "#features/projects/api/projects.ts";
import classes from "./project-frame.module.css";
import { Button } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { hasCode } from "#http/api-error.ts";
import { useActiveInView } from "#ui/page/active-in-view.ts";
import type { Prefetch } from "#shell/first-data.ts";
import { MissingPage } from "#ui/page/missing-page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId");

const EVALUATION = [
  { label: "Datasets", to: "/projects/$projectId/datasets" },
  { label: "Experiments", to: "/projects/$projectId/experiments" },
  { label: "Evaluators", to: "/projects/$projectId/evaluators" },
  { label: "Annotation", to: "/projects/$projectId/annotation" },
] as const;

const TABS = [
  { label: "Traces", to: "/projects/$projectId/traces" },
  { label: "Issues", to: "/projects/$projectId/issues" },
  { label: "Dashboard", to: "/projects/$projectId/dashboards" },
  { label: "Sessions", to: "/projects/$projectId/sessions" },
  { label: "Users", to: "/projects/$projectId/users" },
  { label: "Compare", to: "/projects/$projectId/compare/sets" },
  { label: "Evaluation", to: EVALUATION[0].to, pages: EVALUATION },
  { label: "Prompts", to: "/projects/$projectId/prompts" },
  { label: "Alerts", to: "/projects/$projectId/alerts" },
  { label: "Settings", to: "/projects/$projectId/settings" },
] as const;

type Tab = { readonly label: string; readonly to: (typeof TABS | typeof EVALUATION)[number]["to"]; readonly pages?: readonly Tab[] };

/** What comes behind the project in an address: both comparisons are one tab. */
const pageOf = (path: string) => path.split("/")[3];

export const prefetch: Prefetch = ({ queries, params: { projectId = "" } }) => void queries.prefetchQuery(projectQuery(projectId));

/** A project's name and its pages, above each of them. The heading of the page is the page's own. */
export function ProjectFrame() {
  const { projectId } = route.useParams();
  const project = useQuery(projectQuery(projectId));
  const { pathname } = useLocation();
  // An id that is none is answered as an invalid request.
  if (project.data === undefined && hasCode(project.error, "project_not_found", "invalid_request")) {
    return (
      <MissingPage
        documentTitle="No such project"
        icon={<IconActivity />}
        title="This project is not here"
        description="It was deleted, or you are not a member."
      >
        <Button component={Link} to="/projects">
          All projects
        </Button>
      </MissingPage>
    );
  }
  return (
    <>
      <nav className={classes.bar} aria-label="Project">
        <div className={classes.way}>
          <Link to="/projects">Projects</Link>
          <span aria-hidden="true">/</span>
          <span className={classes.name}>{project.data?.name ?? "…"}</span>
        </div>
        <TabRow tabs={TABS} />
        {TABS.map((tab) => "pages" in tab && isOpen(tab, pathname) && <TabRow key={tab.label} tabs={tab.pages} isWithin />)}
      </nav>
      <Outlet />
    </>
  );
}

function TabRow({ tabs, isWithin = false }: { readonly tabs: readonly Tab[]; readonly isWithin?: boolean }) {
  const { projectId } = route.useParams();
  const { pathname } = useLocation();
  const row = useActiveInView<HTMLUListElement>(pathname);
  return (
    <ul ref={row} className={isWithin ? `${classes.tabs} ${classes.within}` : classes.tabs}>
      {tabs.map((tab) => (
        <li key={tab.label}>
          <Link
            to={tab.to}
            params={{ projectId }}
            className={classes.tab}
            activeOptions={{ includeSearch: false }}
            aria-current={isOpen(tab, pathname) && (tab.pages === undefined ? "page" : "true")}
          >
            {tab.label}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** A tab with pages is open where one of them is. */
const isOpen = ({ to, pages }: Tab, path: string): boolean => pages?.some((page) => isOpen(page, path)) ?? pageOf(to) === pageOf(path);
