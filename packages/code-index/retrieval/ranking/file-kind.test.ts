import { expect, test } from "vitest";
import type { FileKind } from "#contract.ts";
import { findFileKind } from "./file-kind.ts";

test.for([
  ["src/Polly.Core.Tests/Retry.cs", "test"],
  ["Tests/KingfisherTests/Cache.swift", "test"],
  ["library/src/androidTest/java/A.kt", "test"],
  ["lib/integration_test/a.dart", "test"],
  ["test_suite/tests/a.rs", "test"],
  ["benches/scan.rs", "test"],
  ["bench/main.c", "test"],
  ["pkg/conftest.py", "test"],
  ["pkg/a_test.go", "test"],
  ["src/RetrySpec.scala", "test"],
  ["_examples/hello/main.go", "example"],
  ["Example/App/Main.swift", "example"],
  ["Polly.Samples/Program.cs", "example"],
  ["pkg/static/js/app.js", "generated"],
  ["web/dist/a.js", "generated"],
  ["Docs/guide.html", "document"],
  ["README.md", "document"],
  ["share/man/man1/tool.1", "document"],
  ["features/cache.feature", "test"],
  ["fuzzing/parse.cpp", "test"],
  [".gitignore", "data"],
  [".github/workflows/build.yml", "data"],
  ["rollup.config.mjs", "data"],
  ["App/App.csproj", "data"],
  ["patches/3.8.10/fix.patch", "data"],
  ["share/python-build/3.12-dev", "data"],
  ["types/a.d.ts", "declaration"],
  ["deps/lua/lua.c", "vendored"],
  ["third-party/a.c", "vendored"],
  ["shared/src/commonMain/kotlin/com/acme/samples/cart/Cart.kt", "source"],
  ["src/latest/contest.ts", "source"],
  ["src/testify/suite.go", "source"],
  ["src/attest.rs", "source"],
  ["src/config.ts", "source"],
  ["src/user.config/load.ts", "source"],
  ["bin/tool", "source"],
  ["lib/parser.y", "source"],
  ["src/static/resolve.ts", "source"],
  ["src/deps/graph.rs", "source"],
] as const)("%s is for %s", ([path, kind]) => {
  expect(findFileKind(path)).toBe(kind);
});

/** Of some fifty repositories, by what each of them is there. */
const REAL_PATHS: Readonly<Record<FileKind, string>> = {
  source: `
    src/AutoMapper/Internal/TypeDetails.cs src/AutoMapper/ApiCompat/PreBuild.sh Build.ps1 helpers/helpers.cjs src/core/core.config.js
    src/helpers/helpers.config.ts src/Node/Expression/Test/DefinedTest.php src/Node/Expression/Test/EvenTest.php src/TwigTest.php
    src/Test/IntegrationTestCase.php extra/twig-extra-bundle/Resources/config/suggestor.php Slim/Factory/Psr17/Psr17Factory.php cmd/asdf/main.go
    internal/completions/asdf.elvish scripts/checkstyle.py defaults src/algo/indexbyte2_arm64.s src/tui/light.go install uninstall
    shell/key-bindings.zsh bin/fzf-tmux plugin/fzf.vim lua/gitsigns/inspect.lua src/helper/conninfo/index.ts src/middleware/serve-static/index.ts
    build/build.ts build/main.rs build/syntax_mapping.rs src/bin/bat/main.rs src/assets/build_assets.rs src/vscreen.rs src/body/incoming.rs
    src/proto/h1/conn.rs src/jinja2/debug.py src/werkzeug/test.py src/werkzeug/testapp.py src/werkzeug/debug/tbtools.py src/marshmallow/validate.py
    src/builtin.jq src/builtin.c src/parser.y src/lexer.l scripts/crosscompile src/main/java/org/jsoup/select/NodeFilter.java
    src/main/java/org/springframework/samples/petclinic/owner/Owner.java moshi/src/main/java16/com/squareup/moshi/internal/RecordJsonAdapter.kt
    retrofit-mock/src/main/java/retrofit2/mock/MockRetrofit.java db/builder.cc db/skiplist.h helpers/memenv/memenv.cc include/leveldb/slice.h
    util/testutil.cc build.zig src/c_api.zig src/queue_mpsc.zig flake.nix src/elide_middle.cc src/clean.cc lib/mix/tasks/oban.install.ex
    lib/oban/testing.ex lib/oban/migrations/postgres/v03.ex lib/plug/test.ex lib/phoenix/test/conn_test.ex bin/puma-wild bin/pumactl
    ext/puma_http11/http11_parser.rl lib/sidekiq/test_api.rb lib/sidekiq/testing.rb lib/sidekiq/testing/inline.rb bare/boot.rb
    web/views/metrics.html.erb include/spdlog/async.h src/async.cpp completion/zsh/_task internal/term/term.go compat/strtonum.c tools/256colors.pl
    cmd-parse.y window-copy.c project/Dependencies.scala scalafmt-core/shared/src/main/scala/org/scalafmt/util/StyleMap.scala src/ShellCheck/Checker.hs
    Sources/General/Kingfisher.swift Package.swift source/core/timed-out.ts middleware/static_other.go rfc9457.go`,
  test: `
    src/AutoMapper.DI.Tests/Profiles.cs src/IntegrationTests/BuiltInTypes/Enums.cs src/Benchmark/BenchEngine.cs test/seed-reporter.cjs
    test/fixtures/controller.bar/bar-base-value.js Tests/KingfisherTests/ImagePrefetcherTests.swift
    Tests/Dependency/Nocilla/Nocilla/Matchers/LSRegexMatcher.m internal/hook/testdata/asdfrc test/install_command.bats
    tests/syntax-tests/source/Go/go.mod tests/examples/git/.gitconfig benchmarks/jsx/yarn.lock runtime-tests/deno/ssg.test.tsx
    src/router/reg-exp-router/router.test.ts benches/body.rs tests/h1_server/mod.rs src/client/tests.rs tests/middleware/test_http_proxy.py
    tests/res/templates/broken.html tests/modules/a.jq src/jq_test.c projects/core/koin-core/src/commonTest/resources/koin.properties
    projects/core/benchmark/src/commonMain/kotlin/org/koin/benchmark/classes.kt src/test/java/org/jsoup/nodes/ElementTest.java benchmarks/db_bench.cc
    db/c_test.c test/regress_et.c bench/bench_helper.exs test/support/worker.ex test/oban/peer_test.exs benchmarks/local/sinatra/Gemfile
    test/helpers/test_puma/response.rb test/lib/common.rb retrofit/android-test/build.gradle testdata/watch/Taskfile.yaml regress/combine-test.sh
    regress/conf/327af72ad372255817b585a74da06eda.conf fuzz/input-fuzzer.c src/bench/async1.zig
    scalafmt-tests/shared/src/test/scala/org/scalafmt/FidelityTest.scala tests/Node/BlockTest.php extra/cache-extra/Tests/FunctionalTest.php
    _fixture/index.html internal/testutil/filepath.go viper_test.go polls/tests.py src/hash_collision_bench.cc`,
  document: `
    CHANGES CHANGES.rst ChangeLog ChangeLog-2.0 CHANGELOG NEWS HISTORY.rst TODO COPYING cmake/COPYING-CMAKE-SCRIPTS INSTALL README license LICENSE-MIT
    NOTICE AUTHORS KEYS MAINTAINERS src/third_party_notes/README.ninja CONTRIBUTING.adoc docs/Makefile docs/make.bat docs/conf.py docs/test.rst
    doc/manual.asciidoc doc/_build/build.php man/man1/fzf-tmux.1 website/Taskfile.yml website/theme.config.jsx docs/xev-zig.7.scd
    Sources/Documentation.docc/Resources/code-files/02-ContentView-10.swift docs/.vuepress/styles/index.styl docs/content/manual/dev/manual.yml
    sig/v1.5rc2/sha256sum.txt LICENSE.txt`,
  data: `
    Makefile cmd/Makefile Makefile.am include/include.am configure.ac m4/ax_check_funcs_ex.m4 CMakeLists.txt cmake/AddLinkerFlags.cmake Dockerfile
    Dockerfile.multi-arch Gemfile Rakefile fastlane/Fastfile Doxyfile myapp/Procfile build.gradle projects/gradle/signing.gradle.kts build.sbt
    project/plugins.sbt build.zig.zon jq.spec misc/packaging/ninja.spec extra/lsan.supp locale/de/LC_MESSAGES/django.po priv/gettext/errors.pot
    moshi/src/main/resources/META-INF/proguard/moshi.pro PrivacyInfo.xcprivacy Kingfisher.xcodeproj/project.pbxproj
    Kingfisher.xcodeproj/project.xcworkspace/contents.xcworkspacedata assets/themes/ansi.tmTheme assets/syntaxes/Apache.sublime-syntax
    Serilog.sln.DotSettings rollup.config.js vitest.config.ts .github/workflows/test.yml .clang-tidy .credo.exs .php-cs-fixer.dist.php
    extra/cssinliner-extra/phpunit.xml.dist staticcheck.conf go.mod go.sum yarn.lock assets/patches/Lisp.sublime-syntax.patch requirements.txt
    requirements-dev.txt scripts/sample-redirect-template.html src/werkzeug/debug/shared/style.css sidekiq.gemspec ShellCheck.cabal
    src/syntax_mapping/builtins/common/50-citation.toml`,
  example: `
    examples/http_proxy.rs capi/examples/client.c sample/hostcheck.h example/example.cpp examples/webui-ext/web/assets/redis_info/js/ext.js
    documentation/examples/pagination.js src/main/java/org/jsoup/examples/ListLinks.java
    examples/src/main/java/com/squareup/moshi/recipes/FromJsonWithoutStrings.java
    examples/androidx-samples/src/main/java/org/koin/sample/sandbox/mvvm/MVVMActivity.kt Demo/Demo/Kingfisher-Demo/LaunchScreen.storyboard
    examples/coolmagic/public/style.css examples/README`,
  generated: `
    src/tui/eventtype_string.go projects/gradlew.bat gradlew web/assets/javascripts/application.js web/assets/javascripts/chart.min.js
    website/static/bootstrap.min.js build/react.js perf-measures/type-check/generated/client.ts dist/public/index.html`,
  declaration: `
    auto/auto.d.ts src/types/basic.d.ts src/adapter/deno/deno.d.ts`,
  vendored: `
    vendor/decNumber/decBasic.c src/third_party/emhash/hash_table8.hpp src/third_party/rapidhash/README.ninja third_party/googletest`,
};

test.for(Object.entries(REAL_PATHS))("real paths: %s", ([kind, paths]) => {
  const listed = paths.trim().split(/\s+/);
  expect(listed.filter((path) => findFileKind(path) !== kind).map((path) => `${path} is taken for ${findFileKind(path)}`)).toEqual([]);
});
