import { Tabs } from "@mantine/core";
import { IconArrowBarLeft, IconArrowBarRight } from "@tabler/icons-react";
import { type ComponentType, type ReactNode, Suspense } from "react";
import type { TraceViewProps } from "#features/traces/model/trace-view.ts";
import { IconButton } from "#ui/kit/icon-button.tsx";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import classes from "./trace-views.module.css";
import { lazyPart } from "#ui/page/lazy-part.ts";

type View = { readonly id: string; readonly label: string; readonly component: ComponentType<TraceViewProps> };

/** Beside the details, each loaded when it is opened: `component: lazyPart(async () => (await import("./trace-x.tsx")).TraceX)`. */
const VIEWS: readonly View[] = [
  { id: "graph", label: "Graph", component: lazyPart(async () => (await import("#features/traces/graph/trace-graph.tsx")).TraceGraph) },
  {
    id: "transcript",
    label: "Transcript",
    component: lazyPart(async () => (await import("#features/traces/transcript/trace-transcript.tsx")).TraceTranscript),
  },
  { id: "state", label: "State", component: lazyPart(async () => (await import("#features/traces/state/trace-state.tsx")).TraceState) },
  { id: "json", label: "JSON", component: lazyPart(async () => (await import("#features/traces/json/trace-json.tsx")).TraceJson) },
];

const DETAILS = "details";

export const VIEW_IDS: readonly string[] = [DETAILS, ...VIEWS.map(({ id }) => id)];

/** The right side of a trace's page: what is known of one step, and the other ways to look at the whole. */
export function TraceViews({
  view,
  onView,
  wide,
  onWide,
  children,
  ...props
}: TraceViewProps & {
  /** The tab's id; one that does not exist shows the details. */
  readonly view: string | undefined;
  readonly onView: (view: string) => void;
  /** Whether the steps are hidden to leave it all the room. */
  readonly wide: boolean;
  readonly onWide: (wide: boolean) => void;
  /** The details. */
  readonly children: ReactNode;
}) {
  const shown = view !== undefined && VIEW_IDS.includes(view) ? view : DETAILS;
  return (
    <Tabs
      value={shown}
      onChange={(next) => onView(next ?? DETAILS)}
      keepMounted={false}
      className={classes.views}
      classNames={{ list: classes.tabs, panel: classes.panel }}
    >
      <div className={classes.head}>
        <IconButton label={wide ? "Show the steps" : "Hide the steps"} aria-pressed={wide} onClick={() => onWide(!wide)}>
          {wide ? <IconArrowBarRight size={16} /> : <IconArrowBarLeft size={16} />}
        </IconButton>
        <Tabs.List aria-label="Views of the trace">
          <Tabs.Tab value={DETAILS}>Details</Tabs.Tab>
          {VIEWS.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      <Tabs.Panel value={DETAILS} tabIndex={0}>
        {children}
      </Tabs.Panel>
      {VIEWS.map(({ id, component: Component }) => (
        <Tabs.Panel key={id} value={id}>
          <Suspense fallback={<LoadingRows rows={6} />}>
            <Component {...props} />
          </Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
