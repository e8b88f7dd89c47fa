from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Parts that no harmless key contains, wherever they stand: `DB_PASSWORD`, `userpassword`, `x-api-key`, `XAPIKEY`.
_ANYWHERE = re.compile(
    r"passw(?:or)?d(?!less)|passphrase|secret(?!ar)|api_?key|authorization|credential"
    r"|(?:private|access|signing|encryption|master|shared|account|auth|host|ssh)_?key(?!_?id|s?_?count)"
    r"|connection_?string|credit_?card|card_?number"
)
# Short names are secret only as a word of their own.
_WORDS = re.compile(r"(?:^|_)(?:pwd|pass|otp|totp|ssn|cvv|cvc|jwt|bearer|cookies?)(?:_|$)|^auth$")
_TOKENS = re.compile(r"tokens?$")
# Most keys have none of these, which is found in a fraction of the time that the rest takes.
_SUSPICIOUS = re.compile(
    r"pass|pw|secret|key|auth|cookie|cred|card|bearer|otp|ssn|token|jwt|cv[vc]|connection|[^ -~]", re.IGNORECASE
)
_MAX_KEY_LENGTH = 256


@lru_cache(maxsize=4000)
def is_secret_key(key: str) -> bool:
    """Whether values under this key are masked: `apiKey`, `api_key`, `x-api-key`; not `keyboard`, `passwordless`, `author`."""
    if not _SUSPICIOUS.search(key):
        return False
    if len(key) > _MAX_KEY_LENGTH:
        key = f"{key[:_MAX_KEY_LENGTH]}_{key[-_MAX_KEY_LENGTH:]}"
    # Full-width letters are the letters they look like, and what cannot be seen is not there.
    visible = "".join(char for char in unicodedata.normalize("NFKC", key) if unicodedata.category(char) != "Cf")
    words = re.sub(r"[^A-Za-z0-9]+", "_", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", visible)).lower()
    return bool(_ANYWHERE.search(words) or _WORDS.search(words) or _TOKENS.search(words.rstrip("_")))


def is_secret_value(key: str, value: object) -> bool:
    """Counts of tokens are wanted; a token that is text or an object is not. Asks an object nothing but its type."""
    kind = type(value)
    if value is None or kind is bool or not is_secret_key(key):
        return False
    return not (kind in (int, float) and names_tokens(key))


def names_tokens(key: str) -> bool:
    return key.lower().endswith(("token", "tokens"))
