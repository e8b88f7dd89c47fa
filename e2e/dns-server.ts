import { fork } from "node:child_process";
import { once } from "node:events";

/** A name server, in a process of its own, that the product asks for the records of e-mail domains. */
export type DnsServer = {
  readonly address: string;
  readonly publish: (name: string, value: string) => Promise<void>;
  readonly stop: () => void;
};

const PROGRAM = new URL("../packages/identity/testing/dns-server-process.ts", import.meta.url);

export async function startDnsServer(): Promise<DnsServer> {
  const child = fork(PROGRAM, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [{ address }] = (await once(child, "message")) as [{ readonly address: string }];
  return {
    address,
    publish: async (name, value) => {
      const done = once(child, "message");
      child.send({ name, value });
      await done;
    },
    stop: () => void child.kill(),
  };
}
