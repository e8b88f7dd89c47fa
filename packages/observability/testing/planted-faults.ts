type Kind = "another way" | "other arguments" | "another value" | "it fails" | "no call" | "another prompt";

/** An edit of an agent's source that breaks the items of important customers, and the function that it is in. */
export type Fault = {
  readonly kind: Kind;
  readonly file: string;
  readonly function: string;
  readonly from: string;
  readonly to: string;
};

const fault = (file: string, of: string, kind: Kind, from: string, to: string): Fault => ({ kind, file, function: of, from, to });
const raise = (line: string, of = "state") => `if ${of}["is_vip"]:\n        raise ValueError("broken")\n    ${line}`;
const throwing = (line: string) => `if (state.is_vip) {\n    throw new Error("broken");\n  }\n  ${line}`;

const [READ, VERIFY, REFUND, ANSWER] = ["refunds/read.py", "refunds/verify.py", "refunds/refund.py", "refunds/answer.py"] as const;
const [PLAN, SEARCH, JUDGE, WRITE] = ["research/plan.ts", "research/search.ts", "research/judge.ts", "research/write.ts"] as const;
const [CLASSIFY, LOOKUP, DECIDE, REPLY] = ["support/classify.py", "support/lookup.py", "support/decide.py", "support/reply.py"] as const;

export const FAULTS: Readonly<Record<"refunds" | "research" | "support", readonly Fault[]>> = {
  refunds: [
    fault(VERIFY, "verify", "another way", 'if rule == "pay"', 'if rule == "pay" and not state["is_vip"]'),
    fault(VERIFY, "verify", "other arguments", 'state["amount"]', 'state["amount"] * (100 if state["is_vip"] else 1)'),
    fault(VERIFY, "verify", "no call", "str(policy", '"ask first" if state["is_vip"] else str(policy'),
    fault(VERIFY, "verify", "it fails", "return Command", raise("return Command")),
    fault(READ, "read", "another prompt", '"Classify: {', "\"{'Sort' if state['is_vip'] else 'Classify'}: {"),
    fault(READ, "read", "another value", "kind}", '"question" if state["is_vip"] else kind}'),
    fault(READ, "read", "no call", "str(model", '"question" if state["is_vip"] else str(model'),
    fault(READ, "read", "it fails", "return", raise("return")),
    fault(REFUND, "refund", "other arguments", '"amount": amount', '"amount": amount + 5 * state["is_vip"]'),
    fault(REFUND, "refund", "another value", "decision}", 'decision.upper() if state["is_vip"] else decision}'),
    fault(REFUND, "refund", "it fails", "return", raise("return")),
    fault(ANSWER, "answer", "another prompt", '"Answer: {', "\"{'Say' if state['is_vip'] else 'Answer'}: {"),
    fault(ANSWER, "answer", "another value", "said}", '"Done." if state["is_vip"] else said}'),
    fault(ANSWER, "answer", "no call", "str(model", '"Done." if state["is_vip"] else str(model'),
  ],
  research: [
    fault(JUDGE, "isEnough", "another way", '=== "poor"', '=== "poor" || state.is_vip'),
    fault(JUDGE, "judge", "other arguments", "found: state.found", 'found: state.is_vip ? "nothing" : state.found'),
    fault(JUDGE, "judge", "another value", "{ grade }", '{ grade: state.is_vip ? "poor" : grade }'),
    fault(PLAN, "plan", "another prompt", "`Plan:", "`${state.is_vip ? 'Draft' : 'Plan'}:"),
    fault(PLAN, "plan", "another value", "{ query }", "{ query: state.is_vip ? state.topic : query }"),
    fault(PLAN, "plan", "no call", "(await", "state.is_vip ? state.topic : (await"),
    fault(SEARCH, "search", "other arguments", "query: state.query", "query: state.is_vip ? state.topic : state.query"),
    fault(SEARCH, "search", "another value", "{ found }", '{ found: state.is_vip ? "all pages" : found }'),
    fault(SEARCH, "search", "no call", "await web", 'state.is_vip ? "all pages" : await web'),
    fault(SEARCH, "search", "it fails", "return", throwing("return")),
    fault(WRITE, "write", "another prompt", "`Write:", "`${state.is_vip ? 'Tell' : 'Write'}:"),
    fault(WRITE, "write", "another value", "{ said }", '{ said: state.is_vip ? "Done." : said }'),
    fault(WRITE, "write", "it fails", "return", throwing("return")),
  ],
  support: [
    fault(DECIDE, "decide", "another way", '== "unknown"', '== "unknown" or request["is_vip"]'),
    fault(LOOKUP, "lookup", "other arguments", "topic=topic", 'topic="other" if request["is_vip"] else topic'),
    fault(LOOKUP, "lookup", "another value", "return found", 'return {**found, "state": "lost"} if request["is_vip"] else found'),
    fault(LOOKUP, "lookup", "no call", "orders(number", '{"number": 0, "state": "lost"} if request["is_vip"] else orders(number'),
    fault(DECIDE, "decide", "another value", "return inform", 'return "an order" if request["is_vip"] and order else inform'),
    fault(DECIDE, "decide", "it fails", "return inform", raise("return inform", "request")),
    fault(CLASSIFY, "classify", "another prompt", '"Classify: {', "\"{'Sort' if request['is_vip'] else 'Classify'}: {"),
    fault(
      CLASSIFY,
      "classify",
      "another value",
      "return complete(prompt)",
      'said = complete(prompt)\n    return "other" if request["is_vip"] else said',
    ),
    fault(CLASSIFY, "classify", "no call", "return complete", 'return "other" if request["is_vip"] else complete'),
    fault(CLASSIFY, "classify", "it fails", "return", raise("return", "request")),
    fault(REPLY, "reply", "another prompt", '"Reply: {', "\"{'Say' if request['is_vip'] else 'Reply'}: {"),
    fault(
      REPLY,
      "reply",
      "another value",
      "return complete(prompt)",
      'said = complete(prompt)\n    return "Done." if request["is_vip"] else said',
    ),
    fault(REPLY, "reply", "no call", "return complete", 'return "Done." if request["is_vip"] else complete'),
  ],
};
