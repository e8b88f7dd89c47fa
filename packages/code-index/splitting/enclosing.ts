import type { Definition } from "./find-names.ts";

/** Says which definitions begin before a place and go on behind it, from the outermost; for places asked for in rising order. */
export function enclosing(definitions: readonly Definition[]): (place: number) => readonly Definition[] {
  const waiting = definitions.toSorted((one, other) => one.from - other.from || other.to - one.to);
  let next = 0;
  let open: readonly Definition[] = [];
  return (place) => {
    const begun: Definition[] = [];
    for (let definition = waiting[next]; definition !== undefined && definition.from < place; definition = waiting[++next]) {
      begun.push(definition);
    }
    open = [...open, ...begun].filter(({ to }) => to > place);
    return open;
  };
}
