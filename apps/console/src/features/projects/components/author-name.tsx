import { useQuery } from "@tanstack/react-query";
import { personQuery } from "#features/projects/api/members.ts";
import { SafeText } from "#ui/words/safe-text.tsx";

/** Who made something in a project: a person, an API key, or the operator's key. */
export function AuthorName({ author }: { readonly author: string }) {
  const isPerson = author !== "operator" && !author.startsWith("key:");
  const { data: name } = useQuery({ ...personQuery(author), enabled: isPerson });
  if (!isPerson) {
    return author === "operator" ? "the operator" : "an API key";
  }
  return name === null ? "a former account" : <SafeText text={name ?? "…"} />;
}
