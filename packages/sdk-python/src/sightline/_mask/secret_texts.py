from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from typing import NamedTuple

from sightline._mask import MASKED
from sightline._mask.giving_way import give_way
from sightline._mask.secret_keys import is_secret_key, names_tokens

_MIN_LENGTH = 6
_NAME_TAIL = r"[A-Za-z0-9_-]{0,20}"
# Names that are secret wherever text assigns to them; what stands in front, as in `DB_PASSWORD`, does not matter.
_NAMES = (
    "password", "passwd", "passphrase", "pwd", "secret", "apikey", "api_key", "api-key", "token", "credential",
    *(f"{kind}{mark}key" for kind in ("private", "access", "signing", "encryption", "account", "shared", "auth")
      for mark in ("", "_", "-")),
)  # fmt: skip
# A value in quotes may hold spaces and commas and ends with the same quote, which is escaped within JSON text; a bare one
# is a word.
_ASSIGNMENT = re.compile(
    rf"((?:{'|'.join(_NAMES)}){_NAME_TAIL})"
    r"(\\*[\"']?\s{0,4}(?:[:=]|=>)\s{0,4})"
    r"(?:(\\*[\"'])((?:(?!\3)[^\r\n]){1,4096})|([^\s\"'\\,;&<>(){}\[\]]+))",
    re.IGNORECASE,
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
# scheme://user:password@host, the password up to the last @ before the path, as people forget to encode theirs.
_ADDRESS = re.compile(r"(://[^\s:/?#@\"'<>]{0,200}):[^\s\"'<>/]{1,400}@")
_SCHEME = re.compile(
    r"\b(Bearer|Token|ApiKey)(\s{1,4}|\s{0,4}:\s{0,4})(?!realm\b)"
    r"(?=[A-Za-z0-9_.~+/-]{0,99}(?:[0-9.~+/=_-]|[A-Za-z0-9_]{16}))[A-Za-z0-9_.~+/-]{6,}={0,2}",
    re.IGNORECASE,
)
_AUTHORIZATION = re.compile(
    r"(authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?)"
    r"(?:(?:Digest|Hawk|Signature|AWS4[A-Za-z0-9_-]{0,30})\s[^\r\n]{1,8192}|(?:[A-Za-z0-9_-]{1,20}\s{1,4})?[^\s\"',;]+)",
    re.IGNORECASE,
)
_COOKIE = re.compile(r"(cookie[\"']?\s{0,4}[:=]\s{0,4}[\"']?)[^\r\n\"']{1,8192}", re.IGNORECASE)
_BASIC = re.compile(r"\b(basic\s{1,4})((?-i:[A-Za-z0-9+/]{6,4096}={0,2}))", re.IGNORECASE)
_WEB_TOKEN = re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*")
# Keys that say what they are: OpenAI, Anthropic, Stripe, GitHub, GitLab, Slack, AWS, Google, npm, Hugging Face, this product.
_KNOWN_KEY = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{16,}|[rsp]k_(?:live|test)_[A-Za-z0-9_]{10,}|gh[pousr]_[A-Za-z0-9_]{20,}"
    r"|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9_-]{10,}|A[KS]IA[A-Z0-9]{16}"
    r"|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9_]{30,}|hf_[A-Za-z0-9_]{20,}|studio_[0-9a-f]{64})"
)
_FLAG = re.compile(
    r"(\s--?[A-Za-z0-9_-]{0,40}(?:password|passwd|pwd|secret|token|api-?key))(\s{1,4})(?!-)[^\s\"']+", re.IGNORECASE
)
# Anything quoted that looks like the key of JSON text, with a value of text or number; a text that was cut ends without a
# quote.
_JSON_ENTRY = re.compile(
    r"(\\?\")([A-Za-z0-9_.-]{2,64})(\\?\"\s{0,20}:\s{0,20})"
    r"(\"(?:[^\"\\]|\\.)*(?:\"|\\?\Z)|\\\"(?:[^\"\\]|\\[^\"])*(?:\\\"|\\?\Z)|-?\d[\d.eE+-]*)"
)
_OPENS_JSON = re.compile(r"\s{0,100}[{\[]")
_OPENS_INNER_JSON = re.compile(r"\"\s{0,100}[{\[]")
_HARMLESS = frozenset({"true", "false", "null", "undefined", "none"})
_COUNT = re.compile(r"[0-9]{1,9}")
_SUSPICIOUS = ("pass", "pw", "secret", "key", "auth", "cookie", "cred", "card", "bearer", "otp", "ssn", "token", "jwt",
               "cvv", "cvc", "connection")  # fmt: skip


def _mask_assigned(match: re.Match[str]) -> str:
    """`max_tokens: 5` is a count, and what is masked already stays as it is."""
    name, between, quote, quoted, bare = match.groups()
    if _is_harmless(name, bare if quoted is None else quoted):
        return match.group()
    return f"{name}{between}{quote or ''}{MASKED}"


def _mask_basic(match: re.Match[str]) -> str:
    """ "Basic JavaScript" is no credential; one decodes to `user:password`."""
    scheme, value = match.groups()
    bare = value.rstrip("=")
    try:
        decoded = base64.b64decode(bare[: len(bare) // 4 * 4] if len(bare) % 4 == 1 else bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        return match.group()
    return f"{scheme}{MASKED}" if b":" in decoded else match.group()


class _Rule(NamedTuple):
    needs: tuple[str, ...]
    """A text that the pattern matches contains one of these words; all of them are in `_WORDS`."""
    starts: tuple[str, ...]
    """In small letters; each match begins with one of them. Finding them takes a fraction of the time of the pattern."""
    pattern: re.Pattern[str]
    masked: Callable[[re.Match[str]], str]


def _whole(_match: re.Match[str]) -> str:
    return MASKED


_ASSIGNED = ("passw", "passphrase", "pwd", "secret", "token", "credential", "key")
_RULES = (
    # A key block, also one that was cut or whose lines are escaped.
    _Rule(("-----begin ",), ("-----begin ",), _KEY_BLOCK, _whole),
    _Rule(("://",), ("://",), _ADDRESS, lambda match: f"{match[1]}:{MASKED}@"),
    _Rule(("bearer", "token", "key"), ("bearer", "token", "apikey"), _SCHEME, lambda match: f"{match[1]}{match[2]}{MASKED}"),
    _Rule(("authorization",), ("authorization",), _AUTHORIZATION, lambda match: f"{match[1]}{MASKED}"),
    _Rule(("cookie",), ("cookie",), _COOKIE, lambda match: f"{match[1]}{MASKED}"),
    _Rule(("basic",), ("basic",), _BASIC, _mask_basic),
    _Rule(("eyj",), ("eyj",), _WEB_TOKEN, _whole),
    _Rule(("sk-", "glpat-", "xox", "akia", "asia", "aiza"), ("sk-", "glpat-", "xox", "akia", "asia", "aiza"), _KNOWN_KEY, _whole),
    _Rule(
        ("_",),
        ("rk_", "sk_", "pk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "npm_", "hf_", "studio_"),
        _KNOWN_KEY,
        _whole,
    ),
    _Rule(_ASSIGNED, _NAMES, _ASSIGNMENT, _mask_assigned),
    _Rule(_ASSIGNED, (" -", "\n-", "\t-", "\r-"), _FLAG, lambda match: f"{match[1]}{match[2]}{MASKED}"),
)
_WORDS = tuple(dict.fromkeys(word for rule in _RULES for word in rule.needs))

_LONG = 4096
"""Characters of a text in which finding a word takes microseconds."""
_REMEMBERED_CHARACTERS = 4 * 1024 * 1024
_remembered: dict[str, str] = {}
_left = [_REMEMBERED_CHARACTERS]


def mask_text(text: str) -> str:
    """Masks what looks like a secret in a text: in JSON under secret keys, in assignments, URLs, headers, known keys. Remembers
    its answers, as the same messages come again with every step of a run."""
    if len(text) < _MIN_LENGTH:
        return text
    known = _remembered.get(text)
    if known is None:
        known = _mask(text)
        _left[0] -= len(text)
        if _left[0] < 0:
            _remembered.clear()
            _left[0] = _REMEMBERED_CHARACTERS
        _remembered[text] = known
    return known


# What a text that any rule changes contains, by its rarest letter: a pattern that begins with a letter is found as fast as that
# letter is, and what stands before it is looked at afterwards. In small letters, but for the signs.
_HINTS = [
    (hint[0], re.compile(hint).search)
    for hint in (
        "k(?:ey|(?<=tok)en|(?<=cook)ie)",
        "p(?:wd|ass(?:w|phrase))",
        "cre(?:t|dential)",
        "b(?:earer|asic)",
        "z(?<=authoriz)",
    )
]
_SIGNS = [
    (sign[0], re.compile(sign).search)
    for sign in (
        "@",
        "J(?<=eyJ)",
        "A(?:[KS]IA|Iza)",
        "-(?:(?<=sk-)|(?<=glpat-)|(?<=xox[a-z]-)|----BEGIN )",
        "_(?:(?<=[rsp]k_)|(?<=gh[pousr]_)|(?<=github_pat_)|(?<=npm_)|(?<=hf_)|(?<=studio_))",
    )
]


def may_hold_secrets(json_text: str) -> bool:
    """False when `mask_text` leaves each text of this JSON as it is. One look at what is sent anyway; escapes stand for no letter
    and no sign that is looked for."""
    if _has_signs(json_text, json_text.lower()):
        return True
    return _MAY_EMBED(json_text) is not None and _EMBEDS(json_text) is not None


_EMBEDS = re.compile(r'"(?:\s|\\[a-z]|\\u00[01][0-9a-f])*[{\[]').search
"""JSON within a text of JSON: its keys may be secret by any word."""
_MAY_EMBED = re.compile(r'"[\s\\{\[]').search


def _has_signs(text: str, small: str) -> bool:
    is_long = len(text) > _LONG
    for signs, where in ((_SIGNS, text), (_HINTS, small)):
        for letter, search in signs:
            # A letter that is not there is found missing in a tenth of the time that the search takes.
            if letter in where:
                if search(where):
                    return True
                if is_long:
                    give_way()
    return False


def _mask(text: str) -> str:
    small = _small(text)
    if not _has_signs(text, small) and not _OPENS_JSON.match(text):
        return text
    masked = text
    if _OPENS_JSON.match(text) and any(word in small for word in _SUSPICIOUS):
        masked = _mask_entries(text)
    words = [word for word in _WORDS if _is_in(word, small)]
    for rule in _RULES:
        if not any(word in rule.needs for word in words):
            continue
        if masked is not text:
            text, small = masked, _small(masked)
        masked = _apply(rule, text, small)
    return masked


def _is_in(word: str, small: str) -> bool:
    if len(small) > _LONG:
        # Other threads need not wait until the whole text was looked through.
        give_way()
    return word in small


def _small(text: str) -> str:
    """Small letters at the same places: one capital letter becomes two."""
    return (text.replace("\u0130", "I") if "\u0130" in text else text).lower()


def _apply(rule: _Rule, text: str, small: str) -> str:
    """As `pattern.sub`, trying only where a match can begin."""
    places: list[int] = []
    for start in rule.starts:
        place = small.find(start) if _is_in(start, small) else -1
        while place >= 0:
            places.append(place)
            place = small.find(start, place + 1)
    if not places:
        return text
    pieces: list[str] = []
    copied = 0
    for place in sorted(set(places)):
        match = rule.pattern.match(text, place) if place >= copied else None
        if match is not None:
            pieces += (text[copied:place], rule.masked(match))
            copied = match.end()
    return text if copied == 0 else "".join((*pieces, text[copied:]))


def _is_harmless(name: str, value: str) -> bool:
    return (
        not is_secret_key(name)
        or value.startswith((MASKED, "masked]"))
        or value.lower() in _HARMLESS
        or (names_tokens(name) and _COUNT.fullmatch(value) is not None)
    )


def _mask_entries(text: str) -> str:
    return _JSON_ENTRY.sub(_mask_entry, text)


def _mask_entry(match: re.Match[str]) -> str:
    opening, key, colon, value = match.groups()
    is_number = not value.startswith(('"', "\\"))
    if is_secret_key(key) and not (is_number and names_tokens(key)):
        return f"{opening}{key}{colon}{opening}{MASKED}{opening}"
    return f"{opening}{key}{colon}{_mask_inner(value)}" if _OPENS_INNER_JSON.match(value) else match.group()


def _mask_inner(value: str) -> str:
    """JSON text within JSON text, as providers send the arguments of tool calls."""
    try:
        inner = json.loads(value)
    except ValueError:
        # It was cut: its own quotes are still escaped.
        return f'"{_mask_entries(value[1:])}'
    masked = _mask_entries(inner) if isinstance(inner, str) else inner
    return value if masked == inner else json.dumps(masked, ensure_ascii=False)
