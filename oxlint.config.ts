import { defineConfig } from "oxlint";
import { borders } from "./tools/borders.ts";

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    "no-console": "error",
    "no-await-in-loop": "off",
    "import/no-default-export": "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-unassigned-import": "off",
    "no-underscore-dangle": "off",
    "max-lines": ["error", { max: 300 }],
    "prefer-const": "error",
    eqeqeq: "error",
    "node/no-process-env": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": ["error", { checksVoidReturn: { attributes: false } }],
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/only-throw-error": "error",
    "unicorn/no-array-sort": "error",
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "unicorn/consistent-function-scoping": "off",
    // About windows; the messages here go to threads, which have no origin.
    "unicorn/require-post-message-target-origin": "off",
    "promise/always-return": "off",
    // About Express; Fastify awaits its handlers.
    "oxc/no-async-endpoint-handlers": "off",
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "expect*"] }],
    "typescript/no-unsafe-type-assertion": "off",
  },
  ignorePatterns: ["**/node_modules/**", "**/dist/**", "e2e/output/**"],
  overrides: [
    ...borders,
    {
      // A table is read at one go, however long it is.
      files: ["tools/rooms.ts"],
      rules: { "max-lines": "off" },
    },
    {
      files: ["*.config.ts", "**/*.config.ts"],
      rules: { "import/no-default-export": "off" },
    },
    {
      files: ["apps/console/**/*.tsx", "apps/console/**/*.ts"],
      plugins: ["react", "jsx-a11y"],
      rules: {
        "react/react-in-jsx-scope": "off",
        // Trees, statuses and scrolling regions have no tag of their own that a component library could take.
        "jsx-a11y/prefer-tag-over-role": "off",
        // The login and the search begin with their one field.
        "jsx-a11y/no-autofocus": "off",
        // What scrolls must be reachable by keyboard (axe: scrollable-region-focusable).
        "jsx-a11y/no-noninteractive-tabindex": "off",
      },
    },
    {
      files: [
        "apps/platform/**",
        "e2e/**",
        "bench/**",
        "packages/code-index/evaluation/**",
        "tools/**",
        "**/testing/**",
        "**/*.test.{ts,tsx}",
        "vitest.config.ts",
      ],
      rules: { "no-console": "off", "node/no-process-env": "off" },
    },
    {
      // Programs as users write them, who know the SDK by its name.
      files: ["packages/sdk/examples/**", "packages/sdk/testing/faulty-agents/**"],
      rules: { "no-console": "off", "node/no-process-env": "off", "no-restricted-imports": "off" },
    },
  ],
});
