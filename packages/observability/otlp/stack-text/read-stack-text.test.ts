import { expect, test } from "vitest";
import { readStackText } from "./read-stack-text.ts";

/** Each error in a line: how it belongs to which, its type, and its calls; `*` marks the application's own. */
function outline(text: string): readonly string[] {
  return readStackText(text).errors.map(({ relation, of, type, message, frames }) => {
    const calls = frames.map((frame) => `${frame.own === true ? "*" : ""}${frame.file}:${frame.line ?? "?"} ${frame.function ?? "?"}`);
    return [relation === undefined ? "failure" : `${relation} of ${of} ${type}: ${message}`, ...calls].join(" | ");
  });
}

test("Python's, with what was being handled and the direct cause", () => {
  expect(
    outline(`Traceback (most recent call last):
  File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode
    obj, end = self.scan_once(s, idx)
               ^^^^^^^^^^^^^^^^^^^^^^
StopIteration: 0

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/src/orders.py", line 7, in load
    json.loads("{")
  File "/app/.venv/lib/python3.12/site-packages/x/y.py", line 3, in parse
json.decoder.JSONDecodeError: Expecting value
a second line of the message

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/src/agent.py", line 21, in <module>
    main()
  File "/app/src/agent.py", line 12, in main
    raise KeyError("x")
KeyError: 'x'
`),
  ).toEqual([
    "failure | */app/src/agent.py:12 main | */app/src/agent.py:21 <module>",
    "context of 0 json.decoder.JSONDecodeError: Expecting value | /app/.venv/lib/python3.12/site-packages/x/y.py:3 parse | */app/src/orders.py:7 load",
    "cause of 1 StopIteration: 0 | /usr/lib/python3.12/json/decoder.py:355 raw_decode",
  ]);
});

test("Python's groups, with members that have causes, members of their own, or were never raised", () => {
  expect(
    outline(`  + Exception Group Traceback (most recent call last):
  |   File "/app/agent.py", line 9, in main
  |     async with asyncio.TaskGroup() as group:
  | ExceptionGroup: unhandled errors in a TaskGroup (3 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/app/tools.py", line 3, in find
    | ValueError: inner
    |
    | The above exception was the direct cause of the following exception:
    |
    | Traceback (most recent call last):
    |   File "/app/tools.py", line 5, in find
    | LookupError: no such order
    +---------------- 2 ----------------
    | KeyError: 'never raised'
    +---------------- 3 ----------------
    | Exception Group Traceback (most recent call last):
    |   File "/app/deep.py", line 1, in deep
    | ExceptionGroup: deeper (1 sub-exception)
    +-+---------------- 1 ----------------
      | Traceback (most recent call last):
      |   File "/app/deep.py", line 2, in deepest
      | RuntimeError: bottom
      +------------------------------------
`),
  ).toEqual([
    "failure | */app/agent.py:9 main",
    "member of 0 LookupError: no such order | */app/tools.py:5 find",
    "member of 0 KeyError: 'never raised'",
    "member of 0 ExceptionGroup: deeper (1 sub-exception) | */app/deep.py:1 deep",
    "cause of 1 ValueError: inner | */app/tools.py:3 find",
    "member of 3 RuntimeError: bottom | */app/deep.py:2 deepest",
  ]);
});

test("Node's, with the causes that it prints", () => {
  expect(
    outline(`TypeError: no such order
    at Agent.find (file:///app/src/orders.js:12:5)
    at async Promise.all (index 0)
    at async /app/src/main.js:3:1
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {
  [cause]: SyntaxError: bad JSON
      at JSON.parse (<anonymous>)
      at parse (/app/node_modules/x/index.js:1:2) {
    [cause]: Error: bottom
        at new Socket (/app/src/net.js:9:9)
  }
}`),
  ).toEqual([
    "failure | */app/src/orders.js:12 Agent.find | */app/src/main.js:3 ? | node:internal/process/task_queues:105 process.processTicksAndRejections",
    "cause of 0 SyntaxError: bad JSON | /app/node_modules/x/index.js:1 parse",
    "cause of 1 Error: bottom | */app/src/net.js:9 new Socket",
  ]);
});

test("Java's, by the paths of its packages, with causes and what was suppressed", () => {
  expect(
    outline(`java.lang.IllegalStateException: no order
\tat com.acme.orders.Orders.find(Orders.java:42)
\tat app//com.acme.Agent$Tool.run(Agent.java:7)
\tat java.base/java.lang.Thread.run(Thread.java:1583)
\tSuppressed: java.io.IOException: closed
\t\tat com.acme.Files.close(Files.java:3)
\tCaused by: java.lang.Error: of the suppressed
\t\tat com.acme.Files.flush(Files.java:4)
Caused by: java.sql.SQLException: gone
\tat java.sql/java.sql.DriverManager.connect(Native Method)
\t... 2 more
`),
  ).toEqual([
    "failure | *com/acme/orders/Orders.java:42 find | *com/acme/Agent.java:7 run | java/lang/Thread.java:1583 run",
    "context of 0 java.io.IOException: closed | *com/acme/Files.java:3 close",
    "cause of 0 java.sql.SQLException: gone | java/sql/DriverManager:? connect",
    "cause of 1 java.lang.Error: of the suppressed | *com/acme/Files.java:4 flush",
  ]);
});

test(".NET's, whose causes end before the calls around them", () => {
  expect(
    outline(`System.InvalidOperationException: no order
 ---> System.Net.Http.HttpRequestException: refused
   at System.Net.Http.HttpClient.SendAsync(HttpRequestMessage request)
   at Acme.Client.Get(String url) in /src/Acme/Client.cs:line 12
   --- End of inner exception stack trace ---
   at Acme.Agent.Run() in C:\\src\\Acme\\Agent.cs:line 7`),
  ).toEqual([
    "failure | *C:\\src\\Acme\\Agent.cs:7 Acme.Agent.Run()",
    "cause of 0 System.Net.Http.HttpRequestException: refused | System.Net.Http.HttpClient:? SendAsync | */src/Acme/Client.cs:12 Acme.Client.Get(String url)",
  ]);
});

test.each([
  [
    "Go",
    `goroutine 1 [running]:
runtime/debug.Stack()
\t/usr/local/go/src/runtime/debug/stack.go:26 +0x5e
main.(*Agent).Run(0xc000010000, {0x1, 0x2})
\t/app/agent.go:12 +0x1d
created by main.main in goroutine 5
\t/root/go/pkg/mod/x@v1/y.go:3 +0x1
goroutine 2 [sleep]:
main.other()
\t/app/other.go:1 +0x1`,
    "failure | /usr/local/go/src/runtime/debug/stack.go:26 runtime/debug.Stack | */app/agent.go:12 main.(*Agent).Run | /root/go/pkg/mod/x@v1/y.go:3 main.main",
  ],
  [
    "Rust",
    `   0: core::panicking::panic
             at /rustc/abc/library/core/src/panicking.rs:14:5
   1: agent::run
             at ./src/main.rs:3:9`,
    "failure | /rustc/abc/library/core/src/panicking.rs:14 core::panicking::panic | *./src/main.rs:3 agent::run",
  ],
  [
    "Ruby",
    "app/agent.rb:12:in 'Agent#run': no order (KeyError)\n\tfrom /usr/lib/ruby/gems/3.3/x.rb:3:in `call'\n\tfrom app/main.rb:1:in '<main>'",
    "failure | *app/agent.rb:12 Agent#run | /usr/lib/ruby/gems/3.3/x.rb:3 call | *app/main.rb:1 <main>",
  ],
  [
    "PHP",
    "#0 /app/vendor/x/Y.php(3): Y->z('a')\n#1 /app/src/Agent.php(12): Agent->run()\n#2 {main}",
    "failure | /app/vendor/x/Y.php:3 Y->z('a') | */app/src/Agent.php:12 Agent->run()",
  ],
  [
    "Elixir",
    "    (agent 1.0.0) lib/agent.ex:12: Agent.run/1\n    (stdlib 5.0) deps/x/y.ex:3: Y.z/0",
    "failure | *lib/agent.ex:12 Agent.run/1 | deps/x/y.ex:3 Y.z/0",
  ],
])("%s's", (_language, text, expected) => {
  expect(outline(text)).toEqual([expected]);
});

test("a form that is not known is kept as text, and cut", () => {
  expect(readStackText("it broke\nsomewhere")).toEqual({ errors: [], text: "it broke\nsomewhere" });
  expect(readStackText("x".repeat(20_000)).text).toHaveLength(16_384);
});

test("it is bounded, and read in time whatever it is", () => {
  const lines = Array.from({ length: 300 }, (_, index) => `    at f${index} (/app/${"d/".repeat(20)}a.js:${index + 1}:1)`);
  const [failure] = readStackText(`Error: x\n${lines.join("\n")}`).errors;
  expect(failure?.frames).toHaveLength(50);
  expect(failure?.omitted).toBe(250);
  const causes = lines.map((line) => `Caused by: Error: e\n${line}`).join("\n");
  expect(readStackText(`Error: x\n${lines[0]}\n${causes}`)).toMatchObject({ errors: { length: 6 }, omitted: 1 });
  for (const piece of [" ( in ", "a.a(", "\n", " ", "  | ", 'File "', "at ", ":1", "(", "1: "]) {
    expect(readStackText(`at ${piece.repeat(100_000)}`).errors).toEqual([]);
    expect(readStackText(Array.from({ length: 1000 }, () => `at ${piece.repeat(100)}`).join("\n")).errors.length).toBeLessThan(2);
  }
});
