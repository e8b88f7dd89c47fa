import type { StackFrame } from "#contract.ts";

const MAX_LINE_LENGTH = 600;
const MAX_FUNCTION_LENGTH = 500;

/** A call as its language writes it. The names of the groups are those of the frame; `before` is of the line before, which some need. */
const FORMS: readonly { readonly line: RegExp; readonly before?: RegExp }[] = [
  // Python: File "/app/agent.py", line 12, in run
  { line: /^\s*File "(?<file>.+)", line (?<line>\d+)(?:, in (?<function>.+))?$/ },
  // Java: at app//com.acme.Agent.run(Agent.java:12)
  {
    line: /^\s*at (?:[\w.@-]*\/{1,2})?(?<type>[\w.$]+)\.(?<function>[\w$<>]+)\((?<file>[\w$-]+\.\w+|Native Method|Unknown Source|<generated>)(?::(?<line>\d+))?\)$/,
  },
  // .NET: at Acme.Agent.Run(String text) in /src/Agent.cs:line 12
  { line: /^\s*at (?<function>.+) in (?<file>.+):line (?<line>\d+)$/ },
  { line: /^\s*at (?<file>[\w.`+<>[\],]+)\.(?<function>[\w.`<>|]+)\([^:]*\)$/ },
  // V8: at async run (file:///app/agent.js:12:5)
  { line: /^\s*at (?:async )?(?<function>\S.*?) \((?<file>.+):(?<line>\d+):\d+\)(?: \{)?$/ },
  { line: /^\s*at (?:async )?(?<file>\S.*):(?<line>\d+):\d+(?: \{)?$/, before: /^\s*\d+: (?<function>.+)$/ },
  // Go: two lines, main.(*Agent).Run(0xc0000) and /app/agent.go:12 +0x1d
  {
    line: /^\s+(?<file>\S.*\.(?:go|s)):(?<line>\d+)(?: \+0x[\da-f]+)?$/,
    before: /^(?:created by )?(?<function>\S.*?)(?:\([^()]*\)|\s.*)?$/,
  },
  // Ruby: app/agent.rb:12:in 'run'
  { line: /^\s*(?:from )?(?<file>\S.*\.rb):(?<line>\d+):in [`'](?<function>.+)'(?:: .*)?$/ },
  // PHP: #0 /app/Agent.php(12): Agent->run()
  { line: /^#\d+ (?<file>.+)\((?<line>\d+)\): (?<function>.+)$/ },
  // Elixir: (agent 1.0.0) lib/agent.ex:12: Agent.run/1
  { line: /^\s+(?:\(.+\) )?(?<file>\S+\.exs?):(?<line>\d+): (?<function>.+)$/ },
];

/** Paths of packages, languages and their own tools; of Java, where a path says nothing, the best known packages. */
const LIBRARIES = [
  /(?:^|[\\/])(?:site-packages|dist-packages|node_modules|gems|vendor|rustc|\.cargo|deps)[\\/]/,
  /[\\/](?:lib[\\/]python\d|go[\\/]pkg[\\/]mod[\\/]|go[\\/]src[\\/]|_[\\/]src[\\/])/,
  /^(?:node:|internal\/|<)/,
  /^(?:java|javax|jakarta|jdk|sun|kotlin|kotlinx|scala|groovy|reactor|okhttp3)\//,
  /^(?:com\/(?:sun|google|fasterxml)|io\/(?:netty|grpc|micrometer|opentelemetry|reactivex))\//,
  /^org\/(?:springframework|apache|eclipse|hibernate|junit|gradle)\//,
];
const HAS_EXTENSION = /\.\w{1,6}$/;

/** Reads the call that a line tells; undefined where it tells none. */
export function readFrame(text: string, before: string): StackFrame | undefined {
  if (text.length > MAX_LINE_LENGTH) {
    return undefined;
  }
  for (const form of FORMS) {
    const groups = form.line.exec(text)?.groups;
    if (groups !== undefined) {
      const { file: place = "", line, type } = groups;
      const name = groups["function"] ?? form.before?.exec(before.slice(0, MAX_LINE_LENGTH))?.groups?.["function"];
      const file = type === undefined ? place.replace(/^file:\/\//, "") : pathOfType(type, place);
      return {
        file,
        ...(Number(line) > 0 ? { line: Number(line) } : {}),
        ...(name === undefined ? {} : { function: name.slice(0, MAX_FUNCTION_LENGTH) }),
        ...(line !== undefined && HAS_EXTENSION.test(file) && !LIBRARIES.some((library) => library.test(file)) ? { own: true } : {}),
      };
    }
  }
  return undefined;
}

/** Java names the file alone; the folders are those of the package. */
function pathOfType(type: string, file: string): string {
  const folders = type.split(".").slice(0, -1);
  return HAS_EXTENSION.test(file) ? [...folders, file].join("/") : type.replaceAll(".", "/");
}
