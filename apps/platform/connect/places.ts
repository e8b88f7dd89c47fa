import { homedir, userInfo } from "node:os";
import { isAbsolute, posix, win32, type PlatformPath } from "node:path";
import type { Environment } from "#settings/environment.ts";

/** The machine as assistants see it: where they keep what belongs to the user. It comes in as a value, so that tests can be on any system. */
export type Machine = {
  /** As `process.platform` has it; all but these two are like Linux. */
  readonly platform: string;
  readonly home: string;
  readonly environment: Environment;
};

/** A HOME that is empty or relative is none: it would be the folder that this happens to run in, where no assistant looks. */
export function thisMachine(environment: Environment): Machine {
  const named = homedir();
  return { platform: process.platform, home: isAbsolute(named) ? named : userInfo().homedir, environment };
}

export function inHome(machine: Machine, ...names: string[]): string {
  return pathsOf(machine).join(machine.home, ...names);
}

/** A folder that its user may have moved by a variable. */
export function movable(machine: Machine, variable: string, ...usual: string[]): string {
  const moved = machine.environment[variable];
  return moved === undefined || moved === "" ? inHome(machine, ...usual) : pathsOf(machine).resolve(moved);
}

/** Where programs made with Electron keep what is the user's. */
export function inApplicationData(machine: Machine, ...names: string[]): string {
  switch (machine.platform) {
    case "win32":
      return pathsOf(machine).join(movable(machine, "APPDATA", "AppData", "Roaming"), ...names);
    case "darwin":
      return inHome(machine, "Library", "Application Support", ...names);
    default:
      return inConfig(machine, ...names);
  }
}

/** `~/.config` on every system, as command-line programs have it. */
export function inConfig(machine: Machine, ...names: string[]): string {
  return pathsOf(machine).join(movable(machine, "XDG_CONFIG_HOME", ".config"), ...names);
}

/** Where this program remembers what it wrote. */
export function inState(machine: Machine, ...names: string[]): string {
  switch (machine.platform) {
    case "win32":
      return pathsOf(machine).join(movable(machine, "LOCALAPPDATA", "AppData", "Local"), "Sightline", ...names);
    case "darwin":
      return inHome(machine, "Library", "Application Support", "Sightline", ...names);
    default:
      return pathsOf(machine).join(movable(machine, "XDG_STATE_HOME", ".local", "state"), "sightline", ...names);
  }
}

/** The path as its owner would write it. */
export function shortened(machine: Machine, path: string): string {
  const { sep } = pathsOf(machine);
  return path.startsWith(`${machine.home}${sep}`) ? `~${path.slice(machine.home.length)}` : path;
}

export function pathsOf(machine: Machine): PlatformPath {
  return machine.platform === "win32" ? win32 : posix;
}
