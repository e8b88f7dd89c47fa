/** How an agent in one language is set up: the command that installs the SDK from the console at `origin`, a program that runs as it is, and how. */
export type LanguageSetUp = {
  readonly install: (origin: string) => string;
  readonly file: string;
  readonly code: string;
  readonly run: string;
  /** The variable with a provider's key, where the program calls a model. */
  readonly providerKey: string | undefined;
};

/** What of ours and of others a program imports, what it does between start and end, and by which provider's key. */
type Program = { readonly packages: string; readonly imports: string; readonly work: string; readonly providerKey?: string };

function inPython({ packages, imports, work, providerKey }: Program): LanguageSetUp {
  return {
    // Many systems refuse to install packages outside of an environment.
    install: (origin) => `python3 -m venv .venv && . .venv/bin/activate
pip install ${`${origin}/sdk/sightline-sdk.tar.gz ${packages}`.trimEnd()}`,
    file: "agent.py",
    code: `${imports}

sightline.initialize_redis_publisher().wait()  # reads the OBS_ variables
sightline.wrap_llm_adapter()  # also records prompts and answers of models

${work}

sightline.close_redis_publisher().wait()  # sends what is left`,
    run: "set -a; . ./.env; set +a; python agent.py",
    providerKey,
  };
}

function inTypeScript({ packages, imports, work, providerKey }: Program): LanguageSetUp {
  return {
    // Below another package.json, npm installs into that one.
    install: (origin) =>
      `mkdir my-agent && cd my-agent && npm init -y
npm install ${origin}/sdk/sightline-sdk.tgz ${packages}`.trimEnd(),
    file: "agent.mjs",
    code: `import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
${imports}

await initializeRedisPublisher(); // reads the OBS_ variables
wrapLlmAdapter(); // also records prompts and answers of models

${work}

await closeRedisPublisher(); // sends what is left`,
    run: "node --env-file=.env agent.mjs",
    providerKey,
  };
}

export type Language = "python" | "typescript";

export const LANGUAGES: readonly { readonly value: Language; readonly label: string }[] = [
  { value: "python", label: "Python" },
  { value: "typescript", label: "TypeScript" },
];

/** The instructions by the library that an agent is made with, in each of its languages. */
export const SET_UPS: readonly { readonly id: string; readonly label: string; readonly in: Partial<Record<Language, LanguageSetUp>> }[] = [
  {
    id: "langgraph",
    label: "LangGraph",
    in: {
      python: inPython({
        packages: "langgraph",
        imports: `import sightline
from langgraph.graph import START, MessagesState`,
        work: `graph = sightline.create_traced_graph(MessagesState, trace_name="my-agent")
graph.add_node("answer", lambda state: {"messages": [("ai", "Hello!")]})
graph.add_edge(START, "answer")
graph.compile().invoke({"messages": [("human", "Hello?")]})`,
      }),
      typescript: inTypeScript({
        packages: "@langchain/langgraph @langchain/core",
        imports: `import { createTracedGraph } from "@sightline/sdk/langgraph";
import { MessagesAnnotation, START } from "@langchain/langgraph";`,
        work: `const agent = createTracedGraph(MessagesAnnotation, { traceName: "my-agent" })
  .addNode("answer", async () => ({ messages: [{ role: "assistant", content: "Hello!" }] }))
  .addEdge(START, "answer")
  .compile();
await agent.invoke({ messages: [{ role: "user", content: "Hello?" }] });`,
      }),
    },
  },
  {
    id: "langchain",
    label: "LangChain",
    in: {
      python: inPython({
        packages: "langchain-openai",
        imports: `import sightline
from langchain_openai import ChatOpenAI`,
        work: `model = ChatOpenAI(model="gpt-5-mini")
model.invoke("Hello?", {"callbacks": [sightline.callback_handler("my-agent")]})`,
        providerKey: "OPENAI_API_KEY",
      }),
      typescript: inTypeScript({
        packages: "@langchain/core @langchain/openai",
        imports: `import { createCallbackHandler } from "@sightline/sdk/langchain";
import { ChatOpenAI } from "@langchain/openai";`,
        work: `const model = new ChatOpenAI({ model: "gpt-5-mini" });
await model.invoke("Hello?", { callbacks: [createCallbackHandler({ traceName: "my-agent" })] });`,
        providerKey: "OPENAI_API_KEY",
      }),
    },
  },
  {
    id: "openai",
    label: "OpenAI",
    in: {
      python: inPython({
        packages: "openai",
        imports: `import sightline
from openai import OpenAI`,
        work: `openai = sightline.wrap_openai(OpenAI())
openai.chat.completions.create(model="gpt-5-mini", messages=[{"role": "user", "content": "Hello?"}])`,
        providerKey: "OPENAI_API_KEY",
      }),
      typescript: inTypeScript({
        packages: "openai",
        imports: `import { wrapOpenAI } from "@sightline/sdk/openai";
import OpenAI from "openai";`,
        work: `const openai = wrapOpenAI(new OpenAI());
await openai.chat.completions.create({ model: "gpt-5-mini", messages: [{ role: "user", content: "Hello?" }] });`,
        providerKey: "OPENAI_API_KEY",
      }),
    },
  },
  {
    id: "anthropic",
    label: "Anthropic",
    in: {
      python: inPython({
        packages: "anthropic",
        imports: `import sightline
from anthropic import Anthropic`,
        work: `anthropic = sightline.wrap_anthropic(Anthropic())
anthropic.messages.create(model="claude-haiku-4-5", max_tokens=100, messages=[{"role": "user", "content": "Hello?"}])`,
        providerKey: "ANTHROPIC_API_KEY",
      }),
      typescript: inTypeScript({
        packages: "@anthropic-ai/sdk",
        imports: `import { wrapAnthropic } from "@sightline/sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";`,
        work: `const anthropic = wrapAnthropic(new Anthropic());
await anthropic.messages.create({ model: "claude-haiku-4-5", max_tokens: 100, messages: [{ role: "user", content: "Hello?" }] });`,
        providerKey: "ANTHROPIC_API_KEY",
      }),
    },
  },
  {
    id: "ai-sdk",
    label: "AI SDK",
    in: {
      typescript: inTypeScript({
        // Where Node is older than version 7 asks for, npm takes an older one, whose operations can't be seen.
        packages: "ai@7 @ai-sdk/openai@4",
        imports: `import { traceAiSdk } from "@sightline/sdk/ai-sdk";
import { openai } from "@ai-sdk/openai";
import { generateText } from "ai";`,
        work: `traceAiSdk();
await generateText({ model: openai("gpt-5-mini"), prompt: "Hello?" });`,
        providerKey: "OPENAI_API_KEY",
      }),
    },
  },
  {
    id: "plain",
    label: "Plain",
    in: {
      python: inPython({
        packages: "",
        imports: "import sightline",
        work: `@sightline.observe(kind="retriever")
def find_orders(customer):
    return ["A-1"]

with sightline.trace("my-agent", input="Hello?") as run:
    run.output = f"Hello! {len(find_orders(7))} order"`,
      }),
      typescript: inTypeScript({
        packages: "",
        imports: `import { observe, trace } from "@sightline/sdk";`,
        work: `const orders = () => observe({ name: "find orders", kind: "retriever", input: { customer: 7 } }, async () => ["A-1"]);
await trace({ name: "my-agent", input: "Hello?" }, async () => \`Hello! \${(await orders()).length} order\`);`,
      }),
    },
  },
];
