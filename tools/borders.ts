import { FOUNDATION, PARTS, type Part, type Room } from "./rooms.ts";

type Pattern = { readonly regex: string; readonly message: string };

type Override = { files: string[]; excludeFiles?: string[]; rules: { "no-restricted-imports": ["error", { patterns: Pattern[] }] } };

const UPWARDS: Pattern = { regex: "^\\.\\.(/|$)", message: "Cross a room visibly: write #room/file.ts." };

function restrict(files: string[], patterns: Pattern[]): Override {
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } };
}

/** Names every closed door, since the linter's expressions have no look-ahead. */
function foreignParts(part: Part): Pattern {
  const closed = PARTS.flatMap(({ name }) => closedDoors(part, name));
  return {
    regex: `^(?:${closed.join("|")})`,
    message: `${part.name} may import ${part.parts.length === 0 ? "no other part" : `only ${part.parts.join(", ")}`}: ${part.why}.`,
  };
}

function closedDoors(part: Part, name: string): readonly string[] {
  if (name === FOUNDATION && part.parts.includes(name)) {
    return [`${name}$`];
  }
  const doors = part.parts.filter((open) => open.startsWith(`${name}/`)).map((open) => open.slice(name.length + 1));
  const closed = doors.length === 0 ? [`${name}/`] : [`${name}/(?:${anythingBut(doors)})`];
  return part.parts.includes(name) ? closed : [`${name}$`, ...closed];
}

/** Matches what differs from every word at one of its letters, ends within one, or goes on after it. */
function anythingBut(words: readonly string[]): string {
  const starts = new Set(words.flatMap((word) => Array.from({ length: word.length + 1 }, (_, end) => word.slice(0, end))));
  const differing = [...starts].map((start) => {
    const next = words.filter((word) => word.startsWith(start)).flatMap((word) => word.slice(start.length, start.length + 1));
    const other = next.join("") === "" ? "." : `[^${next.join("").replaceAll("-", "\\-")}]`;
    return words.includes(start) ? `${start}${other}` : `${start}(?:${other}|$)`;
  });
  return differing.join("|");
}

/** A room that has rooms inside is its own files alone. */
function hasInnerRooms(part: Part, room: string): boolean {
  return Object.keys(part.rooms).some((other) => other.startsWith(`${room}/`));
}

function foreignRooms(part: Part, room: string, { uses, why }: Room): Pattern {
  const closed = Object.keys(part.rooms)
    .filter((other) => other !== room && !uses.includes(other))
    .map((other) => (hasInnerRooms(part, other) ? `${other}/[^/]+$` : `${other}(?:/|$)`));
  const start = part.isRelative === true ? "\\.\\./" : "#";
  const doors = part.isRelative === true ? "[^/]+$" : "index\\.ts$";
  return {
    regex: `^${start}(?:${[...closed, doors].join("|")})`,
    message: `The room ${room} may import ${uses.length === 0 ? "no other room" : `only the rooms ${uses.join(", ")}`}: ${why}.`,
  };
}

const DOWNWARDS: Pattern = { regex: "^\\./[^/]+/", message: "Cross a room visibly: write #room/file.ts." };

const BEYOND_THE_SOURCES: Pattern = { regex: "^\\.\\./\\.\\.", message: "Cross a room visibly: write ../room/file.ts." };

export const borders: Override[] = PARTS.flatMap((part) => {
  const upwards = part.isRelative === true ? BEYOND_THE_SOURCES : UPWARDS;
  const folder = [part.folder, part.source].filter((name) => name !== undefined).join("/");
  return [
    restrict([`${part.folder}/**`], [upwards, foreignParts(part)]),
    ...Object.entries(part.rooms).map(([room, border]) => ({
      ...restrict(
        [`${folder}/${room}/${hasInnerRooms(part, room) ? "*" : "**"}`],
        [upwards, foreignParts(part), foreignRooms(part, room, border), ...(hasInnerRooms(part, room) ? [DOWNWARDS] : [])],
      ),
      excludeFiles: ["**/*.test.{ts,tsx}"],
    })),
  ];
});
