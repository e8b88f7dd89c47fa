import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Hosts of their own on one machine: a network namespace each, on a bridge in another. */
export type Network = {
  /** Where the others reach a host. */
  readonly address: (host: string) => string;
  /** The words before a command that make it run on a host. */
  readonly on: (host: string) => readonly string[];
  /** Drops what a host sends and what it is sent, without a word to either side. */
  readonly cut: (host: string) => Promise<void>;
  readonly heal: (host: string) => Promise<void>;
  /** Lets 64 KiB a second through to a host and from it, each packet up to two seconds late. */
  readonly slow: (host: string) => Promise<void>;
  readonly quicken: (host: string) => Promise<void>;
};

const run = promisify(execFile);
const SLOWED = ["root", "tbf", "rate", "512kbit", "burst", "16kb", "latency", "2s"];
const FIRST = 10;

/** The hosts of a network that was made, by its number; each of them may reach into the others. */
export function networkOf(number: string, hosts: readonly string[]): Network {
  const nameOf = (host: string) => `sightline-${number}-${host}`;
  const hub = nameOf("hub");
  const bothSides = async (host: string, change: "add" | "del", words: readonly string[]) => {
    await run("tc", ["-n", hub, "qdisc", change, "dev", portOf(hosts, host), ...words]);
    await run("tc", ["-n", nameOf(host), "qdisc", change, "dev", "eth0", ...words]);
  };
  return {
    address: (host) => addressOf(hosts, host),
    on: (host) => ["ip", "netns", "exec", nameOf(host)],
    cut: async (host) => void (await run("ip", ["-n", hub, "link", "set", portOf(hosts, host), "nomaster"])),
    heal: async (host) => void (await run("ip", ["-n", hub, "link", "set", portOf(hosts, host), "master", "bridge0"])),
    slow: (host) => bothSides(host, "add", SLOWED),
    quicken: (host) => bothSides(host, "del", ["root"]),
  };
}

const portOf = (hosts: readonly string[], host: string) => `port${hosts.indexOf(host)}`;
const addressOf = (hosts: readonly string[], host: string) => `10.89.71.${FIRST + hosts.indexOf(host)}`;

/** Needs root, and `ip` and `tc` of iproute2. Resolves with what removes it. */
export async function makeNetwork(number: string, hosts: readonly string[]): Promise<() => Promise<void>> {
  const hub = `sightline-${number}-hub`;
  const made: string[] = [];
  const remove = async () => {
    for (const name of made) {
      // What was left running there by a proof that was killed.
      const { stdout: left } = await run("ip", ["netns", "pids", name]);
      left
        .split("\n")
        .filter(Boolean)
        .forEach((pid) => process.kill(Number(pid), "SIGKILL"));
      await run("ip", ["netns", "delete", name]);
    }
  };
  const make = async (name: string) => {
    await run("ip", ["netns", "add", name]);
    made.push(name);
    await run("ip", ["-n", name, "link", "set", "lo", "up"]);
  };
  try {
    await make(hub);
    await run("ip", ["-n", hub, "link", "add", "bridge0", "up", "type", "bridge"]);
    for (const host of hosts) {
      const name = `sightline-${number}-${host}`;
      const port = portOf(hosts, host);
      await make(name);
      await run("ip", ["-n", hub, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name]);
      await run("ip", ["-n", hub, "link", "set", port, "master", "bridge0", "up"]);
      await run("ip", ["-n", name, "address", "add", `${addressOf(hosts, host)}/24`, "dev", "eth0"]);
      await run("ip", ["-n", name, "link", "set", "eth0", "up"]);
    }
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}
