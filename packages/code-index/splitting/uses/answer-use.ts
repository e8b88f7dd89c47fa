import { parseSource } from "#splitting/parse-source.ts";
import { readSourceText } from "#splitting/source-text.ts";
import type { Grammar } from "#splitting/grammars.ts";
import { explainExport, type ExplainedExport } from "./explain-export.ts";
import { explainMembers, type ExplainedMembers, type MembersPlace } from "./explain-members.ts";
import { explainType, type ExplainedType } from "./explain-type.ts";
import { explainUse, type ExplainedUse, type UsePlace } from "./explain-use.ts";

/** What is asked of a file: what a use is, what the type of a definition is, or what a definition has and extends. */
export type UseQuestion =
  | { readonly ask: "use"; readonly place: UsePlace }
  | { readonly ask: "type"; readonly place: UsePlace }
  | { readonly ask: "export"; readonly name: string }
  | ({ readonly ask: "members" } & MembersPlace);

export type UseAnswer = {
  readonly use?: ExplainedUse;
  readonly type?: ExplainedType | undefined;
  readonly members?: ExplainedMembers;
  readonly export?: ExplainedExport;
};

/** Answers what a file's syntax tells; empty where it is too large, or the grammar can't read it. */
export function answerUse(text: string, language: string, question: UseQuestion, grammar: Grammar): UseAnswer {
  const source = readSourceText(Buffer.from(text));
  const parsed = source.text.length > grammar.maxBytes ? undefined : parseSource(source, grammar);
  if (parsed === undefined) {
    return {};
  }
  const file = { root: parsed.tree.rootNode, text: source.text, language };
  try {
    if (file.root.type === "ERROR") {
      return {};
    }
    switch (question.ask) {
      case "use":
        return { use: explainUse(file, grammar.names, question.place) };
      case "type":
        return { type: explainType(file, question.place) };
      case "export":
        return { export: explainExport(file, question.name) };
      case "members":
        return { members: explainMembers(file, question) };
      default:
        return question satisfies never;
    }
  } finally {
    parsed.tree.delete();
  }
}
