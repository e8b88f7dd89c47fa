import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { styleText } from "node:util";
import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";

export type LogFormat = "pretty" | "json";

/** Where the lines of every process end up. */
export type Output = {
  /** One line that a child process wrote. */
  readonly childLine: (name: string, line: string) => void;
  /** A sentence of the program itself. */
  readonly say: (text: string) => void;
  /** Asks whoever sits at the terminal, for whom Enter is yes; undefined where nobody does. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
};

type OutputOptions = {
  readonly format: LogFormat;
  readonly write: (text: string) => void;
  readonly color: boolean;
  /** Whether a person is shown nothing below a warning now. */
  readonly isQuiet?: () => boolean;
  /** Where a person's answers come from. */
  readonly answers?: Readable | undefined;
};

const COLORS = ["cyan", "magenta", "green", "yellow", "blue", "gray"] as const;
const NAME_WIDTH = 13;

const recordSchema = z.looseObject({
  level: z.string(),
  time: z.string(),
  name: z.string(),
  msg: z.string().optional(),
  err: z.object({ stack: z.string().optional(), message: z.string().optional() }).optional(),
});

export function createOutput({ format, write, color, isQuiet = () => false, answers }: OutputOptions): Output {
  const names: string[] = [];
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const prefix = (name: string) => {
    if (!names.includes(name)) {
      names.push(name);
    }
    return paint(COLORS[names.indexOf(name) % COLORS.length] ?? "gray", name.padEnd(NAME_WIDTH));
  };

  function pretty(name: string, line: string): string {
    const record = recordSchema.safeParse(parseRecord(line)).data;
    if (record === undefined) {
      return `${" ".repeat(8)} ${prefix(name)} ${line}\n`;
    }
    if (isQuiet() && (record.level === "info" || record.level === "debug")) {
      return "";
    }
    const { level, time, msg = "", err, name: _name, pid: _pid, ...rest } = record;
    const mark = level === "error" || level === "fatal" ? paint("red", "error ") : level === "warn" ? paint("yellow", "warning ") : "";
    const details = Object.entries(rest).map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
    const head = [msg, paint("dim", details.join(" "))].filter((part) => part !== "").join("  ");
    const stack = err === undefined ? "" : `\n${indent(withoutOthersFrames(err.stack ?? err.message ?? "", level))}`;
    return `${paint("dim", localTime(time))} ${prefix(name)} ${mark}${head}${stack}\n`;
  }

  if (format === "json") {
    return {
      childLine: (name, line) => write(`${parseRecord(line) === undefined ? wrap(name, line) : line}\n`),
      say: (text) => write(`${wrap("sightline", text)}\n`),
      ask: undefined,
    };
  }
  return {
    childLine: (name, line) => write(pretty(name, line)),
    say: (text) => write(`${text}\n`),
    ask:
      answers &&
      (async (question) => {
        write(`${question} [Y/n] `);
        for await (const line of createInterface({ input: answers })) {
          return /^(?:y|yes|)$/i.test(line.trim());
        }
        return false;
      }),
  };
}

function wrap(name: string, message: string): string {
  return JSON.stringify({ level: "info", time: new Date().toISOString(), name, msg: message });
}

/** The record that a line is; a line of anything else, a bare number too, is text. */
function parseRecord(line: string): unknown {
  return line.startsWith("{") ? parseJson(line) : undefined;
}

function localTime(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toTimeString().slice(0, 8);
}

const FRAME = /^\s+at /;
const OTHERS_FRAME = /^\s+at .*(?:node_modules|node:|<anonymous>)/;

/** People read what happened and where in our own code; of a warning what happened. The log for machines has all of it. */
function withoutOthersFrames(stack: string, level: string): string {
  const left = level === "warn" ? FRAME : OTHERS_FRAME;
  return stack
    .split("\n")
    .filter((line) => !left.test(line))
    .join("\n");
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `${" ".repeat(NAME_WIDTH + 10)}${line}`)
    .join("\n");
}
