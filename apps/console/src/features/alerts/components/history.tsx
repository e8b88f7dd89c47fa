import { Anchor, Box, Paper } from "@mantine/core";
import type { AlertEvent } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { PanelList, PanelHeader } from "#ui/kit/panel.tsx";
import { alertEventsQuery } from "#features/alerts/api/alerts.ts";
import { METRICS } from "#features/alerts/rule-words.ts";
import { plural } from "#ui/words/format.ts";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { Status, type Tone } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./alerts.module.css";
import { Nobody } from "./rule-table.tsx";

const MINUTE_MS = 60_000;

export function History({ projectId }: { readonly projectId: string }) {
  const events = useInfiniteQuery(alertEventsQuery(projectId));
  const items = events.data?.pages.flatMap((page) => page.items);
  return (
    <Paper component="section">
      <PanelHeader title="History" about="Alerts from the last 90 days, and whether each message was delivered." />
      <PanelList query={events} items={items} isHeaded failed="The history could not be loaded" empty="Nothing has fired.">
        {(fired) => (
          <>
            <DataTable
              label="History"
              minWidth={720}
              isInPanel
              verticalSpacing="xs"
              horizontalSpacing="sm"
              rows={fired}
              rowKey={({ id }) => id}
              columns={[
                { header: "When", render: ({ at }) => <TimeStamp at={at} /> },
                { header: "Alert", td: { fw: 550 }, render: (event) => event.rule_name },
                {
                  header: "Change",
                  render: ({ kind, metric }) =>
                    metric === "experiments" ? (
                      <Status tone="idle">Finished</Status>
                    ) : (
                      <Status tone={kind === "fired" ? "bad" : "ok"}>{kind === "fired" ? "Fired" : "Resolved"}</Status>
                    ),
                },
                {
                  header: "Value",
                  align: "right",
                  td: { className: classes.value ?? "" },
                  render: ({ value, metric }) => (value === null ? "–" : METRICS[metric].write(value)),
                },
                { header: "Sent to", render: (event) => <Told notifications={event.notifications} /> },
                { header: "Look at", render: (event) => <Cause projectId={projectId} event={event} /> },
              ]}
            />
            <Box pb="md">
              <LoadMore list={events} />
            </Box>
          </>
        )}
      </PanelList>
    </Paper>
  );
}

type CauseProps = { readonly projectId: string; readonly event: AlertEvent };

/** To what was looked at when the alert fired. */
function Cause({ projectId, event: { kind, metric, issues, experiment_id: experimentId, at, window_minutes: minutes } }: CauseProps) {
  if (kind === "resolved" || metric === "no_traces") {
    return null;
  }
  if (metric === "gaps") {
    return (
      <Anchor component={Link} fz="sm" to="/projects/$projectId/settings" params={{ projectId }} search={{ section: "gaps" }}>
        lost events
      </Anchor>
    );
  }
  if (experimentId !== null) {
    return (
      <Anchor component={Link} fz="sm" to="/projects/$projectId/experiments/$experimentId" params={{ projectId, experimentId }}>
        the experiment
      </Anchor>
    );
  }
  if (issues !== null) {
    const [first] = issues;
    return first === undefined || issues.length > 1 ? (
      <Anchor component={Link} fz="sm" to="/projects/$projectId/issues" params={{ projectId }}>
        the issues
      </Anchor>
    ) : (
      <Anchor component={Link} fz="sm" to="/projects/$projectId/issues/$issueId" params={{ projectId, issueId: first.id }}>
        {first.change === "new" ? "the new issue" : "the issue that came back"}
      </Anchor>
    );
  }
  const from = new Date(Date.parse(at) - minutes * MINUTE_MS).toISOString();
  const failures = metric === "errors" || metric === "error_rate" ? { q: "status:failure" } : {};
  return (
    <Anchor component={Link} fz="sm" to="/projects/$projectId/traces" params={{ projectId }} search={{ ...failures, from, to: at }}>
      {"q" in failures ? "failures of that time" : "traces of that time"}
    </Anchor>
  );
}

const TONES: Readonly<Record<AlertEvent["notifications"][number]["state"], Tone>> = { sent: "ok", pending: "busy", dead: "bad" };

function Told({ notifications }: Pick<AlertEvent, "notifications">) {
  if (notifications.length === 0) {
    return <Nobody />;
  }
  return notifications.map(({ id, channel, state, tries, problem }) => (
    <div key={id}>
      <Status tone={TONES[state]}>
        {channel}
        {state === "pending" && ` · ${tries === 0 ? "on its way" : `${plural(tries, "try", "tries")}, trying again`}`}
        {state === "dead" && ` · given up after ${plural(tries, "try", "tries")}`}
      </Status>
      {problem !== null && <Dimmed>{problem}</Dimmed>}
    </div>
  ));
}
