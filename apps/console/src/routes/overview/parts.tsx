import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { meQuery } from "#features/auth/api/me.ts";
import {
  codeIndexHealthQuery,
  identityHealthQuery,
  installationAlertsQuery,
  observabilityHealthQuery,
} from "#features/health/api/health.ts";
import { HealthCard } from "#features/health/components/health-card.tsx";
import { type Health, healthInWords, judgeHealth } from "#features/health/judge-health.ts";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { plural } from "#ui/words/format.ts";
import classes from "./parts.module.css";

type Part = {
  readonly name: string;
  readonly purpose: string;
  /** Undefined until the first answer. */
  readonly health: Health | undefined;
  readonly foot?: ReactNode;
};

/** How every part does, live; one that is down leaves the others as they are. */
export function Parts({ isAdmin }: { readonly isAdmin: boolean }) {
  const parts = useParts(isAdmin);
  const known = parts.flatMap(({ name, health }) => (health === undefined ? [] : [{ name, health }]));
  return (
    <div className={classes.cards}>
      {parts.map(({ foot, ...part }) => (
        <HealthCard key={part.name} {...part}>
          {foot}
        </HealthCard>
      ))}
      <VisuallyHidden role="status">{known.length === parts.length && healthInWords(known)}</VisuallyHidden>
    </div>
  );
}

function useParts(isAdmin: boolean): readonly Part[] {
  const me = useQuery(meQuery);
  const repositories = useQuery(repositoriesQuery);
  const projects = useQuery(projectsQuery);
  const identity = useQuery(identityHealthQuery).data;
  const codeIndex = useQuery(codeIndexHealthQuery).data;
  const observability = useQuery(observabilityHealthQuery).data;
  const alerts = useQuery({ ...installationAlertsQuery, enabled: isAdmin }).data;
  return [
    {
      name: "Code index",
      purpose: "Search over your repositories, for people and assistants",
      health: codeIndex && judgeHealth("code-index", codeIndex),
      foot: repositories.data !== undefined && (
        <Link to="/code/repos" className={classes.link}>
          {plural(repositories.data.length, "repository", "repositories")}
        </Link>
      ),
    },
    {
      name: "Observability",
      purpose: "What your agents do, step by step",
      health: observability && judgeHealth("observability", observability, alerts),
      foot: projects.data !== undefined && (
        <Link to="/projects" className={classes.link}>
          {plural(projects.data.length, "project", "projects")}
        </Link>
      ),
    },
    {
      name: "Identity",
      purpose: "Accounts, logins and the tokens the others trust",
      health: identity && judgeHealth("identity", identity),
      foot: me.data !== undefined && (
        <span>
          Signed in as {me.data.role} (tenant: {me.data.tenant.name})
        </span>
      ),
    },
  ];
}
