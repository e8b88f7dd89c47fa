"""The product's `splitTerms` (packages/code-index/store/index/terms.ts), for texts that are nearly all ASCII."""
import re

_ASCII_WORD = re.compile(r"[A-Za-z0-9_$]+")
_WORD = re.compile(r"[\w$]+")
_PART = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_COMPOUND = re.compile(r"[_$]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[0-9][a-z]")
_known: dict[str, tuple[str, ...]] = {}


def terms_of_word(word: str) -> tuple[str, ...]:
    found = _known.get(word)
    if found is None:
        whole = word[:64]
        parts = _PART.findall(whole) if _COMPOUND.search(whole) else []
        found = tuple(t.lower() for t in [whole, *parts])
        if len(_known) > 1_000_000:
            _known.clear()
        _known[word] = found
    return found


def terms_of(text: str) -> list[str]:
    words = (_ASCII_WORD if text.isascii() else _WORD).findall(text)
    return [t for w in words for t in terms_of_word(w)]
