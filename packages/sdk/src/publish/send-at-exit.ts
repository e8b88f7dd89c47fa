import { spawnSync } from "node:child_process";
import { isIP } from "node:net";
import { basename } from "node:path";
import { addressesOf } from "../settings/redis-addresses.ts";
import { environmentOfHelper } from "../settings/settings.ts";
import { writeWords } from "./entry-writer.ts";

/** A process that ends takes so long for it at the most. */
const DEADLINE = 2000;

/**
 * What the other process runs. It reads where to send, as JSON on a line, and the commands as Redis reads them; it tells of each
 * command after the first few, which log in, whether Redis took it: `1` or `0`. The next address is tried where one does not answer,
 * and another node of a cluster where that has the key.
 */
const PROGRAM = `
const chunks = [];
process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
  const input = Buffer.concat(chunks);
  const { servers, setUp, count } = JSON.parse(input.subarray(0, input.indexOf(10)).toString());
  send(servers, true);
  function send([server, ...others], mayMove) {
    if (server === undefined) return;
    const socket = require(server.secure ? "node:tls" : "node:net").connect(server);
    let text = "";
    socket.on("error", () => send(others, mayMove));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const replies = text.split("\\r\\n").slice(0, -1).filter((line) => !line.startsWith("$"));
      if (replies.length < setUp + count) return;
      socket.removeAllListeners("error").on("error", () => undefined).destroy();
      const moved = replies.map((line) => /^-MOVED \\d+ (.*):(\\d+)$/.exec(line)).find((found) => found !== null);
      if (moved !== undefined && mayMove) {
        send([{ ...server, host: moved[1] || server.host, port: Number(moved[2]) }], false);
      } else {
        process.stdout.write(replies.slice(setUp).map((line) => (line.startsWith("-") ? 0 : 1)).join(""));
      }
    });
    socket.write(input.subarray(input.indexOf(10) + 1));
  }
});`;

/**
 * Sends commands while this process ends, when nothing of it can wait for an answer any more: another process sends them, and this one
 * stands still until it has. Secrets go by its standard input alone. Never throws.
 *
 * @param count How many commands there are.
 * @returns of each command whether Redis took it, as far as that is known.
 */
export function sendAtExit(redisUrl: string, commands: Uint8Array, count: number): readonly boolean[] {
  try {
    // An application that is a program of its own would start anew.
    if (!/^node(js)?(\.exe)?$/i.test(basename(process.execPath))) {
      return [];
    }
    const [first = ""] = addressesOf(redisUrl);
    const setUp = setUpCommands(new URL(first));
    const head = { servers: addressesOf(redisUrl).map(serverOf), setUp: setUp.length, count };
    const { stdout } = spawnSync(process.execPath, ["--input-type=commonjs", "--eval", PROGRAM], {
      input: Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n${setUp.join("")}`), commands]),
      env: environmentOfHelper(),
      timeout: DEADLINE,
      killSignal: "SIGKILL",
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    return Array.from(stdout.toString(), (told) => told === "1");
  } catch {
    return [];
  }
}

function serverOf(address: string) {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, "$1") || "127.0.0.1";
  return {
    host,
    port: Number(port) || 6379,
    secure: protocol === "rediss:",
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
}

function setUpCommands({ username, password, pathname }: URL): readonly string[] {
  const database = pathname.slice(1);
  const user = decodeURIComponent(username);
  return [
    ...(password === "" ? [] : [writeCommand("AUTH", ...(user === "" ? [] : [user]), decodeURIComponent(password))]),
    ...(/^\d+$/.test(database) && database !== "0" ? [writeCommand("SELECT", database)] : []),
  ];
}

function writeCommand(...words: readonly string[]): string {
  return `*${words.length}\r\n${writeWords(...words)}`;
}
