import { Select, Stack, TextInput, Textarea } from "@mantine/core";
import { type ChangeRepositoryRequest, type Repository, changeRepositoryRequestSchema } from "@sightline/code-index/contract";
import { typedInto } from "#ui/kit/typed-into.ts";
import monospace from "#ui/kit/monospace.module.css";
import { splitLines, splitNames } from "#features/repositories/patterns.ts";

/** The settings as they are typed. */
export type SettingsText = {
  readonly cloneUrl: string;
  readonly branches: string;
  readonly include: string;
  readonly exclude: string;
  readonly credentialId: string | null;
};

export type CredentialChoice = { readonly id: string; readonly name: string; readonly host: string };

export const NO_SETTINGS: SettingsText = { cloneUrl: "", branches: "", include: "", exclude: "", credentialId: null };

export function settingsText(repository: Repository): SettingsText {
  return {
    cloneUrl: repository.clone_url,
    branches: repository.branches.join(", "),
    include: repository.include.join("\n"),
    exclude: repository.exclude.join("\n"),
    credentialId: repository.credential_id,
  };
}

export function readSettings({ cloneUrl, branches, include, exclude, credentialId }: SettingsText): ChangeRepositoryRequest {
  return {
    ...(cloneUrl.trim() === "" ? {} : { clone_url: cloneUrl.trim() }),
    branches: splitNames(branches),
    include: splitLines(include),
    exclude: splitLines(exclude),
    credential_id: credentialId,
  };
}

/** The first thing wrong with each setting, by its name in the API. */
export function settingsProblems(settings: ChangeRepositoryRequest): ReadonlyMap<string, string> {
  const issues = changeRepositoryRequestSchema.safeParse(settings).error?.issues ?? [];
  return new Map(issues.toReversed().map(({ path: [name = ""], message }) => [String(name), message]));
}

type FieldsProps = {
  readonly text: SettingsText;
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (text: SettingsText) => void;
};

/** Where it is fetched from. */
export function SourceFields({
  text,
  problems,
  credentials,
  placeholderUrl,
  onChange,
}: FieldsProps & {
  /** None for who may not see them. */
  readonly credentials: readonly CredentialChoice[];
  /** Where an empty clone URL leads; left out where there has to be one. */
  readonly placeholderUrl?: string;
}) {
  return (
    <Stack gap="md">
      <TextInput
        label="Clone URL"
        description={placeholderUrl === undefined ? "Where git fetches from" : "Leave empty to fetch it from GitHub by its name"}
        placeholder={placeholderUrl}
        {...typedInto(text.cloneUrl, (next) => onChange({ ...text, cloneUrl: next }))}
        error={problems.get("clone_url")}
        autoCapitalize="off"
        spellCheck={false}
      />
      {credentials.length > 0 && (
        <Select
          label="Credential"
          description="For a private repository"
          placeholder="The host's credential, if there is one"
          clearable
          clearButtonProps={{ "aria-label": "Use the host's credential" }}
          data={credentials.map(({ id, name, host }) => ({ value: id, label: `${name} (${host})` }))}
          value={text.credentialId}
          onChange={(credentialId) => onChange({ ...text, credentialId })}
        />
      )}
    </Stack>
  );
}

/** What of it is indexed. */
export function SelectionFields({ text, problems, onChange }: FieldsProps) {
  return (
    <Stack gap="md">
      <TextInput
        label="More branches"
        description="Indexed in addition to the default one, separated by commas"
        placeholder="release/1.x, next"
        {...typedInto(text.branches, (next) => onChange({ ...text, branches: next }))}
        error={problems.get("branches")}
        autoCapitalize="off"
        spellCheck={false}
      />
      <Textarea
        label="Leave out"
        description="Patterns as in .gitignore, one per line"
        placeholder={"*.snap\n/fixtures/"}
        rows={3}
        classNames={{ input: monospace.input }}
        {...typedInto(text.exclude, (next) => onChange({ ...text, exclude: next }))}
        error={problems.get("exclude")}
        spellCheck={false}
      />
      <Textarea
        label="Only"
        description="If set, only matching files are indexed"
        rows={2}
        classNames={{ input: monospace.input }}
        {...typedInto(text.include, (next) => onChange({ ...text, include: next }))}
        error={problems.get("include")}
        spellCheck={false}
      />
    </Stack>
  );
}
