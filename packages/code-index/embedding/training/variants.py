"""The product's `variantsOf` (packages/code-index/retrieval/query/variants.ts): other forms of an English word."""
import re
from functools import lru_cache

ENDINGS = [
    (r"ies$", ["y"]), (r"ied$", ["y"]), (r"([bdglmnprt])\1(?:ing|ed|er)$", [r"\1"]), (r"ing$", ["", "e"]), (r"ed$", ["", "e"]),
    (r"ers?$", ["", "e"]), (r"s$", [""]),
]


def bases_of(word):
    if re.search(r"(?:ss|sh|ch|x|z)es$", word):
        return [word[:-2], word[:-1]]
    rule = next((r for r in ENDINGS if re.search(r[0], word)), None)
    if rule is None or re.search(r"(?:ss|us|is)$", word):
        return []
    return [b for b in (re.sub(rule[0], x, word, count=1) for x in rule[1]) if len(b) >= 3]


def forms_of(base):
    stem = re.sub(r"([^aeiou])y$", r"\1i", base)
    plural = stem + "es" if stem != base or re.search(r"(?:s|sh|ch|x|z)$", base) else base + "s"
    return [base, plural, base + "d" if base.endswith("e") else stem + "ed", re.sub(r"e$", "", base) + "ing"]


@lru_cache(100_000)
def variants_of(word):
    if len(word) < 4 or not re.fullmatch(r"[a-z]+", word):
        return ()
    other = [word[:-1]] if re.search(r"(?:er|ing)s$", word) else [word + "s"] if re.search(r"(?:er|ing)$", word) else []
    forms = list(dict.fromkeys(other + [f for b in (bases_of(word) or [word]) for f in forms_of(b)]))
    return tuple(f for f in forms if f != word)[:9]
