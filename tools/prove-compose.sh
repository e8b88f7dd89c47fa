#!/bin/sh
# Starts compose.yaml with secrets of its own, and looks that all is healthy and that no container has more than it needs. Needs Docker; builds the image.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
compose() { docker compose --project-name sightline-prove --env-file "$folder/env" "$@"; }
trap 'compose down --volumes --timeout 20; rm -r "$folder"' EXIT
for name in SECRET_KEY CODEINDEX_WEBHOOK_SECRET POSTGRES_PASSWORD ACCOUNTS_POSTGRES_PASSWORD CODEINDEX_POSTGRES_PASSWORD REDIS_PASSWORD; do
  echo "$name=$(openssl rand -hex 32)"
done > "$folder/env"
echo "API_KEY=studio_$(openssl rand -hex 32)" >> "$folder/env"
for name in ENCRYPTION_KEYS CODEINDEX_ENCRYPTION_KEYS; do echo "$name=k1:$(openssl rand -hex 32)"; done >> "$folder/env"
printf 'ADMIN_EMAIL=ada@example.org\nADMIN_PASSWORD=%s\n' "$(openssl rand -hex 12)" >> "$folder/env"
compose up --build --detach --wait --wait-timeout 300
for path in health api/identity/health api/code-index/health api/observability/health; do curl --fail -sS "http://127.0.0.1:3000/$path"; echo; done
for role in console indexer consumer; do
  if compose exec "$role" env | grep -E '^(SECRET_KEY|ENCRYPTION_KEYS|API_KEY)='; then echo "$role holds a key of another" >&2; exit 1; fi
  if compose exec "$role" touch /app/written 2> /dev/null; then echo "$role may write to its program" >&2; exit 1; fi
done
compose run --rm operator admin list
