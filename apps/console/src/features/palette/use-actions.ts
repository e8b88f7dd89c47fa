import { useMantineColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";

export type Action = { readonly label: string; readonly words: string; readonly keys?: string; readonly run: () => void };

export function useActions({
  isAdmin,
  onKeyboardMap,
  onLogOut,
}: {
  readonly isAdmin: boolean;
  readonly onKeyboardMap: () => void;
  readonly onLogOut: () => void;
}): readonly Action[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return [
    { label: "Create a project", words: "new add agent", run: () => void navigate({ to: "/projects", search: { new: "1" } }) },
    ...(isAdmin
      ? [
          {
            label: "Register a repository",
            words: "new add create index git",
            run: () => void navigate({ to: "/code/repos", search: { register: "1" } }),
          },
          {
            label: "Create a developer token",
            words: "new add mcp assistant key",
            run: () => void navigate({ to: "/code/connect", search: { new: "1" } }),
          },
        ]
      : []),
    { label: "Use the light theme", words: "switch colour appearance", run: () => setColorScheme("light") },
    { label: "Use the dark theme", words: "switch colour appearance night", run: () => setColorScheme("dark") },
    { label: "Use the system's theme", words: "switch colour appearance auto", run: () => setColorScheme("auto") },
    { label: "Show the keyboard map", words: "shortcuts single keys help off", keys: "?", run: onKeyboardMap },
    { label: "Log out", words: "sign out end session leave", run: onLogOut },
  ];
}
