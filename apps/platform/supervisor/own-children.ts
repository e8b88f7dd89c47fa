import { fileURLToPath } from "node:url";
import type { Environment } from "#settings/environment.ts";
import type { ChildSpecification } from "./launch-child.ts";
import type { RoleName } from "#settings/role-names.ts";
import { environmentOfRole } from "#settings/roles.ts";

const PROGRAM = fileURLToPath(new URL("../sightline.ts", import.meta.url));

/** Describes a role as a child process. */
export function roleChild(role: RoleName, environment: Environment): ChildSpecification {
  return { name: role, program: PROGRAM, words: ["role", role], environment: environmentOfRole(role, environment) };
}

/** Describes what prepares the databases for these roles, which needs the whole environment of the start. */
export function prepareChild(environment: Environment, roles: readonly RoleName[]): ChildSpecification {
  return { name: "sightline", program: PROGRAM, words: ["prepare-child", ...roles], environment };
}

/** Describes the demo command, which needs the whole environment of the start. */
export function demoChild(environment: Environment): ChildSpecification {
  return { name: "demo", program: PROGRAM, words: ["demo"], environment };
}
