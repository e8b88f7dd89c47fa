/** A revision taken apart: `main@{2026-10-01}~3` is a name, a moment and steps back. */
export type NamedRevision = {
  readonly name: string;
  /** The newest commit until then. */
  readonly until: string | undefined;
  /** As git writes them: `~3`, `^2`. */
  readonly steps: string;
};

// oxlint-disable-next-line no-control-regex -- what git has in no name
const REVISION = /^(?<name>(?:(?!\.\.|@\{)[^\0-\x20\x7f~^:?*[\\])*)(?:@\{(?<until>[^{}]+)\})?(?<steps>(?:\^\d{0,2}|~\d{0,6})*)$/u;
const UNTIL = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?$/u;

/** `undefined` for what is no revision: git's other spellings, such as ranges, searches and `HEAD:path`, are none here. */
export function nameRevision(given: string): NamedRevision | undefined {
  const { name = "", until, steps = "" } = REVISION.exec(given)?.groups ?? {};
  const isNamed = name !== "" || until !== undefined;
  const isRight = isNamed && !name.startsWith("-") && (until === undefined || UNTIL.test(until));
  return isRight ? { name: name === "" || name === "@" ? "HEAD" : name, until: until && endOf(until), steps } : undefined;
}

/** A day includes the whole of it; what has no zone is UTC. */
function endOf(until: string): string {
  const [day = "", time = "23:59:59"] = until.split(/[T ]/u);
  return `${day}T${time}${/(?:Z|[+-]\d\d:?\d\d)$/u.test(time) ? "" : "Z"}`;
}
