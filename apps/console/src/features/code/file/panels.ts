/** What can be shown beside a file. */
export const PANELS = [
  { value: "outline", label: "Outline" },
  { value: "symbol", label: "References" },
  { value: "history", label: "History" },
  { value: "runs", label: "Traces" },
] as const;

export type Panel = (typeof PANELS)[number]["value"];

export function readPanel(text: string | undefined): Panel | undefined {
  return PANELS.find(({ value }) => value === text)?.value;
}
