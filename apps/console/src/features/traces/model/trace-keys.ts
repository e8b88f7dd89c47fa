/** What can be done with a single key anywhere on a trace's page, in the order in which the map of keys shows it. */
export const TRACE_KEYS = [
  { action: "down", keys: ["j", "↓"], label: "Next step" },
  { action: "up", keys: ["k", "↑"], label: "Previous step" },
  { action: "tree", keys: ["Enter"], label: "Open the step" },
  { action: "tree", keys: ["←", "→"], label: "Collapse, expand" },
  { action: "tree", keys: ["Home", "End"], label: "First, last step" },
  { action: "find", keys: ["/"], label: "Find in the steps" },
  { action: "next-failure", keys: ["f"], label: "Next failure" },
  { action: "previous-failure", keys: ["F"], label: "Previous failure" },
  { action: "critical", keys: ["c"], label: "Only the critical path, or everything" },
  { action: "expand-all", keys: ["e"], label: "Expand everything" },
  { action: "collapse-all", keys: ["E"], label: "Collapse everything" },
  { action: "zoom-in", keys: ["+"], label: "Zoom in on the time" },
  { action: "zoom-out", keys: ["-"], label: "Zoom out" },
  { action: "zoom-step", keys: ["z"], label: "Zoom to the step" },
  { action: "zoom-all", keys: ["0"], label: "The whole time" },
  { action: "earlier", keys: [","], label: "Earlier" },
  { action: "later", keys: ["."], label: "Later" },
  { action: "previous-view", keys: ["["], label: "Previous tab" },
  { action: "next-view", keys: ["]"], label: "Next tab" },
  { action: "help", keys: ["?"], label: "This map" },
] as const satisfies readonly { readonly action: string; readonly keys: readonly string[]; readonly label: string }[];

/** Those of the tree it knows alone, once it has the focus. */
export type TraceAction = Exclude<(typeof TRACE_KEYS)[number]["action"], "tree">;

/** The action of a key that was pressed anywhere but in a field; undefined for what is the browser's or the tree's. */
export function findAction(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): TraceAction | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) {
    return undefined;
  }
  // `+` needs no shift on some keyboards, and `=` is on its key on others.
  const key = event.key === "=" ? "+" : event.key;
  const entry = TRACE_KEYS.find(({ keys }) => keys.some((known) => known === key));
  return entry === undefined || entry.action === "tree" ? undefined : entry.action;
}
