import type { Dialect } from "./dialect.ts";

/** CrewAI's method that runs a task, and the id of a crew or flow without a name, which would make each run a trace of another name. */
const NOISE = /(?<=.)\._execute_core$|(?<=^(?:Crew|Flow))_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\.)/g;

export const crewAi: Dialect = {
  name: "CrewAI",
  canRead: ({ name }) => name.search(NOISE) >= 0,
  facts: { name: ({ name }) => name.replaceAll(NOISE, "") },
};
