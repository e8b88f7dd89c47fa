import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { outlineQuery } from "#features/code/api/files.ts";
import { pickDefinitions, symbolsQuery } from "#features/code/api/symbols.ts";
import { fileLink } from "#features/code/model/file-link.ts";
import { codeRunsQuery } from "#features/traces/api/code-runs.ts";
import { runMarks } from "#features/traces/details/run-marks.ts";
import type { FileAddress, RepositoryFile } from "./use-file-address.ts";

/** The names in a file that can be followed, and the lines that traces ran. */
export function useFileNames({ repository, path }: RepositoryFile, { at, ref, showName }: FileAddress, commit: string) {
  const outline = useQuery(outlineQuery({ id: repository.id, ref }, path));
  // They are of the indexed commit, and stand elsewhere in the file of another.
  const definitions = useMemo(() => (at === undefined ? (outline.data?.symbols ?? []) : []), [at, outline.data]);
  const names = useMemo(
    () => ({ own: new Set(definitions.map(({ name }) => name)), used: new Set(outline.data?.names) }),
    [definitions, outline.data],
  );
  const runs = useQuery(codeRunsQuery({ repo: repository.full_name, path, lines: undefined }));
  const marks = useMemo(() => runMarks(runs.data?.items ?? [], { commit, definitions }), [runs.data, commit, definitions]);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const follow = async (name: string, position: string) => {
    // Where it can't be looked up, the panel says why.
    const found = await queries.fetchQuery(symbolsQuery(name, { repo: repository.full_name, ref, position })).catch(() => undefined);
    const [definition] = pickDefinitions(name, path, found?.symbols ?? []);
    return definition === undefined
      ? showName(name, position)
      : navigate(fileLink({ ...definition, end_line: definition.start_line }, ref !== undefined));
  };
  return { names, marks, follow };
}
