import type { Project } from "@sightline/observability/contract";
import {
  IconBrain,
  IconCoins,
  IconEraser,
  IconEyeOff,
  IconInbox,
  IconKey,
  IconPlugConnected,
  IconSettings,
  IconShare2,
  IconStar,
  IconUnlink,
  IconUsers,
} from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { Fragment } from "react";
import { Section } from "#ui/kit/panel.tsx";
import { useMe } from "#features/auth/api/me.ts";
import { projectQuery, deleteProject, projectsQuery } from "#features/projects/api/projects.ts";
import { SendTraces } from "#features/projects/components/send-traces.tsx";
import { DeletionList } from "#features/projects/settings/deletion-list.tsx";
import { GeneralSettings } from "#features/projects/settings/general-settings.tsx";
import { KeySettings } from "#features/projects/settings/key-settings.tsx";
import { MemberSettings } from "#features/projects/settings/member-settings.tsx";
import { PriceSettings } from "#features/projects/settings/price-settings.tsx";
import { ModelSettings } from "#features/judges/components/model-settings.tsx";
import { SharingSettings } from "#features/sharing/components/sharing-settings.tsx";
import { ScoreSettings } from "#features/traces/scores/score-settings.tsx";
import { Unanswered, LoadingRows } from "#ui/kit/list-states.tsx";
import { useActiveInView } from "#ui/page/active-in-view.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import classes from "./settings-page.module.css";
import { Paper, Stack, Text } from "@mantine/core";
import { useApi } from "#http/api-context.ts";
import { DeleteByName } from "#ui/kit/delete-by-name.tsx";
import { maskingQuery } from "#features/projects/api/masking.ts";
import { MaskingForm } from "#features/projects/settings/masking-form.tsx";
import { ForOwners } from "#features/projects/settings/owners-only.tsx";
import { ProjectGroups } from "./project-groups.tsx";
import { DeadLetters, LostEvents } from "./ingestion-sections.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/settings");

const GROUPS = [
  {
    heading: undefined,
    sections: [
      { id: undefined, label: "General", icon: IconSettings },
      { id: "connect", label: "Connect an agent", icon: IconPlugConnected },
      { id: "members", label: "Members", icon: IconUsers },
      { id: "keys", label: "API keys", icon: IconKey },
      { id: "prices", label: "Prices", icon: IconCoins },
      { id: "scores", label: "Scores", icon: IconStar },
      { id: "models", label: "Models", icon: IconBrain },
      { id: "sharing", label: "Sharing", icon: IconShare2 },
      { id: "deletions", label: "Deletions", icon: IconEraser },
    ],
  },
  {
    heading: "Ingestion",
    sections: [
      { id: "masking", label: "Masking", icon: IconEyeOff },
      { id: "dead-letters", label: "Dead letters", icon: IconInbox },
      { id: "gaps", label: "Lost events", icon: IconUnlink },
    ],
  },
] as const;

const SECTION_IDS = GROUPS.flatMap(({ sections }) => sections.map(({ id }) => id));

export function SettingsPage() {
  const { projectId } = route.useParams();
  const project = useQuery(projectQuery(projectId));
  return (
    <WidePage>
      <PageHeader title="Settings" documentTitle={project.data === undefined ? "Settings" : `Settings of ${project.data.name}`} />
      {project.data === undefined && <Unanswered query={project} failed="The project could not be loaded" />}
      {project.data !== undefined && <Sections key={projectId} project={project.data} />}
    </WidePage>
  );
}

function Sections({ project }: { readonly project: Project }) {
  const { section } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useMe();
  const chosen = SECTION_IDS.find((id) => id === section);
  const links = useActiveInView<HTMLElement>(chosen ?? "");
  const toProjects = () => navigate({ to: "/projects" });
  return (
    <div className={classes.columns}>
      <nav ref={links} aria-label="Settings" className={classes.nav}>
        {GROUPS.map(({ heading, sections }) => (
          <Fragment key={heading ?? ""}>
            {heading !== undefined && <span className={classes.heading}>{heading}</span>}
            {sections.map(({ id, label, icon: Icon }) => (
              <Link
                key={label}
                to="/projects/$projectId/settings"
                params={{ projectId: project.id }}
                search={{ section: id }}
                className={classes.link}
                activeOptions={{ exact: true, explicitUndefined: true }}
                // The router takes the address without a section for none of them.
                aria-current={chosen === id ? "page" : undefined}
              >
                <Icon size={16} aria-hidden="true" />
                {label}
              </Link>
            ))}
          </Fragment>
        ))}
      </nav>
      <div className={classes.content}>
        {chosen === undefined && (
          <>
            <GeneralSettings key={project.my_role} project={project} />
            {project.my_role === "owner" && <DeleteProject project={project} onDeleted={toProjects} />}
          </>
        )}
        {chosen === "connect" && (
          <Section title="Connect an agent">
            <SendTraces projectId={project.id} />
          </Section>
        )}
        {chosen === "members" && (
          <Stack gap="lg">
            <MemberSettings project={project} viewer={{ id: me.id, isAdmin: me.role === "admin" }} onLeft={() => void toProjects()} />
            {me.role === "admin" && <ProjectGroups project={project} />}
          </Stack>
        )}
        {chosen === "keys" && <KeySettings project={project} />}
        {chosen === "sharing" && <SharingSettings project={project} />}
        {chosen === "masking" && (
          <ForOwners project={project} what="see and change what is masked">
            <Masking projectId={project.id} />
          </ForOwners>
        )}
        {chosen === "dead-letters" && <DeadLetters project={project} />}
        {chosen === "gaps" && <LostEvents projectId={project.id} />}
        {chosen === "deletions" && (
          <ForOwners project={project} what="see what was deleted">
            <DeletionList projectId={project.id} />
          </ForOwners>
        )}
        {chosen === "scores" && (
          <ForOwners project={project} what="say what its scores mean">
            <ScoreSettings projectId={project.id} />
          </ForOwners>
        )}
        {chosen === "models" && (
          <ModelSettings projectId={project.id} mayChange={project.my_role === "owner"} mayEnterAddress={me.role === "admin"} />
        )}
        {chosen === "prices" && <PriceSettings project={project} />}
      </div>
    </div>
  );
}

function DeleteProject({ project, onDeleted }: { readonly project: Project; readonly onDeleted: () => Promise<void> }) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <Section title="Delete" gap="xs">
      <Text size="sm" mb="md">
        Permanently deletes the project and all its traces, scores, keys and prices.
      </Text>
      <DeleteByName
        what="project"
        name={project.name}
        remove={() => api.request(deleteProject(project.id))}
        onDeleted={async () => {
          // The page that is left would ask for it again.
          await onDeleted();
          queries.removeQueries({ queryKey: ["projects", project.id] });
          await queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
        }}
      >
        Its traces disappear immediately, its API keys stop working, and events still sent to it become dead letters. Stop the applications
        that send here first.
      </DeleteByName>
    </Section>
  );
}

function Masking({ projectId }: { readonly projectId: string }) {
  const masking = useQuery(maskingQuery(projectId));
  if (masking.data !== undefined) {
    return <MaskingForm projectId={projectId} saved={masking.data} />;
  }
  return (
    <Paper p="lg">
      <Unanswered query={masking} failed="The rules could not be loaded" loading={<LoadingRows />} />
    </Paper>
  );
}
