import { MAX_STACK_ERRORS, MAX_STACK_FRAMES, MAX_STACK_LENGTH, type StackError, type StackFrame, type StackTrace } from "#contract.ts";
import { readFrame } from "./read-frame.ts";

const MAX_READ_LENGTH = 65_536;
const MAX_MESSAGE_LENGTH = 500;
const MAX_CAUSES = 5;
const MAX_MEMBERS = 20;
/** Characters of a frame's JSON beside its path and function. */
const FRAME_LENGTH = 50;

/** An error as a text tells it. */
type ToldError = {
  head: string;
  relation?: StackError["relation"];
  readonly indent: number;
  readonly within: ToldError | undefined;
  /** In the order of the text. */
  readonly frames: StackFrame[];
  readonly behind: ToldError[];
};

/** Reads the stack of an exception as its language prints it, with the errors behind it; a form that is not known is kept as text. */
export function readStackText(text: string): StackTrace {
  const isPython = /Traceback \(most recent call last\)|^[ |+]*File ".+", line \d+/m.test(text.slice(0, MAX_READ_LENGTH));
  // Python tells the newest call last.
  const lines = (isPython ? text.slice(-MAX_READ_LENGTH) : text.slice(0, MAX_READ_LENGTH)).split(/\r?\n/);
  const told = isPython ? readPython(lines) : readNewestFirst(lines);
  const stack = told === undefined ? undefined : flatten(told);
  return stack?.errors.some(({ frames }) => frames.length > 0) === true ? stack : { errors: [], text: text.slice(0, MAX_STACK_LENGTH) };
}

function tell(head: string, indent: number, within?: ToldError): ToldError {
  return { head, indent, within, frames: [], behind: [] };
}

/** Members of groups stand deeper, after a `|`. */
const GROUP_LINE = /^((?: {2})+)[|+] ?(.*)$/;
const MEMBER = /\+-{4,} (?:\d+|\.\.\.) -{4,}$/;
const BEGINS = /^(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\)/;
const CAUSED = "The above exception was the direct cause of the following exception";
const HANDLED = "During handling of the above exception, another exception occurred";

/** The oldest error first, the newest call last. */
function readPython(lines: readonly string[]): ToldError | undefined {
  /** By depth the error that was told last. */
  const last: ToldError[] = [];
  let relation: StackError["relation"];
  const begin = (level: number): void => {
    const [before, group] = [last[level], last[level - 1]];
    const error = tell("", level);
    last.splice(level, Infinity, error);
    if (relation !== undefined && before !== undefined) {
      error.relation = before.relation;
      error.behind.push(Object.assign(before, { relation }));
      group?.behind.splice(-1, 1, error);
    } else if (group !== undefined) {
      error.relation = "member";
      group.behind.push(error);
    }
    relation = undefined;
  };
  for (const line of lines) {
    const [, spaces = "", inner = line] = GROUP_LINE.exec(line) ?? [];
    const level = Math.min(last.length, Math.max(0, spaces.length / 2 - 1));
    const current = last[level];
    if (MEMBER.test(line)) {
      begin(Math.min(last.length, Math.max(1, line.lastIndexOf("+") / 2 - 1)));
    } else if (BEGINS.test(inner.trimStart())) {
      if (current === undefined || current.head !== "" || current.frames.length > 0) {
        begin(level);
      }
    } else if (inner.startsWith(CAUSED) || inner.startsWith(HANDLED)) {
      relation = inner.startsWith(CAUSED) ? "cause" : "context";
    } else {
      const frame = readFrame(inner, "");
      if (frame !== undefined) {
        if (current === undefined) {
          begin(level);
        }
        last[level]?.frames.unshift(frame);
      } else if (current?.head === "" && /^\S/.test(inner)) {
        current.head = inner;
      }
    }
  }
  return last[0];
}

/** Java, Node, .NET: `Caused by: …`, `[cause]: …`, ` ---> …`. */
const BEHIND = /^(\s*)(Caused by: |\[cause\]: |Suppressed: |---> (?:\(Inner Exception #\d+\) )?)(.*)$/;
const END_OF_INNER = /^\s*--- End of inner exception stack trace ---/;

/** The newest call first, and each error before those behind it. */
function readNewestFirst(lines: readonly string[]): ToldError | undefined {
  const root = tell(lines[0] ?? "", 0);
  let current = root;
  for (const [index, line] of lines.entries()) {
    const frame = readFrame(line, lines[index - 1] ?? "");
    const [, spaces = "", word, head = ""] = BEHIND.exec(line) ?? [];
    if (frame !== undefined) {
      current.frames.push(frame);
    } else if (word !== undefined) {
      const isMember = word.includes("#");
      let around = isMember ? root : current;
      while (around.within !== undefined && (word === "Suppressed: " ? around.indent >= spaces.length : around.indent > spaces.length)) {
        around = around.within;
      }
      current = tell(head, spaces.length, around);
      current.relation = isMember ? "member" : word === "Suppressed: " ? "context" : "cause";
      around.behind.push(current);
    } else if (END_OF_INNER.test(line)) {
      current = current.within ?? root;
    } else if (/^goroutine \d/.test(line) && root.frames.length > 0) {
      break;
    }
  }
  return root;
}

/** As a list, in which each error comes after the one that it is behind. */
function flatten(failure: ToldError): StackTrace {
  const errors: StackError[] = [];
  const waiting: { readonly told: ToldError; readonly of?: number; readonly causes: number }[] = [{ told: failure, causes: 0 }];
  let [left, omitted] = [MAX_STACK_LENGTH, 0];
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
    if (errors.length === MAX_STACK_ERRORS || left <= 0) {
      omitted += waiting.length + 1;
      break;
    }
    const { told, of, causes } = each;
    const { type, message } = of === undefined ? {} : splitHead(told.head);
    left -= (type?.length ?? 0) + (message?.length ?? 0);
    const frames = told.frames.slice(0, MAX_STACK_FRAMES).filter(({ file, function: name = "" }) => {
      left -= file.length + name.length + FRAME_LENGTH;
      return left >= 0;
    });
    const cut = told.frames.length - frames.length;
    errors.push({
      ...(told.relation === undefined ? {} : { relation: told.relation, of, type, message }),
      frames,
      ...(cut > 0 ? { omitted: cut } : {}),
    });
    const members = told.behind.filter(({ relation }) => relation === "member").slice(0, MAX_MEMBERS);
    const caused = told.behind.filter(({ relation }) => relation !== "member" && causes < MAX_CAUSES);
    omitted += told.behind.length - members.length - caused.length;
    const at = errors.length - 1;
    waiting.push(...caused.map((error) => ({ told: error, of: at, causes: causes + 1 })));
    waiting.push(...members.map((error) => ({ told: error, of: at, causes })));
  }
  return { errors, ...(omitted > 0 ? { omitted } : {}) };
}

function splitHead(head: string): { readonly type: string; readonly message: string } {
  const [, type = "", message = head] = /^([\w.$`+<>[\],]{1,200})(?:: (.*))?$/s.exec(head.slice(0, MAX_MESSAGE_LENGTH)) ?? [];
  return { type, message: message === head && type === head ? "" : message };
}
