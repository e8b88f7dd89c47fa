const PHASES: Readonly<Record<string, string>> = {
  queued: "Waiting",
  fetch: "Fetching",
  files: "Reading files",
  postings: "Writing the word index",
  switch: "Switching over",
  embed: "Embedding",
  done: "Done",
};

/** What an indexing job does, in words; a phase of a newer version as it is called. */
export function phaseLabel(phase: string): string {
  return PHASES[phase] ?? phase;
}
