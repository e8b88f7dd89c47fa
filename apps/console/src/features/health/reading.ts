/** What a part is, or stands on: its API, a database, a process of its own. */
export type Component = {
  readonly id: string;
  readonly state: "up" | "down" | "unknown";
  readonly error?: string | undefined;
  /** What does not stop it yet, and what to do about it. */
  readonly warnings?: readonly string[] | undefined;
  readonly figures?: Readonly<Record<string, number>> | undefined;
};

export type Seen = Component & {
  /** When this page first saw it as it is; parts don't tell since when they are down. */
  readonly since: string;
};

export type Reading = readonly Seen[];

/** Keeps since when each component is as it is, from one look to the next. */
export function toReading(components: readonly Component[], before: Reading | undefined, now: Date): Reading {
  return components.map((component) => {
    const earlier = before?.find(({ id }) => id === component.id);
    return { ...component, since: earlier?.state === component.state ? earlier.since : now.toISOString() };
  });
}
