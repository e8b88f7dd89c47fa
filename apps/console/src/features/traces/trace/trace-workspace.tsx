import { type ComponentProps, useId, useState } from "react";
import { Split } from "./split.tsx";
import { type StepFilter, nextFailure } from "#features/traces/waterfall/find-steps.ts";
import { collapsedBelow, revealed } from "#features/traces/waterfall/step-rows.ts";
import { type TraceAction, findAction, TRACE_KEYS } from "#features/traces/model/trace-keys.ts";
import { useWaterfall } from "#features/traces/waterfall/use-waterfall.ts";
import { pan, stepSpan, zoom, zoomTo } from "#features/traces/waterfall/waterfall.ts";
import { TraceViews, VIEW_IDS } from "./trace-views.tsx";
import { TraceWaterfall } from "#features/traces/waterfall/trace-waterfall.tsx";
import { WaterfallToolbar } from "#features/traces/waterfall/waterfall-toolbar.tsx";
import { usePageKeys } from "#ui/keys/use-page-keys.ts";
import { Kbd, Modal } from "@mantine/core";
import { SingleKeysSwitch } from "#ui/keys/single-keys-switch.tsx";
import classes from "./trace-workspace.module.css";

const ZOOM = 2;
const PAN = 0.5;
/** Percent of the width that is the steps'. */
const STEPS_SHARE = 58;

/** A trace's steps on the left and its views on the right, with the keys that walk through both. */
export function TraceWorkspace({
  filter,
  onFilter,
  comments,
  ...views
}: Omit<ComponentProps<typeof TraceViews>, "wide" | "onWide"> & {
  readonly comments: ComponentProps<typeof TraceWaterfall>["comments"];
  readonly filter: StepFilter;
  readonly onFilter: (filter: StepFilter) => void;
}) {
  const { trace, steps, selected, onSelect, view, onView } = views;
  const waterfall = useWaterfall(trace, { steps, filter, selected });
  const { tree, causes, whole, shown, setShown, collapsed, setCollapsed } = waterfall;
  const [helping, setHelping] = useState(false);
  const [wide, setWide] = useState(false);
  const prefix = useId();
  const [treeId, findId] = [`${prefix}tree`, `${prefix}find`];
  const isZoomed = shown !== whole;

  function show(next: typeof shown): void {
    setShown(next.start <= whole.start && next.end >= whole.end ? undefined : next);
  }

  function zoomBy(factor: number): void {
    const at = tree.nodes[tree.places.get(selected) ?? -1];
    const middle = (shown.start + shown.end) / 2;
    const start = at === undefined ? middle : stepSpan(at, whole).start;
    show(zoom(shown, whole, { factor, around: start >= shown.start && start <= shown.end ? start : middle }));
  }

  function jump(direction: 1 | -1): void {
    const at = nextFailure(causes, tree.places.get(selected) ?? (direction === 1 ? -1 : tree.nodes.length), direction);
    const id = at === -1 ? trace.id : tree.nodes[at ?? tree.nodes.length]?.step.id;
    if (id !== undefined) {
      setCollapsed(revealed(collapsed, tree, { traceId: trace.id, id }));
      onSelect(id);
    }
  }

  function turnTo(by: 1 | -1): void {
    const at = Math.max(0, VIEW_IDS.indexOf(view ?? ""));
    onView(VIEW_IDS[(at + by + VIEW_IDS.length) % VIEW_IDS.length] ?? "");
  }

  function act(action: TraceAction): void {
    const at = tree.nodes[tree.places.get(selected) ?? -1];
    const acts: Readonly<Record<TraceAction, () => void>> = {
      down: () => focus(treeId),
      up: () => focus(treeId),
      find: () => focus(findId),
      "next-failure": () => jump(1),
      "previous-failure": () => jump(-1),
      critical: () => onFilter({ ...filter, only: filter.only === "critical" ? undefined : "critical" }),
      "expand-all": () => setCollapsed(new Set()),
      "collapse-all": () => setCollapsed(collapsedBelow(tree, { traceId: trace.id, levels: 1 })),
      "zoom-in": () => zoomBy(ZOOM),
      "zoom-out": () => zoomBy(1 / ZOOM),
      "zoom-step": () => show(at === undefined ? whole : zoomTo(stepSpan(at, whole), whole)),
      "zoom-all": () => setShown(undefined),
      earlier: () => show(pan(shown, whole, -PAN)),
      later: () => show(pan(shown, whole, PAN)),
      "previous-view": () => turnTo(-1),
      "next-view": () => turnTo(1),
      help: () => setHelping(true),
    };
    acts[action]();
  }

  usePageKeys((event) => {
    const action = findAction(event);
    return action && (() => act(action));
  });
  return (
    <>
      <Split
        label="Between the steps and the views"
        initial={STEPS_SHARE}
        first={
          wide ? undefined : (
            <section className={classes.steps} aria-label="Steps">
              <WaterfallToolbar
                findId={findId}
                filter={filter}
                onFilter={onFilter}
                failures={trace.failures}
                isZoomed={isZoomed}
                onLevels={(levels) => setCollapsed(collapsedBelow(tree, { traceId: trace.id, levels }))}
                onAction={act}
                onLeave={() => focus(treeId)}
              />
              <TraceWaterfall id={treeId} trace={trace} waterfall={waterfall} selected={selected} comments={comments} onSelect={onSelect} />
            </section>
          )
        }
        second={<TraceViews {...views} wide={wide} onWide={setWide} />}
      />
      <TraceKeymap opened={helping} onClose={() => setHelping(false)} />
    </>
  );
}

function focus(id: string): void {
  document.getElementById(id)?.focus();
}

function TraceKeymap({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal centered={false} opened={opened} onClose={onClose} title="Keys of this page">
      <SingleKeysSwitch />
      <dl className={classes.keys}>
        {TRACE_KEYS.map(({ keys, label }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
