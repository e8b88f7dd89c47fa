/** By these names the console tells what `--demo` made from what a newcomer made. */
export const DEMO = { repository: "demo/sightline", project: "Demo" } as const;
