import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { promptVersionQuery } from "#features/prompts/api/prompts.ts";

/** A version, given as `name@version`, with the way to its page as long as the project has it. */
export function PromptLink({ projectId, prompt }: { readonly projectId: string; readonly prompt: string }) {
  const [, name = "", version = ""] = /^(.*)@(\d+)$/s.exec(prompt) ?? [];
  const { data: found } = useQuery({ ...promptVersionQuery(projectId, name, Number(version)), enabled: name !== "", retry: false });
  return found === undefined ? (
    prompt
  ) : (
    <Link to="/projects/$projectId/prompts/$promptId" params={{ projectId, promptId: found.prompt_id }} search={{ version }}>
      {prompt}
    </Link>
  );
}
