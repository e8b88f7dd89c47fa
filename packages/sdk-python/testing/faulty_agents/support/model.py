"""A model that follows a script: it knows two instructions, and words its answers by chance."""

from __future__ import annotations

import random

from sightline import observe


@observe(kind="llm", name="model")
def complete(prompt: str) -> str:
    instruction, _, given = prompt.partition(": ")
    match instruction:
        case "Classify":
            return "delivery" if "parcel" in given else "other"
        case "Reply" if random.random() > 0.05:
            return f"{given}. {random.choice(['Goodbye', 'Thank you', 'Kind regards'])}!"
    return "I can't tell."
