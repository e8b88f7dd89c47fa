import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const SSHD = "/usr/sbin/sshd";

/** OpenSSH's server, which starts by its whole path only, and its client (`apt-get install openssh-server`). */
export const SSH_PROGRAMS: readonly string[] = [SSHD, "ssh-keygen", "ssh"];

/** A real ssh server on `localhost` that one deploy key opens. */
export type SshServer = {
  readonly user: string;
  readonly port: number;
  /** The private part of the key it lets in. */
  readonly privateKey: string;
  /** Of its host key, as a line of known_hosts. */
  readonly knownHosts: string;
  /** Takes another host key and starts again. */
  readonly changeHostKey: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startSshServer(): Promise<SshServer> {
  const folder = await mkdtemp(join(tmpdir(), "sightline-sshd-"));
  await chmod(folder, 0o755);
  const makeKey = (name: string) => execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  makeKey("host");
  makeKey("deploy");
  await writeFile(join(folder, "authorized"), await readFile(join(folder, "deploy.pub")));
  const port = await freePort();
  const settings = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "authorized")}`,
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin yes",
    "StrictModes no",
    "UsePAM no",
    "PidFile none",
  ];
  await writeFile(join(folder, "config"), `${settings.join("\n")}\n`);
  let server = await start(folder, port);
  return {
    user: userInfo().username,
    port,
    privateKey: await readFile(join(folder, "deploy"), "utf8"),
    knownHosts: `[localhost]:${port} ${await readFile(join(folder, "host.pub"), "utf8")}`,
    changeHostKey: async () => {
      await end(server);
      await rm(join(folder, "host"));
      makeKey("host");
      server = await start(folder, port);
    },
    stop: async () => {
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start(folder: string, port: number): Promise<ChildProcess> {
  // It wants this folder where it drops its privileges.
  if (process.getuid?.() === 0) {
    execFileSync("mkdir", ["-p", "/run/sshd"]);
  }
  const server = spawn(SSHD, ["-D", "-e", "-f", join(folder, "config")], { stdio: "ignore" });
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await answers(port)) {
      return server;
    }
    await sleep(25);
  }
  throw new Error("sshd did not start");
}

async function end(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGKILL");
  await ended;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
